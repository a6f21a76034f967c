import { type Attack, type AttackClass, mutated, pairs } from '../support/attack/run.js'
import { CALLBACK, JSON_HEADERS, type Service } from '../support/attack/service.js'
import { authorizePath } from '../support/attack/requests.js'
import type { RungClass } from '../support/attack/rungs.js'

/** Addresses that no app may register for itself. */
const HOSTILE: readonly string[] = [
  'http://127.0.0.1.evil.test/cb', 'http://127.0.0.1@evil.test/cb', 'http://127.0.0.1:80@evil.test/cb',
  'http://localhost@1/', 'http://127.0.0.1.80/', 'http://127.0.0.1:80:80/cb', 'http://user@127.0.0.1/cb',
  'http://user:pw@127.0.0.1/cb', 'http://evil.test#@127.0.0.1/cb', 'http://evil.test\\@127.0.0.1/cb',
  'http:\\\\127.0.0.1\\cb', 'http:/127.0.0.1/cb', 'http:127.0.0.1/cb', 'http:///127.0.0.1/cb',
  'http://127.1/cb', 'http://127.0.1/cb', 'http://2130706433/cb', 'http://0x7f.1/cb', 'http://0x7f000001/cb',
  'http://0177.0.0.1/cb', 'http://017700000001/cb', 'http://127.0.0.1./cb', 'http://localhost./cb',
  'http://LOCALHOST/cb', 'http://Localhost/cb', 'http://[::ffff:127.0.0.1]/cb', 'http://[0:0:0:0:0:0:0:1]/cb',
  'http://[::1%25eth0]/cb', 'http://0.0.0.0/cb', 'http://[::]/cb', 'http://127.0.0.2/cb', 'http://127.255.255.254/cb',
  'http://\uff11\uff12\uff17.0.0.1/cb', 'http://127\u30020\u30020\u30021/cb', 'http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/cb',
  'http://127.0.0.1:0/cb', 'http://127.0.0.1:65536/cb', 'http://127.0.0.1:080/cb', 'http://127.0.0.1:+80/cb',
  'http://127.0.0.1:-1/cb', 'http://127.0.0.1:8e1/cb', 'http://127.0.0.1: 80/cb', 'http://127.0.0.1:/cb',
  'https://127.0.0.1/cb', 'https://localhost/cb', 'https://evil.test/cb', 'http://evil.test/cb', 'ftp://127.0.0.1/cb',
  'http://127.0.0.1/cb#', 'http://127.0.0.1/cb#code', 'http://127.0.0.1/cb\t#x', 'http://127.0.0.1/cb%23\u0000',
  'http://127.0.0.1/cb?code=1', 'http://127.0.0.1/cb?state=1', 'http://127.0.0.1/cb?iss=1', 'http://127.0.0.1/cb?error=1',
  'http://127.0.0.1/cb?%63ode=1', 'http://127.0.0.1/cb?a=1&stat%65=2', 'http://127.0.0.1/cb?error_description=x',
  'http://127.0.0.1/a/../cb', 'http://127.0.0.1/a/./cb', 'http://127.0.0.1/%2e%2e/cb', 'http://127.0.0.1/.%2E/cb',
  'http://127.0.0.1/c b', 'http://127.0.0.1/\u0000', 'http://127.0.0.1/\r\nx-injected: 1', 'http://127.0.0.1/"><x-pwned>',
  'http://127.0.0.1\t/cb', ' http://127.0.0.1/cb', 'http://127.0.0.1/cb ', '\u0000http://127.0.0.1/cb',
  'javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\tscript:alert(1)', ' javascript:alert(1)', 'data:text/html,x',
  'vbscript:x', 'file:///etc/passwd', 'about:blank', 'blob:http://127.0.0.1/x', 'view-source:http://127.0.0.1/',
  '', '/', '//127.0.0.1/cb', '/cb', '?x', '#', '*', 'http://*/cb', 'http://127.0.0.*/cb', 'null', 'undefined',
  'urn:ietf:wg:oauth:2.0:oob', 'com.example.app:/cb', 'http://\u202e127.0.0.1/cb', 'http://127.0.0.1/\u200b',
  `http://127.0.0.1/${'a'.repeat(2100)}`, 'http://127.0.0.1/caf\u00e9', 'http://127.0.0.1/{cb}', 'http://127.0.0.1/cb|x',
] // prettier-ignore

const GOOD = 'http://127.0.0.1/cb'

/** The clients of the demo whose address a request may name, each with one that it registered. */
const registeredAt = (origin: string) =>
  [
    ['study-buddy', CALLBACK, 'account:read'],
    ['desk-cli', 'http://127.0.0.1/callback', 'courses:read'],
    ['https://notes.example/client.json', 'https://notes.example/callback', 'courses:read'],
    ['claude', 'https://claude.ai/api/mcp/auth_callback', 'courses:read'],
    ['graphiql', `${origin}/account/graphiql`, 'account:read'],
  ] as const

