import type { Fault } from '../broken-server.js'
import { answers, type Broken, headers, json } from '../faults.js'

const REGISTER = '/api/oauth/register'
const RIGHT = ['http://127.0.0.1:47317/callback']
type Metadata = Record<string, unknown>

/** Changes what a client registers, before the server reads it, and then what it is answered. */
const registering = (
  before: (metadata: Metadata) => Metadata | Response,
  after: (answer: Metadata, metadata: Metadata) => Metadata = (answer) => answer,
): Required<Pick<Fault, 'wrap'>> => ({
  wrap: (next) => async (request) => {
    const text = new URL(request.url).pathname === REGISTER ? await request.clone().text() : ''
    if (!/^\{.*\}$/s.test(text)) return next(request)
    const metadata = JSON.parse(text) as Metadata
    const changed = before(metadata)
    if (changed instanceof Response) return changed
    const answer = await next(new Request(request.url, { method: 'POST', headers: request.headers, body: JSON.stringify(changed) }))
    if (answer.status !== 201) return answer
    return Response.json(after((await answer.json()) as Metadata, metadata), { status: 201 })
  },
}) // prettier-ignore

/** Redirect URIs that the server registers by itself. */
const isRight = (uri: unknown): boolean => [RIGHT[0], `${RIGHT[0]}/second`].includes(String(uri))

/** Registers redirect URIs that the server would refuse, if they are such as these. */
const accepting = (isAccepted: (uri: string) => boolean): Required<Pick<Fault, 'wrap'>> => {
  const isTaken = ({ redirect_uris: uris }: Metadata): boolean =>
    Array.isArray(uris) && !uris.every(isRight) && uris.every((uri) => typeof uri === 'string' && isAccepted(uri)) // prettier-ignore
  return registering(
    (metadata) => (isTaken(metadata) ? { ...metadata, redirect_uris: RIGHT } : metadata),
    (answer, metadata) => isTaken(metadata) ? { ...answer, redirect_uris: metadata['redirect_uris'] } : answer,
  )
} // prettier-ignore

const isSeveral = ({ redirect_uris: uris }: Metadata): boolean =>
  Array.isArray(uris) && uris.length > 1

/** Gives each client the next number as its identifier. */
function counted(): Fault {
  let count = 40
  return json(REGISTER, (client) => ({ ...client, client_id: `client-${(count += 1)}` }), 201)
}

