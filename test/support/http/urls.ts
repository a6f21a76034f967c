import fc from 'fast-check'
import { anyCharacter } from './characters.js'

const PLAIN = [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  ..."-._~!$&'()*+,;=:@",
]
const text = fc.string({
  unit: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...PLAIN) },
    { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
  ),
})

/** The path of a URL. Like `fc.webPath`, which takes two seconds at its first use to write down a million characters. */
export const anyPath: fc.Arbitrary<string> = fc
  .array(text, { maxLength: 5 })
  .map((segments) => segments.map((segment) => `/${segment}`).join(''))

/** A URL with a domain, like `fc.webUrl`. It may have a query or a fragment where that is said. */
export const anyUrl = ({
  schemes = ['http', 'https'],
  query = false,
  fragment = false,
}: {
  readonly schemes?: readonly string[]
  readonly query?: boolean
  readonly fragment?: boolean
} = {}): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...schemes),
      fc.webAuthority(),
      anyPath,
      query ? part('?') : fc.constant(''),
      fragment ? part('#') : fc.constant(''),
    )
    .map(([scheme, authority, ...pieces]) => `${scheme}://${authority}${pieces.join('')}`)

const part = (mark: string): fc.Arbitrary<string> =>
  fc.option(text, { nil: '' }).map((value) => (value === '' ? '' : mark + value))
