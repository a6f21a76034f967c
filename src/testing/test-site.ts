import { randomBase64url } from '../encoding/random.js'
import { completeClient } from '../policy/client.js'
import type { Person } from '../policy/person.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { rolesFor } from '../scope/role.js'
import type { SchoolScope } from '../scope/school-scopes.js'
import { schoolRoles, schoolScopes } from '../scope/school.js'
import type { FaultNotice, RefusalNotice, SiteEvent } from '../site/events.js'
import type { SiteOptions } from '../site/options.js'
import { defineSite, type Site } from '../site/site.js'
import { createMemoryStore } from '../store/memory.js'
import { hashToken, newToken } from '../token/opaque.js'
import { type FixedClock, fixedClock } from './clock.js'

/** A site for tests, with what it was told. */
export interface TestSite<Scope extends string = SchoolScope> {
  readonly site: Site<Scope>
  /** The site's clock: 2026-11-20T09:00:00Z until it is moved. Not used where `now` is given. */
  readonly clock: FixedClock
  /** The people that `findPerson` finds, by `sub`. Not used where `findPerson` is given. */
  readonly people: Map<string, Person>
  readonly events: SiteEvent[]
  readonly refusals: RefusalNotice[]
  readonly faults: FaultNotice[]
  /**
   * An access token of a new grant, good for an hour: of a member client where a scope is a member's,
   * else of an operator client.
   *
   * @param person - what matters of the person; `subject` is `per_test` unless it says otherwise
   */
  readonly tokenFor: (person: Partial<Person>, ...scopes: readonly Scope[]) => Promise<string>
}

const START = 1_795_165_200

/**
 * A site for a test, in one line: memory store, the school's scopes and roles, a clock that stands still.
 *
 * ```ts
 * const { site, tokenFor } = testSite()
 * const gate = createProtectedResource(site).gate('courses:read')
 * const token = await tokenFor({ roles: ['owner'] }, 'courses:read')
 * ```
 *
 * @param options - of `defineSite`, where the test needs others; with `scopes` alone, the school's roles
 *   have those of their scopes that are among them
 * @throws OptionsError - as `defineSite` does
 */
export function testSite<Scope extends string = SchoolScope>(
  options: Partial<SiteOptions<Scope>> = {},
): TestSite<Scope> {
  const clock = fixedClock(START)
  const people = new Map<string, Person>()
  const events: SiteEvent[] = []
  const refusals: RefusalNotice[] = []
  const faults: FaultNotice[] = []
  const scopes = (options.scopes ?? schoolScopes) as ScopeRegistry<Scope>
  const site = defineSite<Scope>({
    issuer: 'https://school.example',
    name: 'Test School',
    store: createMemoryStore(),
    scopes,
    roles: rolesFor(scopes, schoolRoles),
    findPerson: async (subject) => people.get(subject) ?? null,
    onEvent: (event) => events.push(event),
    onRefusal: (notice) => refusals.push(notice),
    onFault: (notice) => faults.push(notice),
    now: clock.now,
    ...options,
  })
  return {
    site,
    clock,
    people,
    events,
    refusals,
    faults,
    async tokenFor(changes, ...allowed) {
      const person = { ...SOMEBODY, orgId: site.id, ...changes }
      people.set(person.subject, person)
      return issueToken(site, person, allowed)
    },
  }
}

const SOMEBODY = {
  subject: 'per_test',
  roles: [],
  name: null,
  email: null,
  picture: null,
}

/** Takes the way of every grant: a code, and its redemption. */
async function issueToken(
  { store, scopes: registry, resource, now, randomBytes }: Site,
  { subject }: Person,
  scopes: readonly string[],
): Promise<string> {
  const isMember = scopes.some((scope) => registry.get(scope)?.audience === 'member')
  const kind = isMember ? 'member' : 'loopback'
  const [clientId, redirectUri] = [`test-${kind}`, 'http://127.0.0.1/callback']
  const at = now()
  await store.insertClient(
    completeClient({
      clientId,
      kind,
      name: `Test ${kind} client`,
      redirectUris: [redirectUri],
      createdAt: at,
    }),
  )
  const [accessToken, refreshToken, code] = [
    newToken('accessToken', randomBytes),
    newToken('refreshToken', randomBytes),
    newToken('code', randomBytes),
  ]
  const [grantId, codeHash] = [randomBase64url(randomBytes), hashToken(code)]
  const asked = { grantId, clientId, subject, scopes, resource: resource.canonical, redirectUri }
  const life = { grantId, issuedAt: at, expiresAt: at + 3600 }
  await store.issueCode({
    code: {
      ...asked,
      codeHash,
      codeChallenge: hashToken('test'),
      nonce: null,
      authTime: at,
      issuedAt: at,
      expiresAt: at + 60,
      redeemedAt: null,
    },
    pendingIdHash: null,
    consentKey: null,
  })
  await store.redeemCode({
    codeHash,
    redeemedAt: at,
    grant: {
      ...asked,
      createdAt: at,
      expiresAt: at + 86_400,
      revokedAt: null,
      revokedReason: null,
    },
    accessToken: { ...life, tokenHash: hashToken(accessToken), scopes, revokedAt: null },
    refreshToken: { ...life, tokenHash: hashToken(refreshToken), rotation: null },
  })
  return accessToken
}