export const registration: readonly Broken[] = [
  {
    name: 'nothing but registration with a token',
    fault: answers(REGISTER, () => Response.json({ error: 'access_denied' }, { status: 403 })),
    violates: [],
  },
  {
    name: 'nothing but one error for all metadata',
    fault: json(REGISTER, (body) => ({ ...body, error: 'invalid_client_metadata' }), 400),
    violates: [],
  },
  {
    name: 'a registration is answered by 200',
    fault: answers(REGISTER, (answer) =>
      answer.status === 201 ? new Response(answer.body, { headers: answer.headers }) : answer,
    ),
    violates: ['registration/created'],
  },
  {
    name: 'a registration is answered as text',
    fault: headers(REGISTER, (all) => all.set('content-type', 'text/plain')),
    violates: ['registration/created'],
  },
  {
    name: 'a registration is answered by the client_id only',
    fault: json(REGISTER, ({ client_id, client_secret, client_secret_expires_at }) => ({ client_id, client_secret, client_secret_expires_at }), 201),
    violates: ['registration/metadata-returned'],
  },
  {
    name: 'every client gets a secret',
    fault: json(REGISTER, (client) => ({ client_secret: 's'.repeat(43), client_secret_expires_at: 0, ...client }), 201),
    violates: ['registration/public-without-secret'],
  },
  {
    name: 'a secret comes without its expiry',
    fault: json(REGISTER, (client) => ({ ...client, client_secret_expires_at: undefined }), 201),
    violates: ['registration/secret-expiry'],
  },
  {
    name: 'a secret expires at a time in milliseconds',
    fault: json(REGISTER, (client) => 'client_secret' in client ? { ...client, client_secret_expires_at: 1_795_165_200_000 } : client, 201),
    violates: ['registration/secret-expiry'],
  },
  {
    name: 'a secret has eight characters',
    fault: json(REGISTER, (client) => 'client_secret' in client ? { ...client, client_secret: String(client['client_secret']).slice(-8) } : client, 201),
    violates: ['registration/unguessable-secret'],
  },
  {
    name: 'every client that registers is the same one',
    fault: json(REGISTER, (client) => ({ ...client, client_id: 'registered' }), 201),
    violates: ['registration/distinct'],
  },
  {
    name: 'the body of a registration is copied over the client',
    fault: registering((metadata) => metadata, (client, metadata) => ({ ...client, ...metadata })),
    violates: ['registration/client-id-assigned', 'registration/reflected'],
  },
  {
    name: 'a registration is answered with the unknown members that were sent',
    fault: registering((metadata) => metadata, (client, { hallpass_audit_unknown }) => ({ ...client, hallpass_audit_unknown })),
    violates: ['registration/reflected'],
  },
  {
    name: 'a registration is answered with the grant types that were sent',
    fault: registering(
      (metadata) => ({ ...metadata, ...('grant_types' in metadata && { grant_types: ['authorization_code', 'refresh_token'] }) }),
      (client, { grant_types = client['grant_types'] }) => ({ ...client, grant_types }),
    ),
    violates: ['registration/reflected'],
  },
  {
    name: 'the first of several redirect URIs is registered',
    fault: registering(
      (metadata) => ({ ...metadata, ...(isSeveral(metadata) && { redirect_uris: RIGHT }) }),
      (client, metadata) => ({ ...client, ...(isSeveral(metadata) && { redirect_uris: metadata['redirect_uris'] }) }),
    ),
    violates: ['registration/uris-registered'],
  },
  {
    name: 'clients are counted',
    fault: counted(),
    violates: ['registration/not-counted'],
  },
  {
    name: 'a registration with an unknown member is refused',
    fault: registering((metadata) => 'hallpass_audit_unknown' in metadata
      ? Response.json({ error: 'invalid_client_metadata' }, { status: 400 })
      : metadata),
    violates: ['registration/unknown-members'],
  },
  {
    name: 'apps on this computer have one port',
    fault: registering((metadata) => String(metadata['redirect_uris']).includes('127.0.0.1:61023')
      ? Response.json({ error: 'invalid_redirect_uri' }, { status: 400 })
      : metadata),
    violates: ['registration/loopback'],
  },
  {
    name: 'a client needs no redirect URIs',
    fault: registering(
      ({ redirect_uris: uris, ...metadata }) => ({ ...metadata, redirect_uris: Array.isArray(uris) && uris.length > 0 ? uris : RIGHT }),
      (client, { redirect_uris: uris }) => ({ ...client, redirect_uris: uris ?? [] }),
    ),
    violates: ['registration/redirect-uris-required'],
  },
  {
    name: 'a redirect URI may have a fragment',
    fault: accepting((uri) => uri.includes('#')),
    violates: ['registration/fragment'],
  },
  {
    name: 'a redirect URI is whatever URL can parse',
    fault: accepting((uri) => URL.canParse(uri) && !uri.includes('#')),
    violates: ['registration/script-scheme', 'registration/http'],
    whole: true,
  },
  {
    name: 'the scheme javascript is refused in lower case only',
    fault: accepting((uri) => /^javascript:/i.test(uri) && !uri.startsWith('javascript:')),
    violates: ['registration/script-scheme'],
  },
  {
    name: 'this computer is whatever begins like it',
    fault: accepting((uri) => /^http:\/\/(?:127\.0\.0\.1|localhost)/.test(uri) && !uri.includes('#')),
    violates: ['registration/http'],
  },
  {
    name: 'a refused registration is answered by 422 and another error',
    fault: answers(REGISTER, async (answer) =>
      answer.status === 400
        ? Response.json({ statusCode: 422, message: 'Validation failed' }, { status: 422 })
        : answer,
    ),
    violates: ['registration/error'],
  },
  {
    name: 'metadata is used before it is validated',
    fault: registering(({ redirect_uris: uris, ...metadata }) =>
      typeof uris === 'string' || (Array.isArray(uris) && uris.some((uri) => typeof uri !== 'string'))
        ? new Response('Internal Server Error', { status: 500 })
        : { ...metadata, redirect_uris: uris },
    ),
    violates: ['registration/malformed-metadata'],
  },
  {
    name: 'a body that is no JSON is an exception',
    fault: answers(REGISTER, async (answer, request) =>
      /^\{.*\}$/s.test(await request.text()) ? answer : new Response('Internal Server Error', { status: 500 }),
    ),
    violates: ['registration/malformed-metadata'],
  },
  {
    name: 'grant types and response types are stored as they come',
    fault: registering(
      (metadata) => ({ ...metadata, response_types: ['code'] }),
      (client, { grant_types, response_types }) => ({ ...client, grant_types, response_types }),
    ),
    violates: ['registration/inconsistent-types', 'registration/reflected'],
  },
] // prettier-ignore
