import {
  addClient,
  addSigner,
  asserting,
  ASSERTION_TYPE,
  basic,
  grantOf,
  SECRET,
  type Signer,
  withSecret,
} from '../support/attack/block-clients.js'
import {
  createKeys,
  forgeriesOf,
  secondsNow,
  signing,
  wrongNames,
  wrongTimes,
} from '../support/attack/jwts.js'
import { authorizePath, form } from '../support/attack/requests.js'
import { type Attack, type AttackClass, type Exchange } from '../support/attack/run.js'
import type { Service } from '../support/attack/service.js'
import type { Answer, Sent } from '../support/attack/wire.js'
import type { Fields } from '../support/school/flow.js'

const TOKEN = '/api/oauth/token'
type Claims = Readonly<Record<string, unknown>>
const GIVEN = ['"access_token"', '"active":true', '"request_uri":'] as const

/** Values of a claim that is there only if it is right. */
const changed = (name: string, values: readonly unknown[]): readonly Claims[] =>
  values.map((value) => ({ [name]: value }))

/** Claims that say another thing than the client that signs them may say. */
function wrongClaims(service: Service, now: number, { clientId }: Signer): readonly Claims[] {
  const { lantern, kiln } = service.origin
  const audiences = [
    ...wrongNames(lantern).filter((one) => JSON.stringify(one) !== JSON.stringify([lantern])),
    kiln, kiln + TOKEN, `${lantern}/api/oauth/introspect`, `${lantern}/api/oauth/revoke`, `${lantern}/mcp`, `${lantern}${TOKEN}/`, `${lantern}${TOKEN}?x`,
    [lantern, kiln], [kiln, lantern], [lantern, lantern + TOKEN], 'https://127.0.0.1', 'https://evil.test/api/oauth/token',
  ] // prettier-ignore
  const types = ['now', [now], {}, true, String(now)]
  return [
    ...changed('iss', [...wrongNames(clientId), 'study-buddy', 'attacks-other', lantern]),
    ...changed('sub', [...wrongNames(clientId), 'study-buddy', 'attacks-other', 'mem_l01', lantern]),
    ...changed('aud', audiences),
    ...changed('exp', wrongTimes(now)),
    ...['iat', 'nbf'].flatMap((name) => changed(name, [...types, now + 300, now * 1000])),
    ...changed('jti', [undefined, null, '', 7, true, {}, ['x'], 'x'.repeat(257)]),
    { iss: 'attacks-other', sub: 'attacks-other' },
    { iss: 'attacks-secret', sub: 'attacks-secret' },
    { iss: 'study-buddy', sub: 'study-buddy' },
    { iss: 'nobody', sub: 'nobody' },
  ] // prettier-ignore
}

/** The same assertion a second time, at each endpoint, and eight at a time: one is accepted. */
function repeated(signer: Signer, uses: readonly Use[]): readonly Exchange[] {
  const isIn = ({ status }: Answer): boolean => status === 200 || status === 201
  const later = uses.map((use): Exchange => ({
    name: `${use.name}: an assertion that was used before`,
    times: uses.length + 1,
    async run(service) {
      const assertion = await signer.sign()
      const first = await service.send(use.with(asserting(assertion)))
      const faults = isIn(first) ? [] : [`the first use: ${first.status} ${first.text}`]
      for (const again of uses) {
        const answer = await service.send(again.with(asserting(assertion)))
        if (answer.status !== 401)
          faults.push(`then ${again.name}: ${answer.status} ${answer.text}`)
      }
      return faults
    },
  }))
  const at = uses.find(({ name }) => name === 'introspection')!
  const together = Array.from({ length: 6 }, (_, race): Exchange => ({
    name: `race ${race} of one assertion`,
    times: 8,
    async run(service) {
      const assertion = await signer.sign()
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => service.send(at.with(asserting(assertion)))),
      )
      const accepted = answers.filter(isIn).length
      return accepted === 1 ? [] : [`${accepted} of 8 were accepted`]
    },
  }))
  return [...later, ...together]
}

/** An endpoint that authenticates clients: the request of the client, with these fields in place of a secret. */
interface Use {
  readonly name: string
  readonly with: (fields: Fields, headers?: Readonly<Record<string, string>>) => Sent
}

