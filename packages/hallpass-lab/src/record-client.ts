import type { FetchDocument } from 'hallpass'
import { PATHS } from 'hallpass/authorization-server'
import { callback, checkOptions } from './options.js'
import type { RealClient, ScopeChoice } from './real-client.js'
import { publicMetadata, publicUri } from './public-values.js'

/**
 * Options of {@link recordClient}.
 *
 * @group Recordings
 */
export interface ClientRecorderOptions {
  /** The origin of the site, without a trailing slash, such as `http://127.0.0.1:3000`. */
  readonly issuer: string
  /** The name that the recorded client gets, such as `Zed`. */
  readonly name: string
  /** The clock, for `asOf`: returns the time in whole epoch seconds. Default: the clock of the system. */
  readonly now?: () => number
}

/**
 * Records what one client sends. Created by {@link recordClient}.
 *
 * @group Recordings
 */
export interface ClientRecorder {
  /** Wraps the handler of the site. Pass it the requests of one client and of the browser of its user. */
  readonly watch: (
    respond: (request: Request) => Response | Promise<Response>,
  ) => (request: Request) => Promise<Response>
  /** Wraps `documents.fetchDocument` of the site, to record the content of a client metadata document. */
  readonly watchDocuments: (fetchDocument: FetchDocument) => FetchDocument
  /** Returns what was recorded so far. The `notes` say what was not seen yet. */
  readonly client: () => RealClient
}

type Authorization = Omit<NonNullable<RealClient['authorize']>, 'scopes' | 'scopeSetting'>

