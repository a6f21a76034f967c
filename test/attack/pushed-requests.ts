import { createServer } from 'node:net'
import { addClient, addSigner, asserting, basic, SECRET, withSecret } from '../support/attack/block-clients.js' // prettier-ignore
import { authorizePath, form } from '../support/attack/requests.js'
import { type Attack, type AttackClass, type Exchange, mutated } from '../support/attack/run.js'
import type { Service } from '../support/attack/service.js'
import { CAMPUS, flood, scriptOf } from './payers.js'
import type { Answer } from '../support/attack/wire.js'
import { openPort } from '../support/processes/ports.js'
import { encode, type Fields } from '../support/school/flow.js'

const PUSH = '/api/oauth/par'
const PREFIX = 'urn:ietf:params:oauth:request_uri:'
const CLIENT = 'attacks-pusher'
const LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' } // prettier-ignore
/** What is only in parameters beside a reference, so that a stored request shows where it came from. */
const FOREIGN = 'evil.test'

/** Values beside a reference that would make another request of it. */
const BESIDE: readonly Fields[] = [
  { redirect_uri: `https://${FOREIGN}/callback` }, { redirect_uri: ['http://127.0.0.1:7777/callback', `https://${FOREIGN}/`] },
  { scope: 'account:read account:write' }, { scope: 'openid profile email courses:write' }, { resource: `https://${FOREIGN}` },
  { state: FOREIGN }, { nonce: FOREIGN }, { code_challenge: 'A'.repeat(43) }, { code_challenge_method: 'plain' },
  { response_type: 'token' }, { response_mode: 'fragment' }, { prompt: 'none' }, { prompt: 'consent' }, { max_age: '0' }, { login_hint: FOREIGN },
  { id_token_hint: 'e30.e30.' }, { ui_locales: 'xx' }, { dpop_jkt: 'A'.repeat(43) }, { request: 'eyJhbGciOiJub25lIn0.e30.' },
  { request: 'e30.e30.e30', scope: 'account:write' }, { claims: '{}' }, { client_secret: SECRET }, { registration: '{}' },
] // prettier-ignore

const isBegun = ({ status, headers }: Answer): boolean =>
  status === 303 && String(headers['location']).includes('/oauth/interaction/')

const cookieOf = ({ headers }: Answer): string =>
  [headers['set-cookie'] ?? []].flat().map((one) => one.split(';', 1)[0]!).join('; ') // prettier-ignore

