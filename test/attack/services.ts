import fc from 'fast-check'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { addClient, addSigner, asserting, basic, SECRET, withSecret } from '../support/attack/block-clients.js' // prettier-ignore
import { operationsOf, pathOf } from '../support/attack/operations.js'
import { form } from '../support/attack/requests.js'
import {
  type Attack,
  type AttackClass,
  type Exchange,
  pairs,
  sampled,
} from '../support/attack/run.js'
import { bearer, JSON_HEADERS, type Service, STAFF_SCOPES, tokenSupply } from '../support/attack/service.js' // prettier-ignore
import type { Answer, Sent } from '../support/attack/wire.js'
import type { Fields } from '../support/school/flow.js'

const TOKEN = '/api/oauth/token'
/** The list that a manager gave the service. Its role, `assistant`, has no `orders:read`. */
const LIST = ['courses:read', 'events:write', 'orders:read'] as const
const ROLE = 'assistant'
const GIVEN: readonly string[] = LIST.filter((one) =>
  (schoolRoles[ROLE]!.scopes as readonly string[]).includes(one),
)

/** Stores that a client is a service, as a manager does. */
const addService = ({ execute }: Service, clientId: string, { role = ROLE, site = 'site_lantern', ended = false } = {}) =>
  execute('insert into school_service values ($1, $2, $3, $4, $5)', [
    site, clientId, `srv_${clientId}`, role, ended ? 1 : null,
  ]) // prettier-ignore

/** A token of a service is none of a person, has no more than it was given, and no refresh token. */
function faultOfToken({ status, text }: Answer): string | null {
  if (status !== 200) return null
  const { scope = '', ...rest } = JSON.parse(text) as Record<string, string>
  if ('refresh_token' in rest || 'id_token' in rest) return 'it is more than an access token'
  const beyond = scope.split(' ').filter((one) => !GIVEN.includes(one))
  return beyond.length === 0 && scope !== '' ? null : `it has ${beyond.join(' ')}`
}

/** A request of `/api/v1` to which no service may do anything, because it names nothing. */
const useOf = (path: string, method: string, token: string, hasBody: boolean): Sent => ({
  method,
  path,
  headers: { ...bearer(token), ...(hasBody && JSON_HEADERS) },
  ...(hasBody && { body: '{}' }),
})

/** Clients that are no service, by why. Each knows its own secret, if it has one. */
async function addOthers(service: Service): Promise<readonly string[]> {
  const vendor = { kind: 'vendor', scopes: [...LIST], ...withSecret() } as const
  const kinds = {
    'attacks-nobody': vendor,
    'attacks-ended': vendor,
    'attacks-roleless': vendor,
    'attacks-student': vendor,
    'attacks-of-kiln': vendor,
    'attacks-unlimited': { ...vendor, scopes: null },
    'attacks-empty': { ...vendor, scopes: [] },
    'attacks-disabled': { ...vendor, disabled: true },
    'attacks-over': { ...vendor, endsAt: 1_700_000_000 },
    'attacks-member-service': withSecret(),
    'attacks-public': { ...vendor, tokenEndpointAuthMethod: 'none', secrets: [] },
    'attacks-loopback': { kind: 'loopback', redirectUris: ['http://127.0.0.1/callback'], tokenEndpointAuthMethod: 'none' },
  } as const // prettier-ignore
  for (const [clientId, fields] of Object.entries(kinds))
    await addClient(service, { clientId, ...fields })
  for (const clientId of [
    'attacks-unlimited',
    'attacks-empty',
    'attacks-disabled',
    'attacks-over',
    'attacks-member-service',
    'attacks-public',
    'attacks-loopback',
    'https://notes.example/client.json',
    'https://desk.example/client.json',
    'study-buddy',
    'portfolio-hub',
    'desk-cli',
    'acme-agents',
  ])
    // prettier-ignore
    await addService(service, clientId)
  await addService(service, 'attacks-ended', { ended: true })
  await addService(service, 'attacks-roleless', { role: 'emperor' })
  await addService(service, 'attacks-student', { role: 'student' })
  await addService(service, 'attacks-of-kiln', { site: 'site_kiln' })
  return [...Object.keys(kinds), 'https://notes.example/client.json', 'https://desk.example/client.json', 'study-buddy', 'portfolio-hub', 'desk-cli', 'acme-agents', 'nobody'] // prettier-ignore
}

