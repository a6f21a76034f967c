import type { Site } from 'hallpass'
import { createClientManagement, decideManager } from 'hallpass/clients'
import { schoolRoles } from 'hallpass/scope'
import { hashToken } from 'hallpass/token'
import { OWNER, STUDENT } from '../../support/school/school.js'
import { CLIENTS, expectReply, type Hand, handOf, TOKEN, USERINFO } from './hand.js'
import type { World } from './world.js'

/** Something that a school gave to a client or a person, or that was made for this school. */
export interface Credential {
  readonly kind: string
  readonly value: string
  /** What else its holder has, such as the cookies of the browser. */
  readonly more: Readonly<Record<string, string>>
  /** Uses it at its own school. Throws unless it works. */
  readonly use: () => Promise<unknown>
}

const lastPart = (path: string): string => path.split('/').at(-1)!

/** Signs real people in at a school with real clients, and returns all that they have then. */
export async function obtain(world: World, issuer: string): Promise<readonly Credential[]> {
  const hand = handOf(world, issuer)
  const found: Credential[] = []
  const add: Add = (kind, value, use, more = {}) => void found.push({ kind, value, use, more })
  for (const obtainSome of [ofTokens, ofBrowsers, ofBlocks, ofApis]) await obtainSome(hand, add)
  await ofClients(hand, add, (await world.serverOf(issuer)).site)
  return found
}

type Add = (kind: string, value: string, use: Credential['use'], more?: Credential['more']) => void

async function ofTokens(hand: Hand, add: Add): Promise<void> {
  const member = await hand.issue('buddy')
  add('access token', member.access_token, () => hand.opens(member.access_token))
  add('refresh token', member.refresh_token, () => hand.refresh('buddy', member.refresh_token), {
    client: 'buddy',
  })
  add('id token', member.id_token, async () => {
    const form = hand.authorization('buddy', { prompt: 'none', id_token_hint: member.id_token })
    const { reply } = await hand.authorize(form, hand.signIn(STUDENT.subject))
    // The person is the one of the hint, and did not remember a consent.
    expectReply(reply, 'id token', reply.location!.includes('consent_required'))
  })
  const staff = await hand.issue('desk')
  add('access token of staff', staff.access_token, () => hand.courses(staff.access_token))
  const confidential = await hand.issue('hub')
  add('refresh token of a client with a secret', confidential.refresh_token, () => hand.refresh('hub', confidential.refresh_token), { client: 'hub' }) // prettier-ignore
  const rotated = await hand.issue('hub')
  await hand.refresh('hub', rotated.refresh_token)
  add('rotated refresh token', rotated.refresh_token, () => hand.refresh('hub', rotated.refresh_token), { client: 'hub' }) // prettier-ignore
  const service = await hand.service()
  add('access token of a service', service.access_token, () => hand.courses(service.access_token))
  for (const part of ['access_token', 'refresh_token'] as const) {
    const ended = await hand.issue('buddy')
    add(`${part.replace('_', ' ')} that is revoked`, ended[part], async () => {
      const form = { token: ended[part], client_id: CLIENTS.buddy.id }
      const reply = await hand.ask('/api/oauth/revoke', { form })
      expectReply(reply, 'revoke', reply.status === 200)
      const headers = { authorization: `Bearer ${ended.access_token}` }
      const after = await hand.ask(USERINFO, { headers })
      expectReply(after, 'revoked token', after.status === 401)
    }, { client: 'buddy' }) // prettier-ignore
  }
  const proof = await hand.sign().proof(TOKEN)
  const bound = await hand.issue('buddy', { dpop: proof })
  add('bound access token', bound.access_token, async () => {
    const token = bound.access_token
    const own = await hand.sign().proof(USERINFO, { method: 'GET', token })
    const headers = { authorization: `DPoP ${token}`, dpop: own }
    const reply = await hand.ask(USERINFO, { headers })
    expectReply(reply, 'bound token', reply.status === 200)
  })
  for (const client of ['buddy', 'desk', 'hub', 'signer', 'notes'] as const) {
    const code = await hand.codeOf(client)
    add(`code of ${client}`, code, () => hand.redeem(client, code), { client })
  }
}

async function ofBrowsers(hand: Hand, add: Add): Promise<void> {
  for (const client of ['buddy', 'desk', 'notes'] as const) {
    const waiting = await hand.begin(client)
    const use = async () => hand.redeem(client, await hand.allow(waiting))
    add('pending request', lastPart(waiting.path), use, { cookie: waiting.cookie })
  }
  const denied = await hand.begin('hub')
  add('pending request', lastPart(denied.path), async () => {
    const reply = await hand.decide(denied, 'deny')
    expectReply(reply, 'deny', reply.location?.includes('access_denied') === true)
  }, { cookie: denied.cookie }) // prettier-ignore
  const browser = await hand.begin('buddy')
  add('cookie of a browser', browser.cookie, () => hand.allow(browser), {
    interaction: lastPart(browser.path),
  })
  const session = hand.signIn(OWNER.subject)
  add('session', session, async () => {
    const { path, cookie } = await hand.authorize(hand.authorization('desk'), session)
    await hand.allow({ path, cookie })
  })
  await hand.codeOf('hub')
  add('remembered consent', `the consent of ${CLIENTS.hub.who} at ${hand.issuer}`, async () => {
    const form = hand.authorization('hub', { prompt: 'none' })
    const { reply } = await hand.authorize(form, hand.signIn(STUDENT.subject))
    expectReply(reply, 'remembered consent', /[?&]code=/.test(reply.location!))
  })
}

