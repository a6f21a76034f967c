import { explainRefusal } from 'hallpass/clients'
import type { OAuthErrorCode, RefusalReason } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { draftOf, edited, filled, missingIn, newDraft } from '../../examples/playground/draft.js'
import { judged, meet, presetOf, unmetFor } from '../../examples/playground/goal.js'
import { fragmentOf, linkedOf } from '../../examples/playground/link.js'
import { readied } from '../../examples/playground/send.js'
import { movedTo, newSession, type Session } from '../../examples/playground/session.js'
import type { School } from '../../examples/playground/unmet.js'
import { PRESETS } from '../../examples/school/src/playground/presets.js'
import { createReasons } from '../../examples/school/src/playground/reasons.js'
import { REFUSALS } from '../../src/policy/refusals.js'

/** Why the playground cannot cause a refusal, or why no client can. */
const ELSEWHERE: Readonly<Record<string, readonly RefusalReason[]>> = {
  'a manager or an operator causes it': [
    'person_may_not_manage',
    'member_clients_off',
    'client_ended',
    'client_gone',
    'documents_not_supported',
    'name_malformed',
    'description_malformed',
    'icon_malformed',
    'redirect_uris_missing',
    'redirect_uris_too_many',
    'redirect_uri_not_allowed',
    'scopes_missing',
    'client_kind_not_editable',
    'client_changed_meanwhile',
    'client_end_malformed',
    'client_has_no_secret',
    'client_auth_method_mismatch',
    'overlap_out_of_range',
    'client_not_a_document',
    'client_is_a_document',
    'document_changed_meanwhile',
    'scope_not_reviewable',
    'scope_beyond_reviewer',
    'key_state_final',
    'key_not_published_long_enough',
    'key_other_active',
    'key_still_verifies',
  ],
  'the account of a person changes meanwhile': [
    'person_gone',
    'person_has_no_role',
    'scope_beyond_role',
  ],
  'the client is changed meanwhile': ['scope_not_allowed_for_client', 'scope_beyond_client'],
  'the person sends the form of the school, not the client': [
    'interaction_of_other_browser',
    'grant_not_of_person',
    'csrf_token_mismatch',
    'interaction_expired',
    'sign_in_repeated',
    'person_suspended',
    'decision_missing',
    'consent_choice_malformed',
    'consent_end_unknown',
    'consent_empty',
  ],
  'it takes hours or days': [
    'access_token_expired',
    'access_token_of_future',
    'access_token_revoked',
    'grant_expired',
    'refresh_token_expired',
    'refresh_token_stale',
    'scope_needs_sign_in',
  ],
  'it takes two processes at the same instant': ['refresh_token_lost_race'],
  'it takes hundreds of requests': [
    'document_fetch_paced',
    'registration_paced',
    'request_paced',
    'code_paced',
  ],
  'a browser says by itself which part of a page asks': ['request_embedded'],
  'a browser, or a proxy, says by itself from where it comes to `/mcp`': [
    'host_not_allowed',
    'origin_not_allowed',
  ],
  'the demo schools have no opt-in block': [
    'access_token_bound',
    'code_bound',
    'keys_malformed',
    'refresh_token_bound',
    'refresh_token_not_bound',
  ],
  'the store or the keys are broken': ['code_challenge_lost', 'code_not_issued'],
  'a demo has one resource': ['access_token_for_other_resource'],
  'a client has to publish a document, or a logo, on a host of its own': [
    'document_status_not_200',
    'document_content_encoding_not_identity',
    'document_media_type_not_json',
    'document_not_an_object',
    'document_client_id_mismatch',
    'document_name_malformed',
    'document_name_resembles_vendor',
    'document_redirect_uris_malformed',
    'document_redirect_uri_malformed',
    'document_redirect_uri_of_other_host',
    'document_secret_published',
    'document_auth_method_not_supported',
    'document_grant_types_not_supported',
    'document_response_types_not_supported',
    'document_link_malformed',
    'document_contacts_malformed',
    'logo_absent',
    'logo_not_reviewed',
    'logo_url_not_allowed',
    'logo_unavailable',
    'logo_malformed',
    'logo_too_large',
  ],
}

