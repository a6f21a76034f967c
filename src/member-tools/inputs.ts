import * as z from 'zod'
import { isPlainText } from '../policy/client-metadata.js'

// What the source calls its rows is its own matter; these are in no id or slug that belongs in a path.
const UNSAFE_REFERENCE = /[\s\p{Cc}\p{Surrogate}/\\?#%]|\.\./u
const MAX_REFERENCE_LENGTH = 128

/** Reads an id or a slug, as a tool answered it. */
export const reference: z.ZodString = z
  .string()
  .min(1)
  .max(MAX_REFERENCE_LENGTH)
  .refine((value) => !UNSAFE_REFERENCE.test(value), 'this is no id or slug that a tool answered')

/** Reads one line of text. */
export const line = (maxLength: number): z.ZodString =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine(
      (value) => isPlainText(value, maxLength),
      'must be one line, without control or invisible characters',
    )

/** What every list takes. */
export const paging: {
  readonly limit: z.ZodDefault<z.ZodInt>
  readonly cursor: z.ZodOptional<z.ZodString>
} = {
  limit: z.int().min(1).max(50).default(20).describe('Rows on a page.'),
  cursor: z
    .string()
    .max(2048)
    .regex(/^[0-9]{1,10}\.[A-Za-z0-9_-]+$/)
    .optional()
    .describe('page.next_cursor of the page before; keep the other arguments as they were.'),
}
