import type { ConsentView } from 'hallpass/authorization-server'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  encode,
  type Fields,
  PORTFOLIO,
  PORTFOLIO_FORM,
  redeem,
  refresh,
  signIn,
  tokensOf,
} from '../support/school/flow.js'
import { createBrowser, createSchool, OWNER, type School, STUDENT, T } from '../support/school/school.js' // prettier-ignore

const ALL = 'openid account:read account:write'

function consentOf(school: School): ConsentView {
  if (school.view?.page !== 'consent') throw new Error(`the page is ${school.view?.page}`)
  return school.view.view
}

/**
 * The consent page of Portfolio Hub, which remembers a consent since it has a secret, and a way to answer
 * it with any fields.
 */
async function openConsent({
  school,
  request = { scope: ALL },
  person = STUDENT,
}: { school?: School; request?: Fields; person?: typeof STUDENT } = {}) {
  const opened = school ?? (await createSchool())
  opened.signedIn = { subject: person.subject, authTime: opened.clock.now }
  const browser = createBrowser(opened)
  await browser.open(authorizationUrl({ ...PORTFOLIO, ...request }))
  const { action, csrfToken } = consentOf(opened)
  return {
    school: opened,
    open: () => browser.open(action),
    answer: (fields: Fields) =>
      browser.post(
        action,
        encode({ csrf_token: csrfToken, decision: 'allow', ...fields }) as never,
      ),
  }
}

const codeOf = (response: Response): string => {
  const location = response.headers.get('location')
  if (location === null) throw new Error(`no redirect: ${response.status}`)
  return new URL(location).searchParams.get('code')!
}
const grantedBy = async (school: School, response: Response): Promise<string> =>
  (await school.store.findCode(hashToken(codeOf(response))))!.scopes.join(' ')

/** Whether an authorization goes through without a page. */
async function isRemembered(school: School, scope: string): Promise<boolean> {
  const url = authorizationUrl({ ...PORTFOLIO, scope, prompt: 'none' })
  const parameters = new URL((await school.fetch(url)).headers.get('location')!).searchParams
  expect(parameters.get('error') ?? 'consent_required').toBe('consent_required')
  return parameters.has('code')
}

describe('what a person allows', () => {
  it.each<[string, Fields, string]>([
    ['everything, where nothing is said', {}, ALL],
    ['everything', { access: 'all' }, ALL],
    ['everything, whatever is ticked beside it', { access: 'all', scope: 'account:read' }, ALL],
    ['reading', { access: 'read' }, 'openid account:read'],
    [
      'reading, whatever is ticked beside it',
      { access: 'read', scope: 'account:write' },
      'openid account:read',
    ],
    ['what is ticked', { access: 'choose', scope: 'account:write' }, 'openid account:write'],
    [
      'all that is ticked',
      { access: 'choose', scope: ['account:write', 'openid', 'account:read'] },
      ALL,
    ],
    [
      'nothing that was not asked for',
      {
        access: 'choose',
        scope: ['account:read', 'email', 'courses:write', '__proto__', '', 'account:read'],
      },
      'openid account:read',
    ],
  ])('can be %s', async (_, fields, granted) => {
    const { school, answer } = await openConsent()
    const response = await answer(fields)
    expect(await grantedBy(school, response)).toBe(granted)
    expect(school.events.at(-1)).toEqual({
      type: 'oauth.authorization.approved',
      at: T,
      clientId: 'portfolio-hub',
      subject: STUDENT.subject,
      scopes: granted.split(' '),
      remembered: false,
    })
  })

  it('always holds who the person is, as asked', async () => {
    const { school, answer } = await openConsent({
      request: { scope: 'account:write email account:read profile openid' },
    })
    const response = await answer({ access: 'choose', scope: 'account:read' })
    expect(await grantedBy(school, response)).toBe('email account:read profile openid')
  })

  it('is what the token holds, at the exchange and at every refresh', async () => {
    const { school, answer } = await openConsent()
    const code = codeOf(await answer({ access: 'read' }))
    const tokens = await tokensOf(await redeem(school, code, PORTFOLIO_FORM))
    expect(tokens.scope).toBe('openid account:read')
    const widened = await refresh(school, tokens.refresh_token, { ...PORTFOLIO_FORM, scope: ALL })
    expect([widened.status, await widened.json()]).toMatchObject([400, { error: 'invalid_scope' }])
    const refreshed = await tokensOf(await refresh(school, tokens.refresh_token, PORTFOLIO_FORM))
    expect(refreshed.scope).toBe('openid account:read')
  })

  it.each<[string, Fields]>([
    ['another word', { access: 'write' }],
    ['another case', { access: 'Read' }],
    ['a word of every object', { access: 'constructor' }],
    ['two words, of which the first means less', { access: ['read', 'all'] }],
    ['the same word twice', { access: ['read', 'read'] }],
    ['no word', { access: '' }],
  ])('is nothing where the form says %s, and can be said again', async (_, fields) => {
    const { school, answer } = await openConsent()
    const response = await answer(fields)
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(school.view).toEqual({
      page: 'error',
      view: {
        status: 400,
        error: 'invalid_request',
        reason: 'consent_choice_malformed',
        description: 'access must be all, read or choose',
      },
    })
    expect(codeOf(await answer({ access: 'read' }))).toMatch(/^hpc_/)
  })

  it('is nothing with Cancel, whatever was chosen', async () => {
    const { answer } = await openConsent()
    const response = await answer({ decision: 'deny', access: 'all', scope: 'account:read' })
    const { searchParams } = new URL(response.headers.get('location')!)
    expect(searchParams.get('error')).toBe('access_denied')
  })
})

