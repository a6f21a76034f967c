import { CHECKS, type Clause } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import {
  AS,
  fapi2Profile,
  MUST,
  MUST_NOT,
  rfc6749,
  rfc7636,
  rfc9700,
  SHOULD,
} from '../src/clause.js'

const WORDS = {
  MUST: /\b(?:MUST|SHALL)\b(?! NOT)|\bREQUIRED\b/,
  'MUST NOT': /\b(?:MUST|SHALL) NOT\b/,
  SHOULD: /\bSHOULD\b(?! NOT)|(?<!NOT )\bRECOMMENDED\b/,
  'SHOULD NOT': /\bSHOULD NOT\b|\bNOT RECOMMENDED\b/,
} as const
/** Documents that do not write the words of RFC 2119 in capitals. */
const LOWER_CASE = ['Content Security Policy Level 3', 'FAPI 2.0 Security Profile', 'Fetch', 'HTML']

/** Who is no server, as the subject of a verb: not in `client authentication` or `user-agent header`. */
const OTHERS =
  /\b(?:clients?|relying part(?:y|ies)|RPs?|user[ -]agents?|browsers?|prox(?:y|ies)|end-users?|resource owners?|senders?)(?:\s*\([^)]*\))?(?:,? (?:that|which|who|using|supporting|wishing|interacting|receiving|utilizing)\b[^.;,]*?)?,?\s*(?:also |then |therefore )?$/i

/** Why a clause may not be counted against a server; `null` if it may. */
function faultOf({ document, level, quote }: Clause): string | null {
  if (level === 'advice') return null
  const words = LOWER_CASE.includes(document) ? new RegExp(WORDS[level].source, 'i') : WORDS[level]
  const at = quote.search(words)
  if (at === -1) return `${level} is not in the sentence`
  // In RFC 9110, who owns a resource is who runs its server.
  const before = quote.slice(0, at).replace(document === 'RFC 9110' ? 'resource owner' : '', '')
  const other = OTHERS.exec(before.slice(Math.max(before.lastIndexOf('. '), before.lastIndexOf('; ')) + 1))
  if (other !== null) return `it binds ${other[0].trim()}`
  return /^\S+(?: NOT)? be \w+ by (?:the |a |any )?(?:client|user|relying)/.test(quote.slice(at))
    ? 'it binds a client'
    : null
} // prettier-ignore

describe('a clause', () => {
  it.each(CHECKS.map(({ id, clause }) => [id, clause] as const))(
    'of %s binds a server, at its level, by a sentence',
    (_id, clause) => {
      expect(clause.quote.length).toBeGreaterThan(20)
      expect(faultOf(clause)).toBeNull()
    },
  )

  it.each([
    ['SHOULD is not in the sentence', rfc7636('4.2', SHOULD, AS, 'code-challenge = 43*128unreserved')],
    ['MUST is not in the sentence', rfc6749('3.1', MUST, AS, 'Parameters MUST NOT be included more than once.')],
    ['it binds clients', rfc9700('2.1', SHOULD, AS, 'clients SHOULD use the iss parameter as a countermeasure')],
    ['it binds client', rfc6749('2.3', MUST_NOT, AS, 'The client MUST NOT use more than one authentication method in each request.')],
    ['it binds clients that interact with servers', rfc9700('4.4', MUST, AS, 'Here, clients that interact with servers MUST compare it.')],
    ['it binds proxy', rfc9700('4.13', MUST, AS, 'A reverse proxy MUST therefore sanitize any inbound requests.')],
    ['it binds a client', rfc6749('10.12', MUST, AS, 'The value MUST be kept by the client.')],
    ['it binds clients', fapi2Profile('5.3', MUST, AS, 'clients shall use PKCE')],
  ])('is refused: %s', (why, clause) => expect(faultOf(clause)).toBe(why)) // prettier-ignore
})