/** An assertion speaks for the client that signed it, here, now, once; and for no other. */
export const clientAssertions: AttackClass = {
  name: 'client assertions',
  least: 900,
  async build(service) {
    const origin = service.origin.lantern
    const now = secondsNow()
    const signer = await addSigner(service, { clientId: 'attacks-signer' })
    const other = await addSigner(service, { clientId: 'attacks-other' })
    const rsa = await createKeys('RS256')
    // Both keys are its own, and it has named one algorithm.
    const pinned = await addSigner(service, {
      clientId: 'attacks-pinned',
      keys: { jwks: { keys: [{ ...rsa.jwk, kid: 'r1' }] }, jwksUri: null, signingAlg: 'ES256' },
    })
    const ofPinned = { iss: pinned.clientId, sub: pinned.clientId }
    await addClient(service, { clientId: 'attacks-secret', ...withSecret() })
    const { accessToken, refreshToken } = await service.mint(grantOf(signer.clientId))
    const asked = Object.fromEntries(new URL(authorizePath(origin), origin).searchParams)
    const uses: readonly Use[] = [
      ['refresh', TOKEN, { grant_type: 'refresh_token', refresh_token: refreshToken }],
      ['introspection', '/api/oauth/introspect', { token: accessToken }],
      ['revocation', '/api/oauth/revoke', { token: 'hp_at_of_nobody' }],
      ['push', '/api/oauth/par', { ...asked, client_id: signer.clientId }],
    ].map(([name, path, own]) => ({
      name: name as string,
      with: (fields, headers = {}) => form(path as string, { ...(own as Fields), ...fields }, headers),
    })) // prettier-ignore
    const attacks: (Attack | Exchange)[] = []
    const add = (name: string, fields: Fields, headers: Readonly<Record<string, string>> = {}): void => {
      for (const use of uses)
        attacks.push({
          name: `${use.name}: ${name}`,
          request: use.with(fields, headers),
          statuses: [400, 401],
          without: GIVEN,
        })
    } // prettier-ignore
    for (const [name, jwt] of await forgeriesOf(signer.sign, signer.keys, 'ES256'))
      add(name, asserting(jwt))
    for (const claims of wrongClaims(service, now, signer))
      add(JSON.stringify(claims).slice(0, 80), asserting(await signer.sign(claims)))
    for (const alg of ['ES384', 'RS256', 'PS512', 'EdDSA', 'HS256', ''])
      add(`signed by ES256, named ${alg}`, asserting(renamed(await signer.sign(), alg)))
    add('by RS256 of a client that named ES256', asserting(await signing(rsa, { ...ofPinned, aud: origin, exp: now + 240 }, 'RS256')())) // prettier-ignore
    add('of another client, for its client_id', { client_id: signer.clientId, ...asserting(await other.sign()) }) // prettier-ignore
    for (const type of ['', 'x', ASSERTION_TYPE.toUpperCase(), `${ASSERTION_TYPE} `, 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer', 'urn:ietf:params:oauth:grant-type:jwt-bearer'])
      add(`of the type "${type}"`, { client_id: signer.clientId, client_assertion: await signer.sign(), client_assertion_type: type }) // prettier-ignore
    add('without a type', { client_id: signer.clientId, client_assertion: await signer.sign() })
    add('only a type', { client_id: signer.clientId, client_assertion_type: ASSERTION_TYPE })
    add('no method at all', { client_id: signer.clientId })
    add('a secret in its place', { client_id: signer.clientId, client_secret: SECRET })
    add('Basic in its place', {}, basic(signer.clientId, SECRET))
    add('two', asserting([await signer.sign(), await signer.sign()]))
    add('the same one twice', asserting(await signer.sign().then((one) => [one, one])))
    add('two types', { client_assertion: await signer.sign(), client_assertion_type: [ASSERTION_TYPE, ASSERTION_TYPE] }) // prettier-ignore
    add('and a secret', { ...asserting(await signer.sign()), client_secret: SECRET })
    add('and an empty secret with Basic', { ...asserting(await signer.sign()), client_secret: '' }, basic(signer.clientId, '')) // prettier-ignore
    for (const id of [signer.clientId, 'attacks-secret', 'study-buddy'])
      add(`and Basic of ${id}`, asserting(await signer.sign()), basic(id, SECRET))
    add('and a bearer token', asserting(await signer.sign()), { authorization: `Bearer ${accessToken}` }) // prettier-ignore
    for (const id of ['attacks-other', 'attacks-secret', 'study-buddy', 'desk-cli', 'nobody'])
      add(`and the client_id ${id}`, { ...asserting(await signer.sign()), client_id: id })
    add('the access token', asserting(accessToken))
    add('the refresh token', asserting(refreshToken))

    const controls: Attack[] = []
    for (const use of uses.filter(({ name }) => name !== 'refresh'))
      controls.push({ name: use.name, request: use.with(asserting(await signer.sign())), statuses: [200, 201] }) // prettier-ignore
    const refresh = uses.find(({ name }) => name === 'refresh')!
    // A member of nothing is absent.
    const rights = [{ aud: [origin] }, { aud: origin + TOKEN }, { iat: null, nbf: '' }]
    for (const claims of rights)
      controls.push({
        name: `introspection with ${JSON.stringify(claims)}`,
        request: uses[1]!.with(asserting(await signer.sign(claims))),
        statuses: [200],
        fault: ({ text }) => (text.includes('"active":true') ? null : 'the token has ended'),
      })
    controls.push({ name: 'refresh', request: refresh.with(asserting(await signer.sign())), statuses: [200] }) // prettier-ignore
    const races = repeated(signer, uses.filter(({ name }) => name !== 'refresh')) // prettier-ignore
    return {
      attacks: [...attacks, ...races],
      controls,
      changes: {
        // Each that is accepted uses up one, and no other does.
        hallpass_use: controls.length + races.length,
        hallpass_access_token: 1,
        hallpass_refresh_token: 1,
      },
    }
  },
}

/** The same claims and signature below the name of another algorithm. */
function renamed(jwt: string, alg: string): string {
  const [, claims, signature] = jwt.split('.')
  return `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.${claims}.${signature}`
}
