import * as z from 'zod'
import { line } from './fields.js'

/** Words that things are sorted under. */
export const tags: z.ZodArray<z.ZodString> = z.array(line(50)).max(30)

/** Each value once, in the order of its first place. */
export const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]