/** A service whose token is out is ended: the token opens nothing any more, and there is no other one. */
const ending: Exchange = {
  name: 'a service that is ended',
  times: 12,
  async run(service) {
    const asks = form(TOKEN, { grant_type: 'client_credentials', client_id: 'attacks-ending', client_secret: SECRET }) // prettier-ignore
    const { access_token: token } = JSON.parse((await service.send(asks)).text) as Record<string, string> // prettier-ignore
    service.secrets.add(token!)
    const opens = async (): Promise<readonly number[]> => {
      const uses = ['/api/v1/courses', '/api/v1/events', '/api/oauth/userinfo'].map((path) => ({ path, headers: bearer(token!) })) // prettier-ignore
      const mcp = { path: '/mcp', headers: { ...bearer(token!), ...JSON_HEADERS, accept: 'application/json, text/event-stream' }, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' } // prettier-ignore
      const account = { path: '/account/graphql', headers: { ...bearer(token!), ...JSON_HEADERS }, body: '{"query":"{ viewer { id } }"}' } // prettier-ignore
      const answers = await Promise.all([...uses, mcp, account].map((one) => service.send(one)))
      return answers.map(({ status }) => status)
    }
    const isActive = async (): Promise<boolean> => {
      const introspection = form('/api/oauth/introspect', { token: token!, client_id: 'attacks-ending', client_secret: SECRET }) // prettier-ignore
      return (await service.send(introspection)).text.includes('"active":true')
    }
    const faults: string[] = []
    const [courses, events, userinfo, mcp, account] = await opens()
    if (courses !== 200 || mcp !== 200) faults.push(`before: ${courses} and ${mcp}`)
    if (events === 200) faults.push('it reads events that its list has not')
    if (userinfo === 200 || account === 200) faults.push('it is taken for a person')
    if (!(await isActive())) faults.push('it is inactive before')
    await service.execute(
      `update school_service set ended_at = 1 where client_id = 'attacks-ending'`,
      [],
    )
    const after = await opens()
    if (after.some((status) => status === 200)) faults.push(`after: ${after.join()}`)
    if (await isActive()) faults.push('it is active after')
    const again = await service.send(asks)
    if (again.status !== 400) faults.push(`another token: ${again.status} ${again.text}`)
    return faults
  },
}

/** Only a service gets a token without a person, for what a manager has given it, until it is ended. */
export const services: AttackClass = {
  name: 'services',
  least: 750,
  async build(service) {
    const worker = 'attacks-worker'
    const vendor = { kind: 'vendor', scopes: [...LIST], ...withSecret() } as const
    await addClient(service, { clientId: worker, ...vendor })
    await addClient(service, { clientId: 'attacks-ending', ...vendor })
    const signer = await addSigner(service, { clientId: 'attacks-signing-service', kind: 'vendor', scopes: [...LIST] }) // prettier-ignore
    for (const clientId of [worker, 'attacks-ending', signer.clientId]) await addService(service, clientId) // prettier-ignore
    const others = await addOthers(service)
    const registration = JSON.stringify({ client_name: 'Robot', redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'client_secret_post', grant_types: ['client_credentials'], scope: LIST.join(' ') }) // prettier-ignore
    const registered = await service.send({ path: '/api/oauth/register', headers: JSON_HEADERS, body: registration }) // prettier-ignore

    const attacks: (Attack | Exchange)[] = [ending]
    const grant = { grant_type: 'client_credentials' }
    const add = (name: string, fields: Fields, headers: Readonly<Record<string, string>> = {}): void =>
      void attacks.push({
        name,
        request: form(TOKEN, { ...grant, ...fields }, headers),
        statuses: [400, 401],
        without: ['"access_token"'],
      }) // prettier-ignore
    const scopes = [null, '', 'courses:read', 'openid', 'account:read', 'openid courses:read', LIST.join(' '), STAFF_SCOPES.join(' ')] // prettier-ignore
    for (const [client_id, scope] of pairs(others, scopes))
      for (const client_secret of [null, SECRET])
        add(`${client_id} ${client_secret === null ? 'without' : 'with'} the secret for ${scope?.slice(0, 30)}`, { client_id, client_secret, scope }) // prettier-ignore
    if (registered.status === 201) {
      const { client_id, client_secret } = JSON.parse(registered.text) as Record<string, string>
      service.secrets.add(client_secret!)
      for (const scope of scopes)
        add(`a client that registered itself for ${scope?.slice(0, 30)}`, { client_id: client_id!, client_secret: client_secret!, scope }) // prettier-ignore
    } else if (registered.status !== 400) throw new Error(registered.text)

    // The service itself, by someone who is not it.
    for (const [name, fields, headers] of [
      ['without a secret', { client_id: worker }, {}],
      ['with another secret', { client_id: worker, client_secret: 'guess' }, {}],
      ['with the hash of its secret', { client_id: worker, client_secret: withSecret().secrets![0]!.hash }, {}],
      ['with Basic and another secret', {}, basic(worker, 'guess')],
      ['with Basic of another', { client_id: worker }, basic('attacks-nobody', SECRET)],
      ['with Basic and the secret', { client_secret: SECRET }, basic(worker, SECRET)],
      ['with the assertion of another', { client_id: worker, ...asserting(await signer.sign()) }, {}],
      ['with a secret and an assertion', { client_id: signer.clientId, client_secret: SECRET, ...asserting(await signer.sign()) }, {}],
      ['that signs, without an assertion', { client_id: signer.clientId }, {}],
      ['that signs, with a secret', { client_id: signer.clientId, client_secret: SECRET }, {}],
    ] as readonly (readonly [string, Fields, Record<string, string>])[])
      for (const scope of [null, 'courses:read']) add(`the service ${name}`, { ...fields, scope }, headers) // prettier-ignore

    // The service asks for what it was not given.
    const own = { client_id: worker, client_secret: SECRET }
    const kiln = service.origin.kiln
    for (const resource of [kiln, `${kiln}/mcp`, 'https://evil.test', '/', [service.origin.lantern, kiln]])
      add(`for the resource ${String(resource)}`, { ...own, resource }) // prettier-ignore
    for (const scope of [' ', '*', 'till', 'COURSES:READ', 'courses:read\0', 'courses:read\tevents:write', 'courses:read,events:write', 'courses', 'x'.repeat(3000), '"courses:read"', 'courses:read"'])
      add(`for the scope ${scope.slice(0, 30)}`, { ...own, scope }) // prettier-ignore
    for (const more of ['code', 'refresh_token', 'username', 'subject_token', 'assertion', 'device_code'])
      add(`twice ${more}`, { ...own, scope: 'courses:read', [more]: ['x', 'y'] }) // prettier-ignore
    const subsets = [
      ...schoolScopes.names.flatMap((one) => [[one], [one, ...GIVEN], [...GIVEN, one]]),
      ...sampled(fc.shuffledSubarray([...schoolScopes.names], { minLength: 1, maxLength: 6 }), 200),
    ]
    const beyond = subsets.filter((names) => names.some((one) => !GIVEN.includes(one)))
    for (const names of beyond)
      attacks.push({
        name: `for ${names.join(' ')}`,
        request: form(TOKEN, { ...grant, ...own, scope: names.join(' ') }),
        // What the site recommends to every client is left out in place of a refusal.
        statuses: names.some((one) => GIVEN.includes(one)) ? [200, 400] : [400],
        fault: faultOfToken,
      })

    // A token with more than the service was given opens no more than that.
    const operations = (await operationsOf(service)).filter(({ scope }) => !GIVEN.includes(scope))
    const token = await tokenSupply(service, operations.length, { clientId: worker, subject: `srv_${worker}`, scopes: STAFF_SCOPES }) // prettier-ignore
    for (const operation of operations)
      attacks.push({
        name: `the service uses ${operation.id}`,
        request: useOf(pathOf(operation, 'crs_l01'), operation.method, token(), operation.hasBody),
        statuses: [403],
        without: ['"data"', '"id":'],
      })
    const given = (name: string, fields: Fields, headers: Record<string, string> = {}): Attack => ({
      name,
      request: form(TOKEN, { ...grant, ...fields }, headers),
      statuses: [200],
      fault: faultOfToken,
    })
    return {
      attacks,
      controls: [
        given('the service asks for all', own),
        given('the service asks for one', { ...own, scope: 'courses:read' }),
        given('the service with Basic', { scope: GIVEN.join(' ') }, basic(worker, SECRET)),
        given('the service that signs', asserting(await signer.sign())),
        { name: 'the service reads', request: { path: '/api/v1/courses', headers: bearer(token()) }, statuses: [200] }, // prettier-ignore
      ],
      changes: {
        // The client and the service that are used and ended.
        hallpass_client: 0,
        school_service: 0,
        hallpass_use: 1,
        hallpass_code: 'any',
        hallpass_grant: 'any',
        hallpass_access_token: 'any',
        hallpass_refresh_token: 'any',
        hallpass_erasure: 'any',
      },
      after: grantsBeyond,
    }
  },
}

/** Tells which grants of a service that it got itself have more than it was given. */
async function grantsBeyond({ execute }: Service): Promise<readonly string[]> {
  const { rows } = await execute(
    `select to_jsonb(g)::text as grant from hallpass_grant g
     where client_id like 'attacks-%' and subject like 'srv\\_%' and record::jsonb ->> 'redirectUri' = ''`,
    [],
  )
  const grants = (rows as { grant: string }[]).map(({ grant }) => grant)
  const unexpected = grants.filter((grant) =>
    schoolScopes.names.some((one) => !GIVEN.includes(one) && grant.includes(`"${one}"`)),
  )
  return [
    ...(grants.length === 0 ? ['no grant was found'] : []),
    ...unexpected.map((grant) => `a grant has more: ${grant.slice(0, 300)}`),
  ]
}