describe('the requests of the playground', () => {
  it('cause every refusal that a client can cause there [DISC-27]', () => {
    const caused = new Set(PRESETS.flatMap(({ refused }) => refused?.reason ?? []))
    const known = new Set(Object.values(REFUSALS).flatMap((reasons) => Object.keys(reasons)))
    const elsewhere = Object.values(ELSEWHERE).flat()
    expect([...known].filter((reason) => !caused.has(reason as RefusalReason)).toSorted()).toEqual(
      elsewhere.filter((reason) => !caused.has(reason)).toSorted(),
    )
    expect(caused.size).toBeGreaterThan(75)
  })

  it('have unique identifiers, and refusals that exist', () => {
    expect(new Set(PRESETS.map(({ id }) => id)).size).toBe(PRESETS.length)
    for (const { refused } of PRESETS)
      if (refused !== undefined) expect(explainRefusal(refused), refused.reason).not.toBeNull()
  })
})

describe('a break of the playground', () => {
  const lantern = { name: 'Lantern Street Drawing School', origin: 'http://127.0.0.1:6450' }
  const kiln = { name: 'Kiln & Coil Ceramics', origin: 'http://127.0.0.1:6451' }
  const schools: readonly School[] = [lantern, kiln]
  const fresh = newSession(lantern.origin, 'operator', `${lantern.origin}/playground`)
  const metadata = Object.fromEntries(
    ['authorization', 'token', 'registration', 'userinfo', 'revocation', 'introspection'].map(
      (name) => [`${name}_endpoint`, `${lantern.origin}/${name}`],
    ),
  )
  const values = {
    ...fresh.values,
    ...metadata,
    resource: lantern.origin,
    scope: 'openid',
    client_id: 'app_1',
    code: 'hpc_1',
    code_verifier: 'verifier',
    access_token: 'hpa_1',
    refresh_token: 'hpr_1',
    previous_refresh_token: 'hpr_0',
    first_refresh_token: 'hpr_0',
  }
  const now = 1_000
  const exchanged: Session = { ...fresh, metadata, values, exchangedAt: now, allowedAt: now }
  const unmetIn = (id: string, session: Session, document: string | null = null) =>
    unmetFor({ preset: id }, { session, schools, document, now })
  const nextIn = (id: string, changes: Partial<Session>, document: string | null = null) =>
    unmetIn(id, { ...exchanged, ...changes }, document)?.next ?? null

  it.each([
    ['exchange.code_expired', { codeArrivedAt: now - 61 }, null],
    ['exchange.code_expired', { codeArrivedAt: now - 60 }, 'wait'],
    ['exchange.code_expired', { codeArrivedAt: null }, 'authorize'],
    ['exchange.code_lost_race', { exchangedAt: now - 3 }, null],
    ['exchange.code_lost_race', { exchangedAt: now - 4, codeArrivedAt: now - 49 }, 'exchange'],
    ['exchange.code_lost_race', { exchangedAt: now - 4, codeArrivedAt: now - 50 }, 'authorize'],
    ['exchange.code_lost_race', { exchangedAt: null, codeArrivedAt: null }, 'authorize'],
    ['exchange.code_replayed', { exchangedAt: now - 6 }, null],
    ['exchange.code_replayed', { exchangedAt: now - 5 }, 'wait'],
    ['exchange.code_replayed', { exchangedAt: null }, 'authorize'],
    ['refresh.refresh_retry_differs', { renewedAt: now - 49 }, null],
    ['refresh.refresh_retry_differs', { renewedAt: now - 50 }, 'refresh'],
    ['refresh.refresh_retry_differs', { renewedAt: null }, 'refresh'],
    ['refresh.refresh_retry_differs', { renewedAt: now, isEnded: true }, 'authorize'],
    ['refresh.scope_widened', {}, null],
    ['refresh.scope_widened', { isEnded: true }, 'authorize'],
    ['refresh.scope_widened', { isEnded: true, codeArrivedAt: now }, 'exchange'],
    ['use.grant_revoked', { isEnded: true }, null],
    ['use.grant_revoked', {}, 'revoke'],
    ['authorize.consent_missing', { allowedAt: now }, null],
    ['authorize.consent_missing', { allowedAt: null }, 'authorize'],
    ['authorize.sign_in_not_fresh', { allowedAt: now - 2 }, null],
    ['authorize.sign_in_not_fresh', { allowedAt: now - 1 }, 'wait'],
    ['authorize.sign_in_not_fresh', { allowedAt: null }, 'authorize'],
    ['authorize.person_signed_out', { allowedAt: null }, null],
    ['authorize.person_signed_out', {}, null],
  ] as const)('%s in a session with %j leads to %s', (id, changes, next) => {
    expect(nextIn(id, changes)).toBe(next)
    const isOff =
      next !== null || (id === 'authorize.person_signed_out' && !('allowedAt' in changes))
    expect(unmetIn(id, { ...exchanged, ...changes }) !== null).toBe(isOff)
  })

  it('needs what comes before it, step by step, and the school at which it is refused [DISC-31]', () => {
    const without = (...names: readonly string[]): Session => ({
      ...exchanged,
      values: Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name))),
    })
    const ofVerifier = (session: Session) => unmetIn('exchange.code_verifier_mismatch', session)
    expect(ofVerifier(fresh)).toEqual({ says: '{token_endpoint}', next: 'discover' })
    expect(ofVerifier(without('client_id'))?.next).toBe('register')
    expect(ofVerifier(without('code', 'code_verifier'))?.next).toBe('authorize')
    expect(ofVerifier(exchanged)).toBeNull()
    expect(unmetIn('use.access_token_sent_twice', without('access_token'))?.next).toBe('authorize')

    const reused = 'refresh.refresh_token_reused'
    expect(unmetIn(reused, exchanged)).toEqual({
      says: 'Kiln & Coil, and tokens that were renewed twice',
      next: { school: kiln, isOwnPage: true },
    })
    const atKiln = { target: kiln.origin }
    expect(nextIn(reused, { ...atKiln, renewals: 1 })).toBe('refresh')
    expect(nextIn(reused, { ...atKiln, renewals: 2 })).toBeNull()
    expect(nextIn(reused, { ...atKiln, renewals: 2, isEnded: true })).toBe('authorize')
    expect(nextIn('authorize.client_disabled', {})).toBeNull()
    // No browser comes back from this page of the other school.
    expect(nextIn('authorize.client_unknown', atKiln)).toEqual({ school: kiln, isOwnPage: true })
    expect(nextIn('authorize.client_disabled', atKiln)).toEqual({
      school: lantern,
      isOwnPage: false,
    })
    expect(
      unmetFor({ preset: reused }, { session: fresh, schools: [lantern], document: null, now })
        ?.next,
    ).toBeNull()
    // At Kiln & Coil, members have no apps.
    const asMember = { ...atKiln, track: 'member' as const }
    expect(nextIn('revoke.token_missing', asMember)).toEqual({ school: lantern, isOwnPage: false })
    expect(nextIn('use.access_token_missing', asMember)).toBeNull()
    const elsewhere = { track: 'member' as const, target: 'https://other.example' }
    expect(nextIn('revoke.token_missing', elsewhere)).toBeNull()
    // Only a person can choose a client without a document.
    expect(nextIn('use.scope_not_granted', {}, 'app_1')).toBeNull()
    expect(unmetIn('use.scope_not_granted', exchanged, 'app_1')?.says).toBe(
      'a client without a metadata document',
    )
    expect(unmetIn('use.scope_not_granted', exchanged)).toBeNull()
  })

  it('takes the token of one school to the other', () => {
    const id = 'use.token_of_other_school'
    expect(nextIn(id, {})).toEqual({ school: kiln, isOwnPage: false })
    const moved = movedTo(exchanged, kiln.origin, 'operator')
    expect(moved.values).toEqual({
      issuer: kiln.origin,
      redirect_uri: `${lantern.origin}/playground`,
      other_token: 'hpa_1',
    })
    expect(unmetIn(id, moved)?.next).toBe('discover')
    expect(movedTo(exchanged, lantern.origin, 'operator').values['other_token']).toBeUndefined()
    expect(movedTo(fresh, kiln.origin, 'operator').values['other_token']).toBeUndefined()
  })

  it('is led to by acts, which stop at one that fails, leaves or has to wait', async () => {
    const acts = { startAt: () => {}, open: () => {} }
    const end = (session: Session, send: () => Promise<boolean | 'left'>, id: string) =>
      meet(
        { preset: id },
        { ...acts, send, situation: () => ({ session, schools, document: null, now }) },
      )
    const never = () => Promise.reject(new Error('sent'))
    expect(await end(exchanged, never, 'exchange.code_verifier_mismatch')).toBe('met')
    expect(await end(exchanged, never, 'exchange.code_replayed')).toBe('wait')
    expect(await end(exchanged, never, 'authorize.person_signed_out')).toBe('stopped')
    expect(await end(exchanged, never, 'refresh.refresh_token_reused')).toBe('left')
    expect(await end(fresh, async () => 'left', 'use.access_token_missing')).toBe('left')
    expect(await end(fresh, async () => false, 'use.access_token_missing')).toBe('stopped')
    let sent = 0
    const inVain = async () => ++sent > 0
    expect(await end(fresh, inVain, 'use.access_token_missing')).toBe('stopped')
    expect(sent).toBeLessThan(20)
  })

  it('is neither passed nor refused if the school did something else', () => {
    const preset = presetOf('exchange.code_expired')!
    const outcome = {
      step: 'exchange' as const,
      label: preset.label,
      ok: true,
      said: '',
      sent: [],
      checks: [],
      error: null,
      why: null,
      idToken: null,
      draft: null,
    }
    const strayedOf = (changes: object, one = preset, known = [lantern.origin]) =>
      judged({ ...exchanged, outcomes: [{ ...outcome, ...changes }] }, one, known).outcomes[0]!
        .strayed
    expect(strayedOf({})).toBe(
      'Not what this break is for: `code_expired`. It needs: a code that is older than 60 seconds, and was not exchanged.',
    )
    const whyOf = (reason: RefusalReason) => ({ ok: false, why: { reason } })
    expect(strayedOf(whyOf('code_replayed'))).toContain('`code_expired`')
    expect(strayedOf(whyOf('code_expired'))).toBeUndefined()
    // The log of the school may have the reason once an hour.
    expect(strayedOf({ ok: false })).toBeUndefined()
    expect(strayedOf({}, preset, [])).toBeUndefined()
    expect(strayedOf({}, presetOf('use.userinfo'))).toBeUndefined()
    expect(strayedOf({}, presetOf('authorize.client_disabled'))).toBe(
      'Not what this break is for: `client_disabled`. It needs: Lantern Street.',
    )
    expect(strayedOf({}, presetOf('authorize.person_denied'))).toBe(
      'Not what this break is for: `person_denied`. Then press Cancel at the school.',
    )
    expect(judged(exchanged, preset, [lantern.origin])).toBe(exchanged)
  })
})

