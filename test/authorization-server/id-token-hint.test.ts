import { createJoseSigner, type KeySource, type Signer } from 'hallpass/token'
import * as jose from 'jose'
import { describe, expect, it } from 'vitest'
import {
  approve,
  authorizationUrl,
  type Fields,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  reasonsOf,
  signIn,
  STATE,
} from '../support/school/flow.js'
import { recordingStore } from '../support/school/stores.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  STUDENT,
} from '../support/school/school.js'

const MATE = { ...STUDENT, subject: 'per_mate', name: 'Tam', email: 'tam@school.example' }

/** A key that the test can sign with as well. */
async function keyPair(kid = 'key-1'): Promise<{ keys: KeySource; signer: Signer }> {
  const { publicKey, privateKey } = await jose.generateKeyPair('ES256')
  const signer = createJoseSigner({ kid, privateKey })
  const jwks = { keys: [{ ...(await jose.exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }] }
  const refreshSecrets = (): readonly string[] => ['r'.repeat(32)]
  return { signer, keys: { jwks: async () => jwks, signer: async () => signer, refreshSecrets } }
}

async function schoolOf(keys?: KeySource): Promise<School> {
  const school = await createSchool(keys === undefined ? {} : { options: { keys } })
  school.people.set(MATE.subject, MATE)
  return school
}

const SILENT = { ...PORTFOLIO_REQUEST, prompt: 'none' }

/** The ID token of a student who allowed the app. */
const tokenOf = async (school: School): Promise<string> =>
  (await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })).id_token!

/** The response to a request without a page, as the person who is signed in. */
async function answerTo(school: School, request: Fields): Promise<Record<string, string>> {
  const response = await createBrowser(school).open(authorizationUrl(request))
  const location = response.headers.get('location')
  return location === null ? {} : Object.fromEntries(new URL(location).searchParams)
}

const isSignedIn = (school: School, { subject }: { subject: string }): void => {
  school.signedIn = { subject, authTime: school.clock.now }
}

