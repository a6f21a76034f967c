import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { Execute } from 'hallpass/postgres'
import { createPostgresStore } from 'hallpass/postgres'
import { schoolScopes } from 'hallpass/scope'
import type { Store } from 'hallpass/store'
import { hashToken, newToken } from 'hallpass/token'
import { sha256Base64url } from '../../../src/encoding/hash.js'
import { openDatabase } from '../../../examples/school/demo.js'
import { demo } from '../databases/templates.js'
import { startExpressExample, startNextExample } from '../processes/example.js'
import { startPostgres } from '../databases/test-database.js'
import { serveIdentityProvider, type ServedProvider } from '../school/served-provider.js'
import type { Target } from './run.js'
import { watchTables } from './tables.js'
import { type Answer, send, type Sent } from './wire.js'

export type SiteName = 'lantern' | 'kiln'
export type Framework = 'Express' | 'Next.js'

/** The redirect URI of the demo's member apps. */
export const CALLBACK = 'http://127.0.0.1:7777/callback'
export const VERIFIER = 'a-verifier-of-forty-three-characters-or-more'
export const PASSWORD = 'hallpass-demo'

/** What a token is minted for. The owner of Lantern Street with the app of the staff, unless told otherwise. */
export interface Grant {
  readonly site?: SiteName
  readonly clientId?: string
  readonly subject?: string
  readonly scopes?: readonly string[]
  /** Path of the resource below the origin. Default: none, the site itself. */
  readonly resource?: string
  readonly expired?: boolean
  readonly revoked?: boolean
  /** The thumbprint of the key to which it is bound. Default: none. */
  readonly boundTo?: string
}

/** A browser in which somebody is signed in, or nobody. */
export interface Session {
  readonly cookie: string
  /** What its forms send as `csrf_token`. */
  readonly csrfToken: string
}

/** A whole service that runs, with both schools, and its rows. */
export interface Service {
  /** What {@link Target} says. */
  readonly watch: Target['watch']
  readonly framework: Framework
  readonly port: Readonly<Record<SiteName, number>>
  readonly origin: Readonly<Record<SiteName, string>>
  /** The provider that the block `id-jag` trusts, if it is switched on. */
  readonly identityProvider: ServedProvider | null
  readonly execute: Execute
  readonly store: Readonly<Record<SiteName, Store>>
  /** Everything that it printed so far. */
  readonly output: () => string
  /** Sends a request from an address that no other request has, so that no limit ends it. */
  readonly send: (request: Sent, site?: SiteName) => Promise<Answer>
  /** Stores a grant as a code exchange does. */
  readonly mint: (grant?: Grant) => Promise<{
    readonly accessToken: string
    readonly refreshToken: string
    readonly grantId: string
  }>
  /** Stores a code that {@link VERIFIER} redeems, for {@link CALLBACK} and `study-buddy` unless told otherwise. */
  readonly mintCode: (grant?: Grant & { readonly redirectUri?: string }) => Promise<string>
  /** Signs somebody in, without the form. */
  readonly signIn: (subject: string | null, site?: SiteName) => Promise<Session>
  /** Secrets that no response may contain. */
  readonly secrets: Set<string>
  readonly stop: () => Promise<void>
}

const SITE_ID: Readonly<Record<SiteName, string>> = { lantern: 'site_lantern', kiln: 'site_kiln' }

/** The scopes of staff and of members. */
export const STAFF_SCOPES: readonly string[] = schoolScopes.names.filter(
  (name) => !name.startsWith('account:'),
)
export const MEMBER_SCOPES: readonly string[] = ['openid', 'profile', 'account:read']

/** A database that may be slow: what a page does with one is not the subject. The driver prefers the URL's limits. */
function patient(database: string): string {
  const url = new URL(database)
  for (const limit of ['query_timeout', 'statement_timeout', 'lock_timeout'])
    url.searchParams.set(limit, '60000')
  return url.href
}