const RULES = {
  issuer: (value: unknown) =>
    typeof value === 'string' && /^https?:\/\/[^/?#]+$/.test(value)
      ? null
      : 'must be an origin such as http://127.0.0.1:3000',
  name: (value: unknown) =>
    typeof value === 'string' && value.trim() !== '' ? null : 'must be a string such as "Zed"',
  now: callback('() => Math.floor(Date.now() / 1000)'),
}

/** The paths of the MCP endpoint, which metadata describe, `/mcp` first. */
const MCP = [
  PATHS.mcpResourceMetadata,
  PATHS.signedInResourceMetadata,
  PATHS.memberResourceMetadata,
].map((path) => path.slice(PATHS.protectedResourceMetadata.length))
const MAX_BODY_BYTES = 64 * 1024
const MAX_REGISTRATIONS = 20
/** The endpoints that a client calls itself. The others are for the browser of its user. */
const OWN_CALLS = new Set<string>([
  PATHS.protectedResourceMetadata,
  PATHS.mcpResourceMetadata,
  PATHS.signedInResourceMetadata,
  PATHS.memberResourceMetadata,
  PATHS.authorizationServerMetadata,
  PATHS.openidConfiguration,
  PATHS.register,
  PATHS.token,
  PATHS.revoke,
  PATHS.userinfo,
  ...MCP,
])
/** The fields of a token request that a recording may name. */
const TOKEN_FIELDS = new Set(
  'grant_type code code_verifier redirect_uri client_id resource scope refresh_token audience'.split(
    ' ',
  ),
)

/**
 * Records one sign-in of a client, and returns it as a {@link RealClient}: a fixture for `whoCanConnect` and for
 * your tests. Use it in development, with one client at a time.
 *
 * A recording contains names of form fields and values that are public: the registration, redirect URIs, the
 * document, and which scopes were requested. It never contains a code, verifier, token, secret, `state` or
 * cookie. Ports from 32768 on, which are usually random, become 50000.
 *
 * @throws OptionsError - if `issuer` or `name` is missing or malformed
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { createRouter } from 'hallpass/authorization-server'
 * import { recordClient } from 'hallpass-lab'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const recorder = recordClient({ issuer: 'https://school.example', name: 'Notes' })
 * const handle = recorder.watch(createRouter(server))
 * await handle(
 *   new Request('https://school.example/api/oauth/register', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify({ client_name: 'Notes', redirect_uris: ['http://127.0.0.1:52100/cb'] }),
 *   }),
 * )
 * recorder.client().registrations // => [{ client_name: 'Notes', redirect_uris: ['http://127.0.0.1:50000/cb'] }]
 * ```
 *
 * @group Recordings
 */
export function recordClient(options: ClientRecorderOptions): ClientRecorder {
  checkOptions('recordClient', options, RULES, ['issuer', 'name'])
  const { issuer, name, now = () => Math.floor(Date.now() / 1000) } = options
  const registrations = new Map<string, Readonly<Record<string, unknown>>>()
  const documents = new Map<string, Readonly<Record<string, unknown>>>()
  const discovered = new Set<string>()
  const remarks = new Set<string>()
  const choices = new Set<ScopeChoice>()
  const offered: { challenge: string; resource: string; server: string } = {
    challenge: '',
    resource: '',
    server: '',
  }
  let documentUrl: string | null = null
  let authorization: Authorization | null = null
  let exchange: readonly string[] | null = null
  let refresh: readonly string[] | null = null
  let needsCors = false
  let calledMcp = false

  const choiceOf = (scope: string): ScopeChoice => {
    const asked = scopeSet(scope)
    if (asked === '') return 'nothing'
    if (asked === offered.challenge || asked === offered.resource) return 'recommended'
    if (asked === offered.server) return 'everything'
    remarks.add('requests other scopes than the server recommends')
    return 'recommended'
  }

  function noteAuthorization({ searchParams }: URL): void {
    const clientId = searchParams.get('client_id') ?? ''
    if (clientId.startsWith('https://')) documentUrl = publicUri(clientId)
    const resource = searchParams.get('resource')
    const suffix = resource?.startsWith(issuer) === true ? resource.slice(issuer.length) : null
    const form = resourceForm(suffix)
    if (resource !== null && form === null) remarks.add('sends a resource that is not this site')
    choices.add(choiceOf(searchParams.get('scope') ?? ''))
    authorization = {
      redirectUri: publicUri(searchParams.get('redirect_uri') ?? ''),
      resource: form,
      state: searchParams.has('state'),
    }
  }

  function noteToken(body: string): void {
    const sent = new URLSearchParams(body)
    const names = [...new Set(sent.keys())].filter((field) => field !== 'client_secret')
    const fields = names.filter((field) => TOKEN_FIELDS.has(field))
    if (fields.length < names.length) remarks.add('sends further fields to the token endpoint')
    if (sent.get('grant_type') === 'authorization_code') exchange = fields
    if (sent.get('grant_type') === 'refresh_token') refresh = fields
  }

  function noteRegistration(body: string): void {
    const metadata = publicMetadata(parseJson(body))
    if (metadata !== null && registrations.size < MAX_REGISTRATIONS)
      registrations.set(JSON.stringify(metadata), metadata)
  }

  /** Reads the scopes that the server offers, from its metadata and challenges. */
  async function noteOffer(path: string, response: Response): Promise<void> {
    const [, scope] = / scope="([^"]*)"/.exec(response.headers.get('www-authenticate') ?? '') ?? []
    if (scope !== undefined) offered.challenge = scopeSet(scope)
    if (!path.startsWith('/.well-known/') || !response.ok) return
    discovered.add(path)
    const parsed = parseJson((await readText(response.clone())) ?? '')
    const scopes = (parsed as { scopes_supported?: unknown } | null)?.scopes_supported
    if (!Array.isArray(scopes)) return
    const isResource = path.startsWith(PATHS.protectedResourceMetadata)
    offered[isResource ? 'resource' : 'server'] = scopeSet(scopes.join(' '))
  }

  const watch: ClientRecorder['watch'] = (respond) => async (request) => {
    const url = new URL(request.url)
    const isForm = request.method === 'POST' && url.pathname === PATHS.token
    const isRegistration = request.method === 'POST' && url.pathname === PATHS.register
    const copy = isForm || isRegistration ? request.clone() : null
    const response = await respond(request)
    if (url.pathname === PATHS.authorize && request.method === 'GET') noteAuthorization(url)
    if (!OWN_CALLS.has(url.pathname)) return response
    const origin = request.headers.get('origin')
    if (origin !== null && origin !== issuer) needsCors = true
    if (MCP.includes(url.pathname) && response.ok && request.headers.has('authorization'))
      calledMcp = true
    const body = copy === null ? null : await readText(copy)
    if (body !== null && isForm) noteToken(body)
    if (body !== null && isRegistration) noteRegistration(body)
    await noteOffer(url.pathname, response)
    return response
  }

  const watchDocuments: ClientRecorder['watchDocuments'] =
    (fetchDocument) => async (url, asked) => {
      const response = await fetchDocument(url, asked)
      const body = response.ok ? await readText(response.clone()) : null
      const content = parseJson(body ?? '')
      if (isObject(content) && documents.size < MAX_REGISTRATIONS)
        documents.set(publicUri(url), content)
      return response
    }

  const missing = (): readonly string[] => [
    ...(authorization === null ? ['no authorization request was recorded'] : []),
    ...(exchange === null ? ['no exchange of a code was recorded'] : []),
    ...(refresh === null ? ['no refresh was recorded'] : []),
    ...(calledMcp ? [] : ['no call of /mcp with an access token was recorded']),
    ...(documentUrl === null || documents.has(documentUrl)
      ? []
      : ['its document was not fetched while it was recorded']),
  ]

  return {
    watch,
    watchDocuments,
    client: () => ({
      name,
      asOf: new Date(now() * 1000).toISOString().slice(0, 10),
      sources: [],
      registrations: [...registrations.values()],
      document:
        documentUrl === null
          ? null
          : {
              url: documentUrl,
              content: documents.get(documentUrl) ?? { client_id: documentUrl },
              usedWhen: { client_id_metadata_document_supported: true },
              caution: null,
            },
      authorize: authorization && { ...authorization, scopes: [...choices], scopeSetting: null },
      token: exchange && { exchange, refresh: refresh ?? [] },
      needsCors,
      notes: [`reads ${[...discovered].join(', ') || 'no metadata'}`, ...remarks, ...missing()],
    }),
  }
}

/** The form of a resource, by what follows the origin; `null` if it is not one of this site. */
function resourceForm(suffix: string | null): Authorization['resource'] {
  if (suffix === '' || suffix === '/') return suffix
  return MCP.includes(suffix?.split('?', 1)[0] ?? '') ? '/mcp' : null
}

/** The scopes of a list in one order, without `offline_access`, which clients add to it. */
const scopeSet = (scope: string): string =>
  [...new Set(scope.split(' '))]
    .filter((one) => one !== '' && one !== 'offline_access')
    .sort()
    .join(' ')

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

/** Reads a body; `null` if it is absent, broken, or larger than any that is recorded. */
async function readText({ body }: Request | Response): Promise<string | null> {
  if (body === null) return null
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text
      size += value.byteLength
      // Not awaited: of two copies of a body, the cancellation of one waits for that of the other.
      if (size > MAX_BODY_BYTES) {
        void reader.cancel()
        return null
      }
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    return null
  }
}
