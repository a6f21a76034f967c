import * as z from 'zod'
import { money } from './fields.js'

/** Money as it is sent: nothing but its two members. */
export const moneyInput: z.ZodObject<(typeof money)['shape'], z.core.$strict> = z.strictObject(
  money.shape,
)

/** A name of the time zone database. */
export const timeZone: z.ZodString = z
  .string()
  .max(64)
  .refine(isTimeZone, 'a name such as Europe/Lisbon')

// Node also takes offsets such as +01:00, which know nothing of summer time.
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** An object's identifier as its table has it: without the prefix that callers see. */
export const rowIdOf = (id: string): string => id.slice(id.indexOf('_') + 1)
