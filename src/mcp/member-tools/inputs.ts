import * as z from 'zod'
import { isPlainText } from '../../policy/client-metadata.js'

// The source chooses its ids and slugs, but these characters cannot be part of a URL path.
const UNSAFE_REFERENCE = /[\s\p{Cc}\p{Surrogate}/\\?#%]|\.\./u
const MAX_REFERENCE_LENGTH = 128

/** The schema of an id or a slug from the result of a tool. */
export const reference: z.ZodString = z
  .string()
  .min(1)
  .max(MAX_REFERENCE_LENGTH)
  .refine(
    (value) => !UNSAFE_REFERENCE.test(value),
    'must be an id or a slug from the result of a tool',
  )

/** Returns the schema of one line of text. */
export const line = (maxLength: number): z.ZodString =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine(
      (value) => isPlainText(value, maxLength),
      'must be one line, without control or invisible characters',
    )

/** The arguments of every list. */
export const paging: {
  readonly limit: z.ZodDefault<z.ZodInt>
  readonly cursor: z.ZodOptional<z.ZodString>
} = {
  limit: z.int().min(1).max(50).default(20).describe('Maximum number of rows.'),
  cursor: z
    .string()
    .max(2048)
    .regex(/^[0-9]{1,10}\.[A-Za-z0-9_-]+$/)
    .optional()
    .describe('page.next_cursor of the previous page. Keep the other arguments unchanged.'),
}
