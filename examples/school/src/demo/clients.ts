import { randomBytes } from 'node:crypto'
import { defineClient } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { demoDocumentClients } from './documents.js'
import { PLAYGROUND, PLAYGROUND_MEMBER_CLIENT } from './page-app.js'

const DAY = 86_400
const CALLBACK = 'http://127.0.0.1:7777/callback'

const member = { kind: 'member', redirectUris: [CALLBACK] } as const
const account = { read: ['account:read'], all: ['account:read', 'account:write'] }

/** The client of the page at `/account/graphiql`. */
const graphiql = (origin: string, now: number): Client =>
  defineClient({
    ...member,
    clientId: 'graphiql',
    name: 'GraphiQL',
    description: 'The page on which this school lets you try its Account API.',
    redirectUris: [`${origin}/account/graphiql`],
    scopes: account.all,
    createdAt: now,
  })

/** The client of the page at `/playground`, for an app of a member. */
const playground = (origin: string, now: number): Client =>
  defineClient({
    ...member,
    clientId: PLAYGROUND_MEMBER_CLIENT,
    name: 'Playground',
    description: 'The page on which this school lets you see how an app gets in.',
    redirectUris: [origin + PLAYGROUND.path],
    scopes: account.all,
    createdAt: now,
  })

function lanternClients(now: number): readonly Client[] {
  return [
    defineClient({
      ...member,
      clientId: 'study-buddy',
      name: 'Study Buddy',
      description: 'Reminds you of what to watch next.',
      icon: 'book',
      scopes: account.read,
      createdAt: now - 60 * DAY,
    }),
    defineClient({
      ...member,
      clientId: 'portfolio-hub',
      name: 'Portfolio Hub',
      description: 'Shows your finished courses next to your drawings.',
      icon: 'brush',
      tokenEndpointAuthMethod: 'client_secret_post',
      // Its secret was rotated yesterday. The previous one stays valid for two more days.
      secrets: [
        { hash: hashToken('portfolio-hub-demo-secret'), expiresAt: null },
        { hash: hashToken('portfolio-hub-old-demo-secret'), expiresAt: now + 2 * DAY },
      ],
      scopes: account.all,
      createdAt: now - 50 * DAY,
    }),
    defineClient({
      ...member,
      clientId: 'old-tracker',
      name: 'Old Tracker',
      scopes: account.read,
      disabled: true,
      createdAt: now - 200 * DAY,
    }),
    defineClient({
      clientId: 'desk-cli',
      kind: 'loopback',
      name: 'Desk CLI',
      redirectUris: ['http://127.0.0.1/callback'],
      createdAt: now - 20 * DAY,
    }),
    ...demoDocumentClients(now),
  ]
}

const kilnClients = (now: number): readonly Client[] => [
  defineClient({
    ...member,
    clientId: 'glaze-notes',
    name: 'Glaze Notes',
    description: 'Keeps your glaze recipes next to each lecture.',
    scopes: account.read,
    createdAt: now - 40 * DAY,
  }),
]

interface DemoGrant {
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  readonly days: number
  readonly revokedReason?: string
}

const LANTERN_GRANTS: readonly DemoGrant[] = [
  { clientId: 'study-buddy', subject: 'mem_l05', scopes: ['openid', ...account.read], days: 30 },
  { clientId: 'old-tracker', subject: 'mem_l05', scopes: account.read, days: 90 },
  { clientId: 'old-tracker', subject: 'mem_l07', scopes: account.read, days: 80 },
  {
    clientId: 'portfolio-hub',
    subject: 'mem_l05',
    scopes: account.all,
    days: 25,
    revokedReason: 'disconnected_by_person',
  },
  {
    clientId: 'desk-cli',
    subject: 'mem_l02',
    scopes: ['openid', 'profile', 'courses:read', 'courses:write'],
    days: 12,
  },
  // She granted it as a manager. She is a lecturer now, so orders:read has no effect.
  { clientId: 'desk-cli', subject: 'mem_l03', scopes: ['courses:read', 'orders:read'], days: 10 },
]

/** Inserts the clients of the demo and the connections of its people, if they are missing. */
export async function seedClients({
  site,
  origin,
  store,
  now,
}: {
  site: string
  origin: string
  store: Store
  now: () => number
}): Promise<void> {
  const isLantern = site === 'site_lantern'
  const own = isLantern ? lanternClients(now()) : kilnClients(now())
  const grants = isLantern ? LANTERN_GRANTS : []
  for (const client of [graphiql(origin, now()), playground(origin, now()), ...own]) {
    if ((await store.insertClient(client)) === 'exists') continue
    for (const grant of grants.filter(({ clientId }) => clientId === client.clientId))
      await seedGrant({ store, origin, grant, now: now() })
  }
}

/** Creates a grant as a code exchange does. No one has its tokens. */
async function seedGrant({
  store,
  origin,
  grant: { clientId, subject, scopes, days, revokedReason },
  now,
}: {
  store: Store
  origin: string
  grant: DemoGrant
  now: number
}): Promise<void> {
  const hash = (): string => hashToken(randomBytes(32).toString('base64url'))
  const grantId = `grant_${randomBytes(16).toString('base64url')}`
  const codeHash = hash()
  const createdAt = now - days * DAY
  const expiresAt = createdAt + 180 * DAY
  const common = { clientId, subject, scopes, resource: origin, redirectUri: CALLBACK }
  await store.issueCode({
    pendingIdHash: null,
    consentKey: null,
    code: {
      ...common,
      codeHash,
      grantId,
      resourceSent: true,
      codeChallenge: hash(),
      nonce: null,
      grantEndsAt: null,
      authTime: null,
      issuedAt: createdAt,
      expiresAt: createdAt + 60,
      redeemedAt: null,
    },
  })
  await store.redeemCode({
    codeHash,
    redeemedAt: createdAt,
    grant: { ...common, grantId, createdAt, expiresAt, revokedAt: null, revokedReason: null },
    accessToken: {
      tokenHash: hash(),
      grantId,
      scopes,
      issuedAt: now - 7200,
      expiresAt: now - 3600,
      revokedAt: null,
    },
    refreshToken: {
      tokenHash: hash(),
      grantId,
      issuedAt: now - 7200,
      expiresAt: now + 30 * DAY,
      rotation: null,
    },
  })
  if (revokedReason !== undefined)
    await store.revokeGrant({ grantId, revokedAt: now - DAY, revokedReason })
}
