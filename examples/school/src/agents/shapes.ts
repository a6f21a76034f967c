import * as z from 'zod'
import { money } from '../admin/fields.js'

/** A moment, as it is answered. */
export const timeSchema: z.ZodString = z.string().describe('RFC 3339, UTC.')

/** A price. */
export const moneySchema: z.ZodObject<(typeof money)['shape']> = z.object(money.shape)

/** A course that is named beside something else. */
export const courseNameSchema = z.object({
  slug: z.string().describe('For get_public_course.'),
  title: z.string(),
})