/** A reference leads the browser of one person to what its own client pushed, once, within a minute. */
export const pushedRequests: AttackClass = {
  name: 'pushed requests',
  least: 1100,
  async build(service) {
    const origin = service.origin.lantern
    const asked: Fields = {
      ...Object.fromEntries(new URL(authorizePath(origin), origin).searchParams),
      client_id: CLIENT,
    }
    await addClient(service, { clientId: CLIENT })
    await addClient(service, { clientId: 'attacks-push-secret', ...withSecret() })
    await addClient(service, { clientId: 'attacks-must-push', requirePushedRequests: true })
    const signer = await addSigner(service, { clientId: 'attacks-push-signer' })
    const push = async (changes: Fields = {}): Promise<string> => {
      const answer = await service.send(form(PUSH, { ...asked, ...changes }))
      const { request_uri: uri } = JSON.parse(answer.text) as { request_uri?: string }
      if (uri === undefined) throw new Error(`not pushed: ${answer.text}`)
      return uri
    }
    const present = (request_uri: string, more: Fields = {}, headers = {}) => ({
      path: `/oauth/authorize?${encode({ client_id: CLIENT, request_uri, ...more }).toString()}`,
      headers,
    })
    const attacks: (Attack | Exchange)[] = []
    const refused = (name: string, request: Attack['request']): void =>
      void attacks.push({
        name,
        request,
        statuses: [400],
        without: [FOREIGN],
        fault: ({ headers }) => (headers['location'] === undefined ? null : 'it leads somewhere'),
      })

    // References of nobody, of another client, and of another kind.
    const good = await push()
    for (const changed of mutated(good, 150)) refused(`the reference ${changed}`, present(changed))
    for (const client_id of ['study-buddy', 'desk-cli', 'attacks-push-secret', 'attacks-must-push', 'nobody', 'claude', '', null, [CLIENT, CLIENT], [CLIENT, 'study-buddy'], CLIENT.toUpperCase(), `${CLIENT} `, 'https://notes.example/client.json', `https://${FOREIGN}/client.json`, '*', '__proto__'])
      attacks.push({
        name: `presented by ${JSON.stringify(client_id)}`,
        request: present(good, { client_id }),
        statuses: [400],
        fault: ({ headers }) => (headers['location'] === undefined ? null : 'it leads somewhere'),
      }) // prettier-ignore
    // Whoever reaches it has been led here.
    let reached = 0
    const canary = createServer((socket) => {
      reached += 1
      socket.destroy()
    })
    const port = await openPort(canary)
    const jar = 'eyJhbGciOiJub25lIiwidHlwIjoib2F1dGgtYXV0aHotcmVxK2p3dCJ9.e30.'
    for (const uri of [
      `http://127.0.0.1:${port}/request.jwt`, `http://localhost:${port}/`, `https://127.0.0.1:${port}/`, `//127.0.0.1:${port}/`, `http://[::1]:${port}/`, `http://0.0.0.0:${port}/`,
      'https://notes.example/request.jwt', 'https://notes.example/client.json', `${origin}/request.jwt`, 'file:///etc/passwd', 'data:application/jwt,e30', 'javascript:alert(1)', 'gopher://127.0.0.1/', 'ftp://127.0.0.1/x',
      '', ' ', PREFIX, `${PREFIX} `, `${PREFIX}${'A'.repeat(43)}`, `${PREFIX}../interaction/x`, `${PREFIX}${'x'.repeat(6000)}`, `${PREFIX}%00`, `${PREFIX}__proto__`, `${PREFIX.toUpperCase()}x`, 'urn:x', `urn:ietf:params:oauth:grant-type:x`,
    ])
      for (const more of [{}, { scope: 'openid' }, { request: jar }])
        attacks.push({ name: `the request_uri ${uri.slice(0, 60)} ${JSON.stringify(more).slice(0, 20)}`, request: present(uri, more), statuses: [400], fault: ({ headers }) => (headers['location'] === undefined ? null : 'it leads somewhere') }) // prettier-ignore
    for (const changes of [{ request: jar }, { request: '' , request_uri: 'x' }, { request: `${jar}x`, scope: null }])
      attacks.push({
        name: `in the query, ${JSON.stringify(changes).slice(0, 60)}`,
        request: { path: `/oauth/authorize?${encode({ ...asked, ...changes }).toString()}` },
        statuses: [303, 400],
        fault: ({ headers }) => /error=|^undefined$/.test(String(headers['location'])) ? null : 'it begins',
      }) // prettier-ignore

    // A client that must push, in the query.
    for (const changes of [{}, { request_uri: '' }, { prompt: 'none' }, { scope: 'openid' }, { response_mode: 'query' }, { REQUEST_URI: good }, { 'request_uri[]': good }])
      attacks.push({
        name: `must push, in the query with ${JSON.stringify(changes).slice(0, 60)}`,
        request: { path: `/oauth/authorize?${encode({ ...asked, client_id: 'attacks-must-push', ...changes }).toString()}` },
        statuses: [303, 400],
        fault: ({ headers }) => /error=|^undefined$/.test(String(headers['location'])) ? null : 'it begins',
      }) // prettier-ignore
    attacks.push({ name: 'must push, with the reference of another', request: present(good, { client_id: 'attacks-must-push' }), statuses: [400] }) // prettier-ignore

    // Pushes by someone who is not the client, and of what cannot be asked.
    const unpushed = (name: string, fields: Fields, headers = {}): void =>
      void attacks.push({ name: `a push ${name}`, request: form(PUSH, fields, headers), statuses: [400, 401, 413], without: ['"request_uri":'] }) // prettier-ignore
    const secret = { ...asked, client_id: 'attacks-push-secret' }
    unpushed('without the secret', secret)
    unpushed('with another secret', { ...secret, client_secret: 'guess' })
    unpushed('with Basic and another secret', secret, basic('attacks-push-secret', 'guess'))
    unpushed('with Basic of another client', { ...asked }, basic('attacks-push-secret', SECRET))
    unpushed('with two methods', { ...secret, client_secret: SECRET }, basic('attacks-push-secret', SECRET)) // prettier-ignore
    unpushed('of a public client with a secret', { ...asked, client_secret: SECRET })
    unpushed('of a client that signs, without an assertion', {
      ...asked,
      client_id: signer.clientId,
    })
    unpushed('of a client that signs, with a secret', { ...asked, client_id: signer.clientId, client_secret: SECRET }) // prettier-ignore
    unpushed('with the assertion of another', { ...asked, ...asserting(await signer.sign()) })
    unpushed('without a client', { ...asked, client_id: null })
    for (const inside of [
      { request_uri: good }, { request_uri: '' , request: jar }, { request: jar }, { request: 'x' }, { redirect_uri: null }, { redirect_uri: `https://${FOREIGN}/` }, { redirect_uri: 'http://127.0.0.1:7777/callback/../x' },
      { redirect_uri: 'javascript:alert(1)' }, { response_type: 'token' }, { response_type: null }, { code_challenge: null }, { code_challenge_method: 'plain' }, { code_challenge_method: null }, { code_challenge: 'x' },
      { scope: 'courses:read' }, { scope: 'till' }, { scope: '*' }, { resource: service.origin.kiln }, { resource: `https://${FOREIGN}` }, { prompt: 'none login' }, { max_age: '-1' },
      { dpop_jkt: 'x' }, { client_id: [CLIENT, CLIENT] }, { state: ['a', 'b'] }, { scope: ['openid', 'account:read'] }, { state: 'x'.repeat(70_000) },
    ] as readonly Fields[])
      unpushed(`with ${JSON.stringify(inside).slice(0, 70)}`, { ...asked, ...inside }) // prettier-ignore
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD'])
      attacks.push({ name: `${method} ${PUSH}`, request: { method, path: `${PUSH}?${encode(asked).toString()}` }, statuses: [405], without: ['"request_uri":'] }) // prettier-ignore

    // What is beside a reference changes nothing. Each uses up one.
    const { cookie } = await service.signIn('mem_l05')
    for (const beside of BESIDE)
      for (const headers of [{}, { cookie }])
        attacks.push({
          name: `beside a reference, ${JSON.stringify(beside).slice(0, 70)}, ${'cookie' in headers ? 'signed in' : 'signed out'}`,
          times: 2,
          async run(inner) {
            const answer = await inner.send(present(await push({ state: 'pushed' }), beside, headers))
            if (answer.status === 400) return []
            return isBegun(answer) ? [] : [`${answer.status} to ${String(answer.headers['location'])}`]
          },
        }) // prettier-ignore
    for (let turn = 0; turn < 6; turn++) attacks.push(...twice(turn, { push, present }))
    // A page of anyone pushes in the browsers of a campus, from another origin each time.
    attacks.push(
      flood('pushes by a page', 700, (index) => form(PUSH, asked, scriptOf(index)), async (inner) => {
        const headers = { 'x-forwarded-for': CAMPUS }
        const pushed = await inner.send(form(PUSH, asked, headers))
        const begun = await inner.send({ path: authorizePath(origin), headers: { ...headers, ...LINK } })
        return [
          ...(pushed.status === 201 ? [] : [`a push of the campus: ${pushed.status}`]),
          ...(isBegun(begun) ? [] : [`a sign-in of the campus: ${begun.status}`]),
        ]
      }),
    ) // prettier-ignore
    attacks.push(expired({ push, present }))
    const requests = [
      form(PUSH, asked),
      form(PUSH, { ...secret, client_secret: SECRET }),
      form(PUSH, { ...asked, client_id: 'attacks-must-push' }),
      form(PUSH, { ...asked, client_id: signer.clientId, ...asserting(await signer.sign()) }),
    ]
    const controls = requests.map((request, index): Attack => ({ name: `push ${index}`, request, statuses: [201] })) // prettier-ignore
    controls.push({ name: 'the reference', request: present(good), statuses: [303], fault: (answer) => (isBegun(answer) ? null : 'it has not begun') }) // prettier-ignore
    return {
      attacks,
      controls,
      // The assertion of the control.
      changes: { hallpass_use: 1, hallpass_client: 0 },
      async after(inner) {
        canary.close()
        const led = reached === 0 ? [] : [`the server was led to a port of this computer ${reached} times`] // prettier-ignore
        return [...led, ...(await storedForeign(inner))]
      },
    }
  },
}