describe('a choice that leaves nothing', () => {
  it.each<[string, Fields, Fields]>([
    ['nothing ticked', { scope: ALL }, { access: 'choose' }],
    ['identity alone ticked', { scope: ALL }, { access: 'choose', scope: 'openid' }],
    ['only what was not asked', { scope: ALL }, { access: 'choose', scope: 'courses:read' }],
    ['reading, of a request to write', { scope: 'openid account:write' }, { access: 'read' }],
    ['reading, of a request for writing alone', { scope: 'account:write' }, { access: 'read' }],
  ])('shows the page again and says so: %s', async (_, request, fields) => {
    const { school, open, answer } = await openConsent({ request })
    const before = consentOf(school)
    const response = await answer(fields)
    expect([response.status, response.headers.get('location')]).toEqual([200, null])
    expect(consentOf(school)).toEqual({ ...before, notice: 'nothing_left' })
    expect(school.events.map(({ type }) => type)).toEqual(['oauth.authorization.requested'])
    // The notice is of that answer alone, and the request can be answered as before.
    await open()
    expect(consentOf(school)).toEqual(before)
    expect(await grantedBy(school, await answer({ access: 'all' }))).toBe(request['scope'])
  })

  it('is none where the client asked for nothing else', async () => {
    const { school, answer } = await openConsent({ request: { scope: 'openid email' } })
    expect(consentOf(school).mayNarrow).toBe(false)
    expect(await grantedBy(school, await answer({ access: 'choose' }))).toBe('openid email')
  })

  it('can be narrowed where there is one scope beside identity', async () => {
    const { school } = await openConsent({ request: { scope: 'openid account:read' } })
    expect(consentOf(school).mayNarrow).toBe(true)
  })

  it('lets nobody through who may not allow it at all', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const { answer } = await openConsent({ school, request: DESK_REQUEST })
    expect((await answer({ access: 'choose' })).status).toBe(200)
    expect(consentOf(school)).toMatchObject({ blocked: 'not_staff', notice: 'nothing_left' })
    const response = await answer({ access: 'read' })
    const { searchParams } = new URL(response.headers.get('location')!)
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['access_denied', null])
  })
})

describe('a consent that is remembered', () => {
  it('answers for what was allowed, not for what was asked [UX-09]', async () => {
    const { school, answer } = await openConsent()
    await answer({ access: 'read' })
    expect(await isRemembered(school, ALL)).toBe(false)
    expect(await isRemembered(school, 'openid account:write')).toBe(false)
    expect(await isRemembered(school, 'openid')).toBe(false)
    expect(await isRemembered(school, 'openid account:read')).toBe(true)
    expect(await isRemembered(school, 'account:read openid')).toBe(true)
  })

  it('answers for everything once everything was allowed as well [UX-09]', async () => {
    const { school, answer } = await openConsent()
    await answer({ access: 'read' })
    await (await openConsent({ school })).answer({ access: 'all' })
    expect(await isRemembered(school, ALL)).toBe(true)
  })

  it('is none where nothing was left to allow', async () => {
    const { school, answer } = await openConsent()
    await answer({ access: 'choose' })
    for (const scope of ['openid', ALL]) expect(await isRemembered(school, scope)).toBe(false)
  })

  it('is forgotten with everything else between the client and the person', async () => {
    const { school, answer } = await openConsent()
    await answer({ access: 'all' })
    expect(await isRemembered(school, ALL)).toBe(true)
    await school.store.revokeGrants({
      clientId: 'portfolio-hub',
      subject: STUDENT.subject,
      revokedAt: T,
      revokedReason: 'test',
    })
    expect(await isRemembered(school, ALL)).toBe(false)
  })
})

describe('what the page says is allowed already', () => {
  const request = { ...PORTFOLIO, scope: 'openid account:read', prompt: 'consent' }
  async function allowed(school: School, person = STUDENT): Promise<readonly string[]> {
    await openConsent({ school, person, request: { scope: ALL, prompt: 'consent' } })
    const { scopes } = consentOf(school)
    return scopes.filter(({ alreadyGranted }) => alreadyGranted).map(({ scope }) => scope)
  }
  const connect = (school: School): Promise<unknown> =>
    signIn(school, request, { form: PORTFOLIO_FORM })

  it('is what the grants hold that are alive, of every time', async () => {
    const school = await createSchool()
    expect(await allowed(school)).toEqual([])
    await connect(school)
    expect(await allowed(school)).toEqual(['openid', 'account:read'])
    await signIn(school, { ...request, scope: 'account:write' }, { form: PORTFOLIO_FORM })
    expect(await allowed(school)).toEqual(['openid', 'account:read', 'account:write'])
  })

  it('is nothing of a code that was not exchanged', async () => {
    const school = await createSchool()
    await approve(school, request)
    expect(await allowed(school)).toEqual([])
  })

  it('is nothing of another client or another person', async () => {
    const school = await createSchool()
    await signIn(school)
    await signIn(school, request, { person: OWNER, form: PORTFOLIO_FORM })
    expect(await allowed(school)).toEqual([])
    expect(await allowed(school, OWNER)).toEqual(['openid', 'account:read'])
  })

  it('is nothing of what was ended or has run out', async () => {
    const ended = await createSchool()
    await connect(ended)
    await ended.store.revokeGrants({
      clientId: 'portfolio-hub',
      subject: STUDENT.subject,
      revokedAt: T,
      revokedReason: 'test',
    })
    expect(await allowed(ended)).toEqual([])
    const old = await createSchool()
    await connect(old)
    old.clock.now = T + 180 * 86_400 - 1
    expect(await allowed(old)).toEqual(['openid', 'account:read'])
    old.clock.now = T + 180 * 86_400
    expect(await allowed(old)).toEqual([])
  })
})
