import { Kind, type ValueNode } from 'graphql'
import { inputError } from './input-error.js'

/** How a scalar goes out and comes in. */
export interface Scalar {
  readonly serialize: (value: unknown) => unknown
  readonly parseValue: (value: unknown) => unknown
  readonly parseLiteral: (node: ValueNode) => unknown
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i

function scalar(
  name: string,
  serialize: (value: unknown) => unknown,
  parse: (text: string) => unknown,
): Scalar {
  const parseText = (value: unknown): unknown => {
    if (typeof value !== 'string') throw inputError(`${name} must be a string`)
    return parse(value)
  }
  return {
    serialize(value) {
      const serialized = serialize(value)
      if (serialized === undefined) throw new TypeError(`the source gave no ${name}`)
      return serialized
    },
    parseValue: parseText,
    parseLiteral: (node) => parseText(node.kind === Kind.STRING ? node.value : null),
  }
}

const text =
  (pattern: RegExp) =>
  (value: unknown): unknown =>
    typeof value === 'string' && pattern.test(value) ? value : undefined

function parseDateTime(value: string): number {
  const milliseconds = DATE_TIME.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(milliseconds))
    throw inputError('DateTime must be RFC 3339, such as 2026-11-20T09:00:00Z')
  return Math.floor(milliseconds / 1000)
}

function parseUrl(value: string): string {
  if (!URL.canParse(value) || !value.startsWith('https://'))
    throw inputError('URL must be an absolute https URL')
  return new URL(value).href
}

const answersOnly = (name: string) => (): never => {
  throw inputError(`${name} is for answers only`)
}

/** Inside, a time is a number of epoch seconds; the others are strings. */
export const scalars: Readonly<Record<string, Scalar>> = {
  DateTime: scalar(
    'DateTime',
    (value) =>
      Number.isSafeInteger(value)
        ? new Date((value as number) * 1000).toISOString().replace('.000Z', 'Z')
        : undefined,
    parseDateTime,
  ),
  URL: scalar('URL', text(/^https?:\/\/./), parseUrl),
  Decimal: scalar('Decimal', text(/^-?\d+(?:\.\d+)?$/), answersOnly('Decimal')),
  CurrencyCode: scalar('CurrencyCode', text(/^[A-Z]{3}$/), answersOnly('CurrencyCode')),
}
