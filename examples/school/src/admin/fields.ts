import { randomBytes } from 'node:crypto'
import * as z from 'zod'

/** An identifier with its prefix, such as `crs_foundations`. */
export const idOf = (prefix: string): z.ZodString =>
  z
    .string()
    .max(70)
    .regex(new RegExp(`^${prefix}_[A-Za-z0-9_-]{1,64}$`))

/** Returns a new identifier. */
export const newId = (prefix: string): string =>
  `${prefix}_${randomBytes(12).toString('base64url')}`

/** The identifier of an object as its table stores it: without the prefix that callers see. */
export const rowIdOf = (id: string): string => id.slice(id.indexOf('_') + 1)

/** The schema of one line of text, without control characters. Not all clients that read the pattern know `\p{Cc}`. */
export const line = (max = 200): z.ZodString =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    // oxlint-disable-next-line no-control-regex -- it refuses them
    .regex(/^[^\x00-\x1f\x7f-\x9f]+$/)

/** The schema of a slug: lower-case letters, digits and hyphens. */
export const slug: z.ZodString = z
  .string()
  .max(100)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)

/** The schema of tags. */
export const tags: z.ZodArray<z.ZodString> = z.array(line(50)).max(30)

/** The schema of a time in RFC 3339: in UTC in responses, with any offset in requests. */
export const time: z.ZodISODateTime = z.iso.datetime({ offset: true }).max(40)

/** The schema of a calendar day, such as `2026-11-20`. */
export const day: z.ZodISODate = z.iso.date().max(10)

/** The schema of a name of the time zone database. */
export const timeZone: z.ZodString = z
  .string()
  .max(64)
  .refine(isTimeZone, 'a name such as Europe/Lisbon')

/** The schema of an ISO 4217 code such as `EUR`. */
export const currencyCode: z.ZodString = z
  .string()
  .max(3)
  .regex(/^[A-Z]{3}$/)

/** The schema of an exact amount of money, as text. */
export const money = z
  .object({
    amount: z
      .string()
      .max(20)
      .regex(/^(?:0|[1-9]\d{0,11})(?:\.\d{1,3})?$/),
    currency: currencyCode,
  })
  .meta({ id: 'Money' })

/** The schema of money in a request: only its two members. */
export const moneyInput: z.ZodObject<(typeof money)['shape'], z.core.$strict> = z.strictObject(
  money.shape,
)

/** The members that every object has. */
export const common = { created_at: time, updated_at: time }

/** Returns the seconds since the epoch of a time in a request, or `null` for none. */
export const epochOf = (text: string | null): number | null =>
  text === null ? null : Math.floor(Date.parse(text) / 1000)

/** Returns a request with the seconds since the epoch in place of these of its times. An absent one stays absent. */
export const withEpochs = <Name extends string>(
  sent: { readonly [Each in Name]?: string | null | undefined },
  ...names: readonly Name[]
): Readonly<Record<string, unknown>> => ({
  ...sent,
  ...Object.fromEntries(
    names.flatMap((name) => {
      const text = sent[name]
      return text === undefined ? [] : [[name, epochOf(text)]]
    }),
  ),
})

/** SQL for a time of a response, from a column of seconds since the epoch. */
export const timeSql = (column: string): string =>
  `to_char(to_timestamp(${column}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

/** SQL for the two times that every object has. */
export const commonSql = (table: string): string =>
  `'created_at', ${timeSql(`${table}.created_at`)}, 'updated_at', ${timeSql(`${table}.updated_at`)}`

/** SQL for money. */
export const moneySql = (amount: string, currency: string): string =>
  `jsonb_build_object('amount', ${amount}::text, 'currency', ${currency})`

/** Returns each value once, in the order of first occurrence. */
export const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)]

// Node also accepts offsets such as +01:00, which do not follow daylight saving time.
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