interface Means {
  readonly push: (changes?: Fields) => Promise<string>
  readonly present: (uri: string, more?: Fields, headers?: object) => Attack['request']
}

/** One reference in the hands of two browsers: one after the other, and both at the same time. */
const twice = (turn: number, { push, present }: Means): readonly Exchange[] => [
  {
    name: `a reference in a second browser, ${turn}`,
    times: 3,
    async run(service) {
      const uri = await push()
      const first = await service.send(present(uri))
      if (!isBegun(first)) return [`the first browser: ${first.status}`]
      const place = first.headers['location']
      const second = await service.send(present(uri))
      const again = await service.send(present(uri, {}, { cookie: cookieOf(first) }))
      return [
        ...(second.status === 400 ? [] : [`the second browser: ${second.status}`]),
        // The browser that began may load the address again, and finds the same page.
        ...(again.headers['location'] === place ? [] : [`the first one again: ${again.status}`]),
      ]
    },
  },
  {
    name: `a reference in eight browsers, ${turn}`,
    times: 8,
    async run(service) {
      const uri = await push()
      const answers = await Promise.all(Array.from({ length: 8 }, () => service.send(present(uri))))
      const begun = answers.filter(isBegun).length
      return begun === 1 ? [] : [`${begun} of 8 browsers began`]
    },
  },
]