describe('the reasons that the demo keeps', () => {
  const notice = (requestId: string, reason: RefusalReason = 'code_expired') => ({
    at: 0,
    endpoint: 'token',
    error: 'invalid_grant' as OAuthErrorCode,
    reason,
    clientId: null,
    requestId,
  })
  const asked = async (reasons: ReturnType<typeof createReasons>, of: string): Promise<unknown> =>
    reasons
      .answer(new Request(`https://school.example/playground/why?${new URLSearchParams({ of })}`))
      .json()

  it('are told to whoever knows the identifier of the request, with their meaning', async () => {
    const reasons = createReasons()
    reasons.note(notice('req_1'))
    expect(await asked(reasons, 'req_1')).toEqual({
      error: 'invalid_grant',
      reason: 'code_expired',
      ...explainRefusal({ error: 'invalid_grant', reason: 'code_expired' }),
    })
    expect(await asked(reasons, 'req_2')).toBeNull()
    expect(await asked(reasons, '')).toBeNull()
  })

  it('are the last two thousand', async () => {
    const reasons = createReasons()
    for (let index = 0; index <= 2000; index++) reasons.note(notice(`req_${index}`))
    expect(await asked(reasons, 'req_0')).toBeNull()
    expect(await asked(reasons, 'req_1')).not.toBeNull()
  })
})