async function ofBlocks(hand: Hand, add: Add): Promise<void> {
  const pushed = await hand.push('signer')
  add('pushed request', pushed, async () => hand.redeem('signer', await hand.allow(await hand.pushed('signer', pushed))), { client: 'signer' }) // prettier-ignore
  const waiting = await hand.device()
  const enterAndPoll = async () => {
    await hand.enter(waiting.user_code)
    return hand.poll(waiting.device_code)
  }
  add('device code', waiting.device_code, enterAndPoll)
  const allowed = await hand.device()
  await hand.enter(allowed.user_code)
  add('device code that is allowed', allowed.device_code, () => hand.poll(allowed.device_code))
  const { user_code } = await hand.device()
  const { cookie, csrf } = await hand.devicePage()
  add('user code', user_code, () => hand.enter(user_code), { cookie, csrf })
  const assertion = await hand.as('signer')
  const service = { grant_type: 'client_credentials', scope: 'courses:read' }
  add('client assertion', assertion['client_assertion']!, () => hand.tokens({ ...service, ...assertion })) // prettier-ignore
  const jag = await hand.sign().idJag()
  add('identity assertion', jag['assertion']!, async () => hand.tokens({ ...jag, ...(await hand.as('signer')) })) // prettier-ignore
  const proof = await hand.sign().proof(TOKEN)
  add('proof', proof, () => hand.service({ dpop: proof }))
}

async function ofApis(hand: Hand, add: Add): Promise<void> {
  const { access_token: token } = await hand.issue('desk')
  const list = await hand.courses(token, '?limit=1&sort=created_at')
  const { page } = list.json as { page: { next_cursor: string } }
  add('cursor of a list', page.next_cursor, () => hand.courses(token, `?limit=1&sort=created_at&cursor=${page.next_cursor}`)) // prettier-ignore
  const [key] = token.split('.')
  const create = async () => {
    const headers = {
      authorization: `Bearer ${token}`,
      'idempotency-key': `key_${key!.slice(-20)}`,
    }
    const reply = await hand.ask('/api/v1/courses', { json: { title: `made at ${hand.issuer}` }, headers }) // prettier-ignore
    return expectReply(reply, 'create', reply.status === 201)
  }
  await create()
  add('idempotency key', `key_${key!.slice(-20)}`, create)
  const member = await hand.issue('hub', {}, { scope: 'openid account:read' })
  const { grantId } = (await hand.store.findAccessToken(hashToken(member.access_token)))!.grant
  const link = { path: `/oauth/interaction/${grantId}?add=account:write`, cookie: hand.signIn(STUDENT.subject) } // prettier-ignore
  add('step-up link', grantId, async () => {
    const narrow = await hand.decide(link)
    expectReply(narrow, 'step-up', narrow.status === 200)
  })
}

async function ofClients(hand: Hand, add: Add, site: Site): Promise<void> {
  const registered = await hand.ask('/api/oauth/register', { json: { client_name: 'Pen', redirect_uris: ['http://127.0.0.1/cb'] } }) // prettier-ignore
  expectReply(registered, 'register', registered.status === 201)
  const id = registered.json['client_id'] as string
  const client = { client_id: id, redirect_uri: 'http://127.0.0.1:5000/cb', scope: 'openid courses:read' } // prettier-ignore
  const waiting = () => hand.authorize(hand.authorization('desk', client), hand.signIn(OWNER.subject)) // prettier-ignore
  add('client id', id, async () => hand.allow(await waiting()), client)
  const decided = decideManager({ person: OWNER, table: schoolRoles })
  if (!decided.ok) throw new Error(decided.reason)
  const management = createClientManagement(site as never)
  const made = await management.createService(decided.manager, { name: 'Sync', description: '', scopes: ['courses:read'] }) // prettier-ignore
  if (!made.ok) throw new Error(JSON.stringify(made))
  const service = { client_id: made.client.clientId, client_secret: made.clientSecret }
  const form = { grant_type: 'client_credentials', scope: 'courses:read', ...service }
  add('client secret', made.clientSecret, () => hand.tokens(form), service)
  const hub = await hand.as('hub')
  add('secret of a client of both', hub['client_secret']!, async () => {
    const reply = await hand.ask('/api/oauth/introspect', { form: { ...hub, token: 'x' } })
    expectReply(reply, 'introspect', reply.status === 200)
  }, hub) // prettier-ignore
}