/** A reference after its end, in the clock of the service: its row is made to end a second ago. */
const expired = ({ push, present }: Means): Exchange => ({
  name: 'a reference that has ended',
  times: 4,
  async run(service) {
    const faults: string[] = []
    for (const ago of [0, 1, 60, 600]) {
      const uri = await push({ state: `ends-${ago}` })
      // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
      const end = Math.floor(Date.now() / 1000) - ago
      const { rows } = await service.execute(
        `update hallpass_pending set record = (record::jsonb || jsonb_build_object('expiresAt', $1::bigint))::text
         where record::jsonb ->> 'state' = $2 returning 1`,
        [end, `ends-${ago}`],
      )
      if (rows.length !== 1) faults.push(`${rows.length} requests wait`)
      const answer = await service.send(present(uri))
      if (answer.status !== 400) faults.push(`after ${ago} seconds: ${answer.status}`)
    }
    return faults
  },
})

/** Tells which requests were stored with something that was only beside a reference. */
async function storedForeign({ execute }: Service): Promise<readonly string[]> {
  const { rows } = await execute(
    `select record as request from hallpass_pending where record::jsonb ->> 'clientId' = $1`,
    [CLIENT],
  )
  const requests = (rows as { request: string }[]).map(({ request }) => request)
  const marks = [FOREIGN, 'account:write', 'courses:write', 'A'.repeat(43), '"xx"']
  return [
    ...(requests.length > 0 ? [] : ['no request was stored']),
    ...requests
      .filter((request) => marks.some((mark) => request.includes(mark)))
      .map((request) => `a request has what was not pushed: ${request.slice(0, 300)}`),
  ]
}
