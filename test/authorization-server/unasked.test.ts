import fc from 'fast-check'
import { dpop, pushedRequests } from 'hallpass/blocks' // prettier-ignore
import type { Client, decideAuthorizationRequest, decideRedirectUri } from 'hallpass/policy'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/run/rounds.js'
import { authorizationUrl, type Fields, reasonsOf } from '../support/school/flow.js'
import {
  createDocumentSchool,
  NOTES_REQUEST,
  reviewNotes,
} from '../support/school/metadata-documents.js'
import { ISSUER, OWNER, type School, T } from '../support/school/school.js'

type ReasonsOf<Decide extends (...parameters: never) => { readonly ok: boolean }> =
  Extract<ReturnType<Decide>, { readonly ok: false }> extends { readonly reason: infer Reason }
    ? Reason
    : never
/** Refusals that no client receives: it or its redirect URI is not known yet. */
type OfAddressee =
  | 'client_id_missing'
  | 'client_unknown'
  | NonNullable<Client['disabledBy']>
  | 'client_disabled'
  | 'client_blocked'
  | ReasonsOf<typeof decideRedirectUri>
/** A document is the client of an operator, who needs no `resource`. */
type OfMembers = 'resource_missing'
type OfBlocks = 'dpop_jkt_malformed' | 'pushed_request_required'
type OfPrompt = 'person_signed_out' | 'consent_missing'
type Fault =
  | Exclude<ReasonsOf<typeof decideAuthorizationRequest>, OfAddressee | OfMembers>
  | OfBlocks
  | OfPrompt

/** A request with each fault that a client reads at its redirect URI. A new reason without a row does not compile. */
const FAULTS: Readonly<Record<Fault, Fields>> = {
  parameter_repeated: { nonce: ['a', 'b'] },
  request_object_not_supported: { request: 'e30.e30.' },
  request_uri_not_supported: { request_uri: 'https://evil.example/request' },
  state_malformed: { state: 'a\u0000' },
  state_missing: { state: null },
  response_type_missing: { response_type: null },
  response_type_not_supported: { response_type: 'token' },
  response_mode_not_supported: { response_mode: 'form_post' },
  code_challenge_missing: { code_challenge: null },
  code_challenge_malformed: { code_challenge: 'short' },
  code_challenge_method_missing: { code_challenge_method: null },
  code_challenge_method_not_supported: { code_challenge_method: 'plain' },
  scope_malformed: { scope: 'openid "' },
  scope_missing: { scope: null },
  scope_of_other_audience: { scope: 'openid account:read' },
  scope_unknown: { scope: 'nothing' },
  scope_not_allowed_for_client: { scope: 'openid events:write' },
  resource_unknown: { resource: 'https://evil.example' },
  nonce_malformed: { nonce: 'a\u0000' },
  prompt_malformed: { prompt: 'none login' },
  max_age_malformed: { max_age: 'soon' },
  dpop_jkt_malformed: { dpop_jkt: 'short' },
  pushed_request_required: {},
  person_signed_out: { prompt: 'none' },
  consent_missing: { prompt: 'none' },
}

/** Who sits at the browser: no one, someone whom `findPerson` does not return, or the owner. */
const PEOPLE = [null, 'mem_nobody', OWNER.subject] as const

async function createNotes(required: boolean, isReviewed: boolean): Promise<School> {
  const store = createMemoryStore()
  const { school } = await createDocumentSchool({
    store,
    options: {
      blocks: [dpop(), pushedRequests({ required })],
    },
  })
  await school.fetch(authorizationUrl(NOTES_REQUEST))
  if (isReviewed) await reviewNotes(school)
  school.refusals.length = 0
  return school
}

/** Where a request leads away from the site, as the person `subject` sends it; `null` if nowhere. */
async function leaves(
  school: School,
  { changes, subject }: { changes: Fields; subject: string | null },
): Promise<string | null> {
  school.signedIn = subject === null ? null : { subject, authTime: T }
  const response = await school.fetch(authorizationUrl({ ...NOTES_REQUEST, ...changes }))
  const to = new URL(response.headers.get('location') ?? '/', ISSUER)
  return to.origin === ISSUER ? null : to.href
}

describe('a request at which no person has decided', () => {
  it.each(Object.entries(FAULTS))('moves no browser to an unreviewed document, signed in or not: %s [AUTH-26]', async (reason, changes) => {
    const required = reason === 'pushed_request_required'
    const reached = new Set<string>()
    for (const isReviewed of [false, true]) {
      const school = await createNotes(required, isReviewed)
      for (const subject of PEOPLE) {
        const to = await leaves(school, { changes, subject })
        expect([subject, to]).toEqual([subject, isReviewed ? expect.stringMatching(/^https:\/\/notes\.example\/cb\?error=/) : null]) // prettier-ignore
        if (!isReviewed) expect(school.view?.page).toBe('error')
        reached.add(reasonsOf(school).at(-1)!)
      }
    }
    expect(reached).toContain(reason)
  }) // prettier-ignore

  it('moves none for faults in any number, by whatever way they come [AUTH-26]', async () => {
    const schools = [await createNotes(false, false), await createNotes(true, false)]
    const changes = fc
      .array(
        fc.constantFrom(
          ...Object.values(FAULTS),
          { redirect_uri: 'http://127.0.0.1:8123/cb' },
          { max_age: '0' },
          { prompt: 'login' },
        ),
        { maxLength: 4 },
      ) // prettier-ignore
      .map((all): Fields => Object.assign({}, ...all))
    const asked = fc.record({ changes, subject: fc.constantFrom(...PEOPLE) })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...schools), asked, async (school, one) => {
        expect(await leaves(school, one)).toBeNull()
      }),
      { numRuns: rounds(300, { soak: 10_000 }), seed: 26 },
    )
  })
})
