import { GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { inputError } from './input-error.js'

/** What a scalar makes of values, outwards and inwards; `undefined` = it is none. */
interface Coercion {
  readonly serialize: (value: unknown) => unknown
  readonly parse: (text: string) => unknown
  /** What is wrong with a value that comes in, behind the scalar's name. */
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
      if (serialized === undefined) throw new TypeError(`the source gave no ${name}`)
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
  // What is beyond the end of a month would become a day of the next.
  if (date === undefined || new Date(date).getUTCDate() !== Number(day)) return undefined
  return Math.floor(Date.parse(value) / 1000)
}

const parseUrl = (value: string): string | undefined =>
  URL.canParse(value) && value.startsWith('https://') ? new URL(value).href : undefined

const text =
  (pattern: RegExp) =>
  (value: unknown): unknown =>
    typeof value === 'string' && pattern.test(value) ? value : undefined

const ANSWERS_ONLY = { parse: (): undefined => undefined, fault: 'is for answers only' }

/**
 * The scalars of the schema, by name: the other half of what a server of your own needs. Inside, a time
 * is a number of epoch seconds; the others are strings.
 */
export const accountScalars: Readonly<Record<string, GraphQLScalarType>> = {
  DateTime: scalar('DateTime', {
    serialize: (value) =>
      Number.isSafeInteger(value)
        ? new Date((value as number) * 1000).toISOString().replace('.000Z', 'Z')
        : undefined,
    parse: parseDateTime,
    fault: 'must be RFC 3339, such as 2026-11-20T09:00:00Z',
  }),
  URL: scalar('URL', {
    serialize: text(/^https?:\/\/./),
    parse: parseUrl,
    fault: 'must be an absolute https URL',
  }),
  Decimal: scalar('Decimal', { serialize: text(/^-?\d+(?:\.\d+)?$/), ...ANSWERS_ONLY }),
  CurrencyCode: scalar('CurrencyCode', { serialize: text(/^[A-Z]{3}$/), ...ANSWERS_ONLY }),
}