describe('an id_token_hint', () => {
  it('that names the person who is signed in changes nothing [AUTH-37]', async () => {
    const school = await schoolOf()
    const id_token_hint = await tokenOf(school)
    isSignedIn(school, STUDENT)
    expect(await answerTo(school, { ...SILENT, id_token_hint })).toEqual({
      code: expect.stringMatching(/^hpc_/),
      state: STATE,
      iss: ISSUER,
    })
    const browser = createBrowser(school)
    await browser.open(authorizationUrl({ id_token_hint }))
    expect(school.view?.page).toBe('consent')
  })

  it('that names another gets login_required without a page [AUTH-37]', async () => {
    const school = await schoolOf()
    const id_token_hint = await tokenOf(school)
    await approve(school, PORTFOLIO_REQUEST, MATE)
    expect(await answerTo(school, SILENT)).toMatchObject({ code: expect.anything() })
    expect(await answerTo(school, { ...SILENT, id_token_hint })).toEqual({
      error: 'login_required',
      error_description: 'the person whom id_token_hint names is not signed in',
      state: STATE,
      iss: ISSUER,
    })
    expect(reasonsOf(school).at(-1)).toBe('person_signed_out')
  })

  it('says so to an app that no one has reviewed as well, since a person is signed in [AUTH-37]', async () => {
    const school = await schoolOf()
    const id_token_hint = await tokenOf(school)
    isSignedIn(school, OWNER)
    const request = { id_token_hint, prompt: 'none' }
    expect(await answerTo(school, request)).toMatchObject({ error: 'login_required' })
    school.signedIn = null
    expect(await answerTo(school, request)).toMatchObject({
      error: 'login_required',
      error_description: 'the person is not signed in',
    })
  })

  it('that names another asks for that account, until it is signed in [AUTH-37]', async () => {
    const school = await schoolOf()
    const id_token_hint = await tokenOf(school)
    isSignedIn(school, MATE)
    const browser = createBrowser(school)
    await browser.open(authorizationUrl({ id_token_hint }))
    if (school.view?.page !== 'signIn') throw new Error(`the page is ${school.view?.page}`)
    const { cause, returnTo } = school.view.view
    expect(cause).toBe('other_account')
    isSignedIn(school, MATE)
    await browser.open(returnTo)
    expect(school.view.page).toBe('signIn')
    isSignedIn(school, STUDENT)
    await browser.open(returnTo)
    expect(school.view.page).toBe('consent')
    const { action, csrfToken } = (school.view as unknown as { view: Record<string, string> }).view

    // Another person who signs in meanwhile, in another tab, gets no code either.
    isSignedIn(school, MATE)
    const form = { csrf_token: csrfToken!, decision: 'allow' }
    expect((await browser.post(action!, form)).headers.get('location')).toBeNull()
    expect(school.view.page).toBe('signIn')
    isSignedIn(school, STUDENT)
    const allowed = await browser.post(action!, form)
    expect(new URL(allowed.headers.get('location')!).searchParams.get('code')).toMatch(/^hpc_/)
  })

  it('is the same to who is signed out [AUTH-37]', async () => {
    const school = await schoolOf()
    const id_token_hint = await tokenOf(school)
    school.signedIn = null
    await createBrowser(school).open(authorizationUrl({ id_token_hint }))
    expect(school.view).toMatchObject({ page: 'signIn', view: { cause: 'signed_out' } })
  })

  it('counts when it has expired, and when it is for another app [AUTH-37]', async () => {
    const { keys, signer } = await keyPair()
    const school = await schoolOf(keys)
    const claims = { iss: ISSUER, sub: STUDENT.subject, aud: 'another', iat: 1, exp: 2 }
    const id_token_hint = await signer.sign(claims)
    await approve(school, PORTFOLIO_REQUEST, MATE)
    expect(await answerTo(school, { ...SILENT, id_token_hint })).toMatchObject({
      error: 'login_required',
    })
  })

  it('is ignored unless a published key signed it for this issuer [AUTH-37]', async () => {
    const { keys, signer } = await keyPair()
    const school = await schoolOf(keys)
    const claims = { iss: ISSUER, sub: STUDENT.subject }
    const good = await signer.sign(claims)
    const [header, , signature] = good.split('.')
    const other = jose.base64url.encode(JSON.stringify({ ...claims, sub: OWNER.subject }))
    const unsigned = jose.base64url.encode(JSON.stringify({ alg: 'none', kid: 'key-1' }))
    const { publicKey } = await jose.generateKeyPair('ES256')
    const secret = new TextEncoder().encode(JSON.stringify(await jose.exportJWK(publicKey)))
    const hints = [
      '',
      'x',
      `${header}.${other}.${signature}`,
      `${unsigned}.${good.split('.')[1]}.`,
      await (await keyPair()).signer.sign(claims),
      await (await keyPair('key-2')).signer.sign(claims),
      await signer.sign({ ...claims, iss: 'https://other.example' }),
      await signer.sign({ iss: ISSUER }),
      await signer.sign({ iss: ISSUER, sub: 7 }),
      await new jose.SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
        .sign(secret),
    ]
    await approve(school, PORTFOLIO_REQUEST, MATE)
    for (const id_token_hint of hints)
      expect([id_token_hint, await answerTo(school, { ...SILENT, id_token_hint })]).toEqual([
        id_token_hint,
        { code: expect.anything(), state: STATE, iss: ISSUER },
      ])
    expect(await answerTo(school, { ...SILENT, id_token_hint: good })).toMatchObject({
      error: 'login_required',
    })
  })

  it('is no failure of the keys, which a request without one does not need [AUTH-37]', async () => {
    const { keys } = await keyPair()
    const away: KeySource = { ...keys, jwks: () => Promise.reject(new Error('away')) }
    const school = await schoolOf(away)
    isSignedIn(school, STUDENT)
    const open = async (request: Fields): Promise<number> =>
      (await createBrowser(school).open(authorizationUrl(request))).status
    expect(await open({})).toBe(200)
    expect(await open({ id_token_hint: 'x' })).toBe(503)
  })

  it('leaves no name in the store [AUTH-37]', async () => {
    const { store, calls } = recordingStore()
    const { keys, signer } = await keyPair()
    const school = await createSchool({ store, options: { keys } })
    const hint = { id_token_hint: await signer.sign({ iss: ISSUER, sub: 'per_hinted' }) }
    const pendings = async (request: Fields): Promise<unknown> => {
      await createBrowser(school).open(authorizationUrl(request))
      const { parameters } = calls.findLast(({ method }) => method === 'savePending')!
      return (parameters[0] as { hintedHash: unknown }).hintedHash
    }
    expect(await pendings({})).toBeNull()
    const kept = await pendings(hint)
    expect(kept).toMatch(/^[\w-]{43}$/)
    expect(await pendings(hint)).not.toBe(kept)
    expect(JSON.stringify(calls)).not.toContain('per_hinted')
  })
})
