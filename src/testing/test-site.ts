import { LOOKALIKES } from '../policy/lookalikes.js'
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
import type { Store } from '../store/store.js'
import { T } from '../store-contract/samples.js'
import { hashToken, newToken } from '../token/opaque.js'
import { fixedClock } from './clock.js'

/**
 * A site for tests, with its people, its clock, and what it reported to its hooks. Created by
 * {@link testSite}.
 *
 * @group Sites
 */
export interface TestSite<Scope extends string = SchoolScope> {
  readonly site: Site<Scope, Store>
  /** The clock of the site. It starts at 2021-03-01T09:00:00Z, the time of every sample. Unused if the option `now` is passed. */
  readonly clock: {
    /** Returns the time in epoch seconds. */
    readonly now: () => number
    /** Moves the clock forward by a number of seconds, or back by a negative one. */
    readonly advance: (seconds: number) => void
  }
  /** The people of the site, by `sub`. Unused if the option `findPerson` is passed. */
  readonly people: Map<string, Person>
  /** The events that the site passed to `onEvent`. Unused if that option is passed. */
  readonly events: SiteEvent[]
  /** The notices that the site passed to `onRefusal`. Unused if that option is passed. */
  readonly refusals: RefusalNotice[]
  /** The notices that the site passed to `onFault`. Unused if that option is passed. */
  readonly faults: FaultNotice[]
  /**
   * Issues an access token of a new grant, valid for an hour, and adds its person to `people`. The client
   * is a member client if one of the scopes is a member scope; otherwise it is an operator client.
   *
   * @param person - the members that the test needs. By default, `subject` is `per_test`, `orgId` is that
   *   of the site, there are no roles, and everything else is `null`
   * @param scopes - the scopes of the grant and of the token
   */
  readonly tokenFor: (person: Partial<Person>, ...scopes: readonly Scope[]) => Promise<string>
}

/**
 * Creates a site for a test: `https://school.example` with the school's scopes and roles, on a memory store
 * of its own, with a fixed clock.
 *
 * @param options - the options of `defineSite` that the test needs. If `scopes` is passed without `roles`,
 *   the school's roles keep those of their scopes that are in `scopes`
 * @returns the site, with what a test sets up and reads
 * @throws OptionsError - as `defineSite` does
 * @example
 * ```ts
 * import { createProtectedResource } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, clock, refusals, tokenFor } = testSite()
 * const gate = createProtectedResource(site).gate('courses:read')
 * const authorization = `Bearer ${await tokenFor({ roles: ['owner'] }, 'courses:read')}`
 * const request = new Request('https://school.example/courses', { headers: { authorization } })
 *
 * const access = await gate(request)
 * access instanceof Response // => false
 * clock.advance(3600)
 * const refused = await gate(request)
 * refused instanceof Response && refused.status // => 401
 * refusals.map(({ reason }) => reason) // => ['access_token_expired']
 * ```
 *
 * @group Sites
 */
export function testSite<Scope extends string = SchoolScope, const More extends string = never>(
  options: Partial<SiteOptions<Scope, Store, More>> = {},
): TestSite<Scope> {
  const clock = fixedClock(T)
  const people = new Map<string, Person>()
  const events: SiteEvent[] = []
  const refusals: RefusalNotice[] = []
  const faults: FaultNotice[] = []
  const scopes = (options.scopes ?? schoolScopes) as ScopeRegistry<Scope>
  const site = defineSite<Scope, Store, More>({
    issuer: 'https://school.example',
    name: 'Test School',
    store: createMemoryStore(),
    scopes,
    roles: rolesFor(scopes, schoolRoles),
    lookalikes: LOOKALIKES,
    findPerson: async (subject) => people.get(subject) ?? null,
    onEvent: (event) => events.push(event),
    onRefusal: (notice: RefusalNotice<string>) => refusals.push(notice as RefusalNotice),
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

/** Issues a token as the authorization server does: a code, then its redemption. */
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
      resourceSent: false,
      codeChallenge: hashToken('test'),
      nonce: null,
      grantEndsAt: null,
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
