import * as kinds from '../../../src/site/fetch-document.js'
import { limitOf } from './limits.js'

/** A kind of request that the library sends to others. */
interface Outgoing {
  readonly what: string
  /** Who chose the address. */
  readonly whose: string
  readonly when: string
  readonly option: string
  readonly guard: string
  /** The test that shows that this kind has the guard. */
  readonly shownBy: string
}

const PUBLIC = 'the fetcher below'
const DOCUMENTS = '`documents.fetchDocument` of the site'

/** Each kind of request. A kind of `fetch-document.ts` without a row does not compile. */
const ROWS: Readonly<Record<kinds.Fetched['kind'] | 'introspection', Outgoing>> = {
  document: {
    what: 'client metadata document',
    whose: 'anyone: it is the `client_id`',
    when: 'an authorization request, if the stored copy is missing or stale; `fetchAgain` of client management',
    option: DOCUMENTS,
    guard: `${PUBLIC}, after the hosts and ports of \`documents\``,
    shownBy: '[fetches](test/authorization-server/document-fetches.test.ts)',
  },
  client_keys: {
    what: 'keys of a client, with `privateKeyJwt`',
    whose: 'the client, by `jwks_uri` or as the address of its document; a manager',
    when: 'a request that the client signed, if the copy is missing or stale',
    option: DOCUMENTS,
    guard: `${PUBLIC}, after the hosts and ports of \`documents\``,
    shownBy: '[documents](test/blocks/private-key-jwt/documents.test.ts)',
  },
  provider_keys: {
    what: 'keys of an identity provider, with `identityAssertion`',
    whose: 'you, by `jwksUri`',
    when: 'an assertion of a client that the provider lists, if the copy is missing or stale',
    option: '`fetchKeys`; by default that of the site',
    guard: PUBLIC,
    shownBy: '[assertions](test/blocks/identity-assertion.test.ts)',
  },
  logo: {
    what: 'logo of a client',
    whose: 'the client, by `logo_uri`, which a review covers',
    when: 'your call of `fetchLogo`',
    option: '`fetchImage`',
    guard: `${PUBLIC}, port 443 only`,
    shownBy: '[logo](test/clients/logo.test.ts)',
  },
  introspection: {
    what: 'question about a token, with `createRemoteGate`',
    whose: 'you, by `issuer`',
    when: 'a request to the gate with a token, if there is no answer of the last `cacheSeconds`',
    option: '`send`; by default the global `fetch`',
    guard:
      'only this origin, which may be in your own network; no redirect; a bounded number at the same time',
    shownBy: '[remote gate](test/protected-resource/remote-gate.test.ts)',
  },
}

const REMOTE = 'src/protected-resource/introspection.ts'
const LIMITS: Readonly<Record<string, number>> = {
  introspection: limitOf(REMOTE, 'MAX_ANSWER_BYTES'),
  ...Object.fromEntries(Object.values(kinds).map(({ kind, limitBytes }) => [kind, limitBytes])),
}

/** The kinds of requests, as a table of SECURITY.md. */
export const outgoingTable = (): string => {
  const rows = Object.entries(ROWS).map(([kind, { what, whose, when, option, guard, shownBy }]) => {
    const limit = `${LIMITS[kind]!.toLocaleString('en')} bytes`
    return `| ${[what, whose, when, option, guard, limit, shownBy].join(' | ')} |`
  })
  return [
    '| request | who chose the address | sent by | option | guard | at most | shown by |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
