import { GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { inputError } from './input-error.js'

/** How a scalar converts values for responses and from requests. `undefined` means an invalid value. */
interface Coercion {
  readonly serialize: (value: unknown) => unknown
  readonly parse: (text: string) => unknown
  /** The rest of the message about an invalid value in a request, after the name of the scalar. */
  readonly fault: string
}

function scalar(name: string, { serialize, parse, fault }: Coercion): GraphQLScalarType {
  const parseText = (value: unknown, node?: ValueNode): unknown => {
    const parsed = typeof value === 'string' ? parse(value) : undefined
    if (parsed === undefined) throw inputError(`${name} ${fault}`, {}, node)
    return parsed
  }
  return new GraphQLScalarType({
    name,
    serialize(value) {
      const serialized = serialize(value)
      if (serialized === undefined)
        throw new TypeError(`the account source returned an invalid ${name}`)
      return serialized
    },
    parseValue: (value) => parseText(value),
    parseLiteral: (node) => parseText(node.kind === Kind.STRING ? node.value : null, node),
  })
}

const DATE_TIME =
  /^(\d{4}-\d{2}-(\d{2}))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

function parseDateTime(value: string): number | undefined {
  const [, date, day] = DATE_TIME.exec(value) ?? []
  // `Date` turns 30 February into 2 March.
  if (date === undefined || new Date(date).getUTCDate() !== Number(day)) return undefined
  return Math.floor(Date.parse(value) / 1000)
}

const parseUrl = (value: string): string | undefined =>
  URL.canParse(value) && value.startsWith('https://') ? new URL(value).href : undefined

const text =
  (pattern: RegExp) =>
  (value: unknown): unknown =>
    typeof value === 'string' && pattern.test(value) ? value : undefined

const ANSWERS_ONLY = { parse: (): undefined => undefined, fault: 'cannot be used as an input' }

/**
 * The scalars of the account schema by name, for servers that assemble a schema themselves. Inside the
 * server a `DateTime` is a number of epoch seconds; the other scalars are strings.
 *
 * @see [RFC 3339, section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6)
 * @example
 * ```ts
 * import { accountScalars } from 'hallpass/account'
 *
 * const { DateTime } = accountScalars
 * DateTime?.serialize(1_795_165_200) // => '2026-11-20T09:00:00Z'
 * DateTime?.parseValue('2026-11-20T10:00:00+01:00') // => 1_795_165_200
 * ```
 * @group Schema
 */
export const accountScalars: Readonly<Record<string, GraphQLScalarType>> = {
  DateTime: scalar('DateTime', {
    serialize: (value) =>
      Number.isSafeInteger(value)
        ? new Date((value as number) * 1000).toISOString().replace('.000Z', 'Z')
        : undefined,
    parse: parseDateTime,
    fault: 'must be an RFC 3339 date-time such as 2026-11-20T09:00:00Z',
  }),
  URL: scalar('URL', {
    serialize: text(/^https?:\/\/./),
    parse: parseUrl,
    fault: 'must be an absolute https URL',
  }),
  Decimal: scalar('Decimal', { serialize: text(/^-?\d+(?:\.\d+)?$/), ...ANSWERS_ONLY }),
  CurrencyCode: scalar('CurrencyCode', { serialize: text(/^[A-Z]{3}$/), ...ANSWERS_ONLY }),
}
