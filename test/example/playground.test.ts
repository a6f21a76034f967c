import { explainRefusal } from 'hallpass/attempts'
import type { OAuthErrorCode, RefusalReason } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { draftOf, edited, filled, missingIn, newDraft } from '../../examples/playground/draft.js'
import { fragmentOf, linkedOf } from '../../examples/playground/link.js'
import { readied } from '../../examples/playground/send.js'
import { newSession } from '../../examples/playground/session.js'
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
    expect(linkedOf('#to=https://school.example&as=nobody&step=nowhere')).toEqual({
      target: 'https://school.example',
      track: 'operator',
      step: null,
      draft: null,
    })
  })
})