describe('a request of the playground', () => {
  const plain = { hasDocument: false, isAgent: false }
  const values = {
    issuer: 'https://school.example',
    token_endpoint: 'https://school.example/token',
    client_id: 'app_1234567890123456',
    redirect_uri: 'https://app.example/playground',
    resource: 'https://school.example',
    code: 'hpc_abcdefghijklmnop',
    code_verifier: 'a-verifier-of-which-nobody-knows-anything-43',
  }
  const session = {
    ...newSession('https://school.example', 'operator', values.redirect_uri),
    values,
    trusted: ['https://school.example'],
  }

  it('is changed by a preset, and names the variables that it lacks', () => {
    const draft = edited(draftOf('exchange', plain), {
      set: { code: null, note: '{nothing}' },
      add: { scope: 'openid' },
      headers: { 'x-test': '1' },
    })
    expect(draft.fields.map(([name]) => name)).toEqual([
      'grant_type',
      'client_id',
      'redirect_uri',
      'resource',
      'code_verifier',
      'note',
      'scope',
    ])
    expect(draft.headers).toEqual([['x-test', '1']])
    expect(missingIn(draft, values)).toEqual(['nothing'])
    expect(filled(draft, values).url).toBe('https://school.example/token')
  })

  it('gives a secret only to the origins that the metadata names [DISC-27]', () => {
    const draft = draftOf('exchange', plain)
    expect(readied(session, draft, []).fields).toContainEqual(['code', values.code])
    const elsewhere = { ...draft, url: 'https://evil.example/token' }
    expect(() => readied(session, elsewhere, [])).toThrow('must not go to https://evil.example')
    const inUrl = { ...elsewhere, url: 'https://evil.example/{code}', fields: [] }
    expect(() => readied(session, inUrl, [])).toThrow('code must not go to https://evil.example')
    const other = { ...session, values: { ...values, other_token: 'hpa_other' } }
    const ofOther = edited(draft, { set: { code: '{other_token}', code_verifier: null } })
    expect(() => readied(other, ofOther, [])).toThrow('other_token must not go to')
    expect(readied(other, ofOther, ['https://school.example']).url).toBe(values.token_endpoint)
    // Each secret is looked at, also after one that may go there.
    const both = edited(ofOther, { set: { code_verifier: '{code_verifier}' } })
    const firstOwn = { ...both, fields: [...draft.fields, ...both.fields] }
    expect(() => readied(other, firstOwn, [])).toThrow('other_token must not go to')
    expect(() => readied({ ...other, trusted: [] }, both, ['https://school.example'])).toThrow(
      'code_verifier must not go to',
    )
  })

  it.each([
    'https://evil.example/token',
    'javascript:alert(1)//{code_challenge}',
    'data:text/html,x',
    '{issuer}.evil.example/',
    'http://school.example/token',
  ])('goes to the server alone, and never to %s', (url) => {
    const draft = { ...newDraft('GET', url), fields: [] }
    const left = { ...session, trusted: [...session.trusted, 'null'] }
    for (const one of [session, left, { ...left, values: { ...values, client_id: 'urn:x' } }])
      expect(() => readied(one, draft, ['https://kiln.example'])).toThrow(
        'the request must not go to',
      )
  })

  it('goes to the server before its metadata is read, to the schools and to the client document', () => {
    const fresh = { ...session, trusted: [], metadata: null }
    const urls = ['{issuer}/x', `${fresh.target}/x`, 'https://kiln.example/x', '{client_id}']
    const client_id = 'https://notes.example/client.json'
    for (const url of urls)
      expect(
        readied({ ...fresh, values: { ...values, client_id } }, newDraft('GET', url), [
          'https://kiln.example',
        ]).url,
      ).toMatch(/^https:/)
  })

  it('is in a link without a secret, also if somebody typed one, and comes out the same [DISC-27]', () => {
    const draft = edited(draftOf('exchange', plain), { set: { code: values.code } })
    const linked = { target: 'https://school.example', track: 'member', step: 'exchange' } as const
    const fragment = fragmentOf({ ...linked, draft }, values)
    expect(fragment).not.toContain('hpc_')
    expect(linkedOf(fragment)).toEqual({ ...linked, draft: draftOf('exchange', plain) })
    const ofBreak = { ...linked, draft: null, preset: 'exchange.code_expired' }
    expect(linkedOf(fragmentOf(ofBreak, values))).toEqual(ofBreak)
    expect(linkedOf('#to=https://school.example&as=nobody&step=nowhere&break=none')).toEqual({
      target: 'https://school.example',
      track: 'operator',
      step: null,
      draft: null,
    })
  })
})