/** Starts the example on a framework, with its limits on and with a database of its own. */
export async function startService(framework: Framework, blocks = ''): Promise<Service> {
  const database = await startPostgres(demo)
  const url = patient(database.url)
  const start = framework === 'Express' ? startExpressExample : startNextExample
  const identityProvider = blocks.includes('id-jag') ? await serveIdentityProvider() : null
  const example = await start({
    environment: {
      DATABASE_URL: url,
      // Each request names its address, as behind a proxy.
      HALLPASS_TRUST_PROXY: '1',
      HALLPASS_RATE_LIMITS: 'on',
      SCHOOL_BLOCKS: blocks,
      ...(identityProvider !== null && {
        SCHOOL_IDENTITY_PROVIDER: `${identityProvider.issuer} ${identityProvider.issuer}/jwks`,
      }),
    },
  })
  const { execute, close } = await openDatabase({ url, folder: null, connections: 2 })
  const origin = { lantern: example.origin, kiln: example.kiln }
  const port = {
    lantern: Number(new URL(origin.lantern).port),
    kiln: Number(new URL(origin.kiln).port),
  }
  const store = {
    lantern: createPostgresStore({ execute, site: SITE_ID.lantern }),
    kiln: createPostgresStore({ execute, site: SITE_ID.kiln }),
  }
  const secrets = new Set([database.url, PASSWORD, 'portfolio-hub-demo-secret'])
  let addresses = 0
  const nextAddress = (): string => {
    addresses += 1
    return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
  }

  async function keepCode(
    kind: 'code' | 'seed',
    { site = 'lantern', redirectUri = CALLBACK, ...grant }: Grant & { redirectUri?: string },
  ) {
    const { clientId, subject, scopes, resource = '', boundTo } = withDefaults(grant, site)
    const code = newToken('code', randomBytes)
    const grantId = `grant_${randomBytes(16).toString('base64url')}`
    // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
    const now = Math.floor(Date.now() / 1000)
    const common = { clientId, subject, scopes, resource: origin[site] + resource, redirectUri }
    const codeHash = hashToken(code)
    await store[site].issueCode({
      pendingIdHash: null,
      consentKey: null,
      code: {
        ...common,
        codeHash,
        grantId,
        resourceSent: true,
        codeChallenge: sha256Base64url(VERIFIER),
        nonce: null,
        grantEndsAt: null,
        authTime: now,
        issuedAt: now,
        expiresAt: now + 600,
        redeemedAt: null,
        ...(boundTo !== undefined && { boundTo }),
      },
    })
    if (kind === 'code') secrets.add(code)
    return { code, codeHash, grantId, common, now }
  }

  const service: Service = {
    framework,
    port,
    origin,
    identityProvider,
    execute,
    store,
    output: example.output,
    secrets,
    watch: (options) => watchTables({ execute }, options),
    send: ({ headers = {}, ...request }, site = 'lantern') =>
      send(port[site], {
        ...request,
        headers: {
          host: new URL(origin[site]).host,
          'x-forwarded-for': nextAddress(),
          ...(headers as Record<string, string | string[]>),
        },
      }),
    async mint(grant = {}) {
      const { site = 'lantern', expired = false, revoked = false, boundTo } = grant
      const bound = boundTo === undefined ? {} : { boundTo }
      const { codeHash, grantId, common, now } = await keepCode('seed', grant)
      const accessToken = newToken('accessToken', randomBytes)
      const refreshToken = newToken('refreshToken', randomBytes)
      await store[site].redeemCode({
        codeHash,
        redeemedAt: now,
        grant: { ...common, grantId, createdAt: now, expiresAt: now + 86_400, revokedAt: null, revokedReason: null, ...bound }, // prettier-ignore
        accessToken: {
          tokenHash: hashToken(accessToken),
          grantId,
          scopes: common.scopes,
          issuedAt: now,
          expiresAt: expired ? now - 86_400 : now + 3600,
          revokedAt: null,
          ...bound,
        },
        refreshToken: {
          tokenHash: hashToken(refreshToken),
          grantId,
          issuedAt: now,
          expiresAt: now + 86_400,
          rotation: null,
        },
      })
      if (revoked)
        await store[site].revokeGrant({ grantId, revokedAt: now, revokedReason: 'disconnected' })
      secrets.add(accessToken).add(refreshToken)
      return { accessToken, refreshToken, grantId }
    },
    async mintCode(grant = {}) {
      const { code } = await keepCode('code', {
        clientId: 'study-buddy',
        subject: 'mem_l05',
        scopes: MEMBER_SCOPES,
        ...grant,
      })
      return code
    },
    async signIn(subject, site = 'lantern') {
      const id = randomBytes(32).toString('base64url')
      // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
      const now = Math.floor(Date.now() / 1000)
      if (subject !== null)
        await execute('insert into school_session values ($1, $2, $3, $4, $5)', [
          SITE_ID[site],
          createHash('sha256').update(id).digest('base64url'),
          subject,
          now,
          now + 43_200,
        ])
      secrets.add(id)
      return {
        cookie: `school_${SITE_ID[site]}=${id}`,
        // Each form has one of its own, as each page has.
        get csrfToken() {
          const nonce = randomBytes(16).toString('base64url')
          return `${nonce}.${createHmac('sha256', id).update(`form ${nonce}`).digest('base64url')}`
        },
      }
    },
    async stop() {
      identityProvider?.close()
      await close()
      await example.stop(framework === 'Express' ? 'SIGINT' : 'SIGTERM')
      await database.stop()
    },
  }
  return service
}

function withDefaults(
  grant: Grant,
  site: SiteName,
): Required<Pick<Grant, 'clientId' | 'subject' | 'scopes'>> & Grant {
  // prettier-ignore
  return {
    clientId: site === 'lantern' ? 'desk-cli' : 'api-reference',
    subject: site === 'lantern' ? 'mem_l01' : 'mem_k01',
    scopes: STAFF_SCOPES,
    ...grant,
  }
}

export const bearer = (token: string): { readonly authorization: string } => ({
  authorization: `Bearer ${token}`,
})

/** Headers of a request with JSON. */
export const JSON_HEADERS = { 'content-type': 'application/json' } as const
export const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' } as const

/** A supply of the staff's tokens: each is handed out often enough to stay below the limit of its grant. */
export async function tokenSupply(
  service: Service,
  requests: number,
  grant: Grant = {},
): Promise<() => string> {
  const perGrant = 80
  const tokens: string[] = []
  for (let index = 0; index <= requests / perGrant; index++)
    tokens.push((await service.mint(grant)).accessToken)
  let used = 0
  return () => {
    const token = tokens[Math.floor(used++ / perGrant)]
    if (token === undefined) throw new Error(`more than ${requests} requests were sent`)
    return token
  }
}
