import { randomBytes } from 'node:crypto'
import * as z from 'zod'

/** An identifier with its prefix, such as `crs_foundations`. */
export const idOf = (prefix: string): z.ZodString =>
  z
    .string()
    .max(70)
    .regex(new RegExp(`^${prefix}_[A-Za-z0-9_-]{1,64}$`))

/** A new identifier. */
export const newId = (prefix: string): string =>
  `${prefix}_${randomBytes(12).toString('base64url')}`

/** An object's identifier as its table has it: without the prefix that callers see. */
export const rowIdOf = (id: string): string => id.slice(id.indexOf('_') + 1)

/** Text of one line, without control characters. */
export const line = (max = 200): z.ZodString =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]+$/u)

/** Words of a URL: lower-case letters, digits and hyphens. */
export const slug: z.ZodString = z
  .string()
  .max(100)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)

/** Words that things are sorted under. */
export const tags: z.ZodArray<z.ZodString> = z.array(line(50)).max(30)

/** A moment, RFC 3339 in UTC as answered; with any offset as sent. */
export const time: z.ZodISODateTime = z.iso.datetime({ offset: true }).max(40)

/** A day of the calendar, `2026-11-20`. */
export const day: z.ZodISODate = z.iso.date().max(10)

/** A name of the time zone database. */
export const timeZone: z.ZodString = z
  .string()
  .max(64)
  .refine(isTimeZone, 'a name such as Europe/Lisbon')

/** A code such as `EUR`, of ISO 4217. */
export const currencyCode: z.ZodString = z
  .string()
  .max(3)
  .regex(/^[A-Z]{3}$/)

/** An amount of money: exact, as text. */
export const money = z
  .object({
    amount: z
      .string()
      .max(20)
      .regex(/^(?:0|[1-9]\d{0,11})(?:\.\d{1,3})?$/),
    currency: currencyCode,
  })
  .meta({ id: 'Money' })

/** Money as it is sent: nothing but its two members. */
export const moneyInput: z.ZodObject<(typeof money)['shape'], z.core.$strict> = z.strictObject(
  money.shape,
)

/** What every object has. */
export const common = { created_at: time, updated_at: time }

/** Epoch seconds of a moment that was sent; `null` for none. */
export const epochOf = (text: string | null): number | null =>
  text === null ? null : Math.floor(Date.parse(text) / 1000)

/** SQL for a moment as it is answered, from a column of epoch seconds. */
export const timeSql = (column: string): string =>
  `to_char(to_timestamp(${column}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

/** SQL for the two moments that every object has. */
export const commonSql = (table: string): string =>
  `'created_at', ${timeSql(`${table}.created_at`)}, 'updated_at', ${timeSql(`${table}.updated_at`)}`

/** SQL for money. */
export const moneySql = (amount: string, currency: string): string =>
  `jsonb_build_object('amount', ${amount}::text, 'currency', ${currency})`

/** Each value once, in the order of its first place. */
export const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]

// Node also takes offsets such as +01:00, which know nothing of summer time.
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
