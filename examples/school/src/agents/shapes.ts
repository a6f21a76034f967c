import * as z from 'zod'
import { money } from '../admin/fields.js'

/** The schema of a time in a result. */
export const timeSchema: z.ZodString = z.string().describe('RFC 3339, UTC.')

/** The schema of a price. */
export const moneySchema: z.ZodObject<(typeof money)['shape']> = z.object(money.shape)

/** The schema of a course that another object refers to. */
export const courseNameSchema = z.object({
  slug: z.string().describe('For get_public_course.'),
  title: z.string(),
})