/** Changes of an address that a careless comparison lets through. */
function variationsOf(uri: string): readonly string[] {
  const { origin, pathname, hostname, protocol } = new URL(uri)
  const other = protocol === 'https:' ? 'http:' : 'https:'
  return [
    `${uri}/`, `${uri}?`, `${uri}#`, `${uri}?x=1`, `${uri}&x=1`, `${uri}%20`, `${uri}%00`, `${uri}%0d%0ax-injected:1`,
    `${uri}/..`, `${uri}/../x`, `${uri};x`, `${uri}.evil.test`, `${uri}@evil.test`, uri.toUpperCase(), ` ${uri}`,
    `${uri} `, `\t${uri}`, `${uri}\n`, `${uri}\r\nx-injected: 1`, `${origin}${pathname.toUpperCase()}`,
    `${origin}/%2e${pathname}`, `${origin}//${pathname}`, `${origin}${pathname.slice(0, -1)}`, `${origin}/`, origin,
    `${other}//${hostname}${pathname}`, `${protocol}//evil.test${pathname}`, `${protocol}//${hostname}.evil.test${pathname}`,
    `${protocol}//${hostname}@evil.test${pathname}`, `${protocol}//evil.test\\@${hostname}${pathname}`,
    `${protocol}//evil.test/${hostname}${pathname}`, `${protocol}//x.${hostname}${pathname}`, `//${hostname}${pathname}`,
    `${protocol}${hostname}${pathname}`, pathname, `javascript:${uri}`, `data:,${uri}`, `${uri},${uri}`, `${uri} ${uri}`,
    `${origin}${pathname}%2f`, `${origin}/.${pathname}`, `${protocol}//${hostname}.${pathname}`, 'https://evil.test/', 'null', '*',
  ] // prettier-ignore
}

/** Whether two loopback addresses differ in their port only, which RFC 8252 allows. */
const differsInPortOnly = (uri: string, registered: string): boolean => {
  const withoutPort = (text: string): string =>
    text.replace(/^(http:\/\/(?:127\.0\.0\.1|localhost)):[1-9]\d{0,4}\//, '$1/')
  return (
    withoutPort(uri) === withoutPort(registered) &&
    Number(/:(\d+)\//.exec(uri.slice(7))?.[1] ?? 80) < 65_536
  )
}

/** Registrations of each hostile address: alone, before and behind a good one. */
const registrations = (): readonly Attack[] =>
  pairs(HOSTILE, ['alone', 'first', 'last'] as const)
    // What is empty is absent, and the other one is registered.
    .filter(([uri, place]) => uri !== '' || place === 'alone')
    .map(([uri, place]): Attack => ({
      name: `register ${JSON.stringify(uri.slice(0, 60))} ${place}`,
      request: {
        path: '/api/oauth/register',
        headers: JSON_HEADERS,
        body: JSON.stringify({
          client_name: 'Desk',
          redirect_uris: { alone: [uri], first: [uri, GOOD], last: [GOOD, uri] }[place],
        }),
      },
      statuses: [400],
      fault: ({ text }) =>
        text.includes('"invalid_redirect_uri"') || uri === ''
          ? null
          : 'it is refused for another reason',
    }))

const editsOf = (registered: string, edits: number): readonly string[] =>
  [...new Set([...variationsOf(registered), ...mutated(registered, edits)])].filter(
    (uri) => uri !== registered && !differsInPortOnly(uri, registered),
  )

const atAddress = (uri: string, path: string, client = 'the app'): Attack => ({
  name: `authorize ${client} at ${JSON.stringify(uri.slice(0, 80))}`,
  request: { path },
  statuses: [400],
  fault: ({ headers }) =>
    headers['location'] === undefined ? null : `sent to ${String(headers['location'])}`,
})

/** A server that sends people where a stranger wants them gives the stranger their codes. */
export const redirectUris: AttackClass = {
  name: 'redirect URIs',
  least: 700,
  async build({ origin, send }: Service) {
    // The demo's copy of this document is stale: it is fetched once, and stored.
    const notes = { client_id: 'https://notes.example/client.json', scope: 'courses:read' }
    await send({
      path: authorizePath(origin.lantern, {
        ...notes,
        redirect_uri: 'https://notes.example/callback',
      }),
    })
    const requests = registeredAt(origin.lantern).flatMap(([client_id, registered, scope]) =>
      editsOf(registered, 50).map((redirect_uri) =>
        atAddress(redirect_uri, authorizePath(origin.lantern, { client_id, redirect_uri, scope }), client_id),
      ),
    ) // prettier-ignore
    return {
      attacks: [...registrations(), ...requests],
      controls: [
        ...registeredAt(origin.lantern).map(([clientId, redirect_uri, scope]): Attack => ({
          name: `authorize ${clientId}`,
          request: {
            path: authorizePath(origin.lantern, { client_id: clientId, redirect_uri, scope }),
          },
          statuses: [303],
        })),
        ...[1, 80, 52_100, 65_535].map((port): Attack => ({
          name: `authorize desk-cli at port ${port}`,
          request: {
            path: authorizePath(origin.lantern, {
              client_id: 'desk-cli',
              redirect_uri: `http://127.0.0.1:${port}/callback`,
              scope: 'courses:read',
            }),
          },
          statuses: [303],
        })),
      ],
    }
  },
}

/** The same for a rung, which has the app that registered itself, and often one of members. */
export const redirectUrisOfRung: RungClass = {
  name: redirectUris.name,
  needs: ['registration'],
  least: 330,
  async build({ authorize, serves }) {
    const members = serves.has('member apps')
      ? [{ client_id: 'study-buddy', scope: 'account:read' }]
      : []
    return {
      attacks: [
        ...registrations(),
        ...[{}, ...members].flatMap((client) =>
          editsOf(CALLBACK, 20).map((uri) =>
            atAddress(uri, authorize({ ...client, redirect_uri: uri })),
          ),
        ),
      ],
      controls: [{}, ...members, { redirect_uri: 'http://127.0.0.1:52100/callback' }].map(
        (changes): Attack => ({
          name: `authorize ${JSON.stringify(changes)}`,
          request: { path: authorize(changes) },
          statuses: [303],
        }),
      ),
    }
  },
}
