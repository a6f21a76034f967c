import { sha256Base64url } from '../../../src/encoding/hash.js'
import { DEVICE_GRANT } from '../../support/school/device-school.js'
import { NOTES_URL } from '../../support/school/metadata-documents.js'
import { DESK_CLI } from '../../support/school/policy-samples.js'
import { OWNER, PORTFOLIO_HUB, STUDENT, STUDY_BUDDY } from '../../support/school/school.js'
import { type Signed, signed, SIGNER } from './signing.js'
import { type Ask, type Reply, secretAt, type World } from './world.js'

export const VERIFIER = 'a-verifier-of-forty-three-characters-or-more'
const CHALLENGE = sha256Base64url(VERIFIER)
export const TOKEN = '/api/oauth/token'
export const USERINFO = '/api/oauth/userinfo'

type Form = Record<string, string>

/** How each client asks, for whom, and how it proves at the token endpoint that it is itself. */
export const CLIENTS = {
  buddy: { id: STUDY_BUDDY.clientId, uri: STUDY_BUDDY.redirectUris[0]!, scope: 'openid account:read', who: STUDENT.subject },
  desk: { id: DESK_CLI.clientId, uri: DESK_CLI.redirectUris[0]!, scope: 'openid courses:read courses:write', who: OWNER.subject },
  hub: { id: PORTFOLIO_HUB.clientId, uri: PORTFOLIO_HUB.redirectUris[0]!, scope: 'openid account:read account:write', who: STUDENT.subject },
  signer: { id: SIGNER, uri: 'https://signer.example/cb', scope: 'openid courses:read', who: OWNER.subject },
  notes: { id: NOTES_URL, uri: 'https://notes.example/cb', scope: 'openid courses:read', who: OWNER.subject },
} as const // prettier-ignore
export type ClientName = keyof typeof CLIENTS

/** A request that waits for a person at a browser. */
export interface Waiting {
  /** Its page, whose last part is its identifier. */
  readonly path: string
  /** The cookies of the browser: that of hallpass, and the session. */
  readonly cookie: string
}

/** The tokens of a response. */
export interface Issued {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

/** Returns what the parts of a reply have to be, or throws with the reply. */
export function expectReply(reply: Reply, what: string, isFine: boolean): Reply {
  if (isFine) return reply
  throw new Error(
    `${what}: ${reply.status} ${reply.reasons.join()} ${reply.location ?? ''} ${reply.text.slice(0, 400)}`,
  )
}

/** The clients and the people of one school. */
export function handOf(world: World, issuer: string) {
  const store = world.storage.storeOf(issuer)
  const sign = (): Signed => signed(issuer, world.clock.now, () => world.nextId(issuer))
  const ask = (path: string, how?: Ask): Promise<Reply> => world.ask(issuer, path, how)
  const signIn = (subject: string): string => world.signIn(issuer, subject)

  const authorization = (name: ClientName, more: Form = {}): Form => ({
    response_type: 'code',
    client_id: CLIENTS[name].id,
    redirect_uri: CLIENTS[name].uri,
    scope: CLIENTS[name].scope,
    resource: issuer,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'state',
    ...more,
  })
  const cookieOf = ({ headers }: Reply): string =>
    headers.getSetCookie().map((one) => one.split(';', 1)[0]!).join('; ') // prettier-ignore

  async function authorize(form: Form, session: string): Promise<Waiting & { reply: Reply }> {
    const reply = await ask(`/oauth/authorize?${new URLSearchParams(form)}`, {
      headers: { cookie: session },
    })
    expectReply(reply, 'authorize', reply.location !== null)
    return {
      reply,
      path: reply.location!,
      cookie: [session, cookieOf(reply)].filter(Boolean).join('; '),
    }
  }
  const begin = (name: ClientName, more: Form = {}): Promise<Waiting> =>
    authorize(authorization(name, { prompt: 'consent', ...more }), signIn(CLIENTS[name].who))

  async function decide(
    { path, cookie }: Waiting,
    decision: 'allow' | 'deny' = 'allow',
  ): Promise<Reply> {
    const shown = await ask(path, { headers: { cookie } })
    const { action, csrfToken } = shown.json as { action: string; csrfToken: string }
    expectReply(shown, 'consent page', typeof csrfToken === 'string')
    return ask(action, {
      form: { csrf_token: csrfToken, decision },
      headers: { cookie: [cookie, cookieOf(shown)].filter(Boolean).join('; '), origin: issuer },
    })
  }
  async function allow(waiting: Waiting): Promise<string> {
    const reply = await decide(waiting)
    const code = reply.location === null ? null : new URL(reply.location, issuer).searchParams.get('code') // prettier-ignore
    expectReply(reply, 'no code', code !== null)
    return code!
  }
  const codeOf = async (name: ClientName, more: Form = {}): Promise<string> =>
    allow(await begin(name, more))

  /** The fields with which a client names itself. */
  const as = async (name: ClientName): Promise<Form> =>
    name === 'signer'
      ? sign().clientAssertion()
      : {
          client_id: CLIENTS[name].id,
          ...(name === 'hub' && { client_secret: secretAt(issuer) }),
        }
  async function tokens(form: Form, headers: Form = {}): Promise<Issued> {
    const reply = await ask(TOKEN, { form, headers })
    expectReply(reply, 'no tokens', reply.status === 200)
    return reply.json as unknown as Issued
  }
  const redeem = async (name: ClientName, code: string, headers: Form = {}): Promise<Issued> =>
    tokens(
      {
        grant_type: 'authorization_code',
        code,
        code_verifier: VERIFIER,
        redirect_uri: CLIENTS[name].uri,
        resource: issuer,
        ...(await as(name)),
      },
      headers,
    )
  const issue = async (name: ClientName, headers: Form = {}, more: Form = {}): Promise<Issued> =>
    redeem(name, await codeOf(name, more), headers)
  const refresh = async (name: ClientName, refresh_token: string): Promise<Issued> =>
    tokens({ grant_type: 'refresh_token', refresh_token, ...(await as(name)) })
  const service = async (headers: Form = {}): Promise<Issued> =>
    tokens(
      { grant_type: 'client_credentials', scope: 'courses:read', ...(await as('signer')) },
      headers,
    )

  async function opens(access_token: string): Promise<void> {
    const reply = await ask(USERINFO, { headers: { authorization: `Bearer ${access_token}` } })
    expectReply(reply, 'userinfo', reply.status === 200)
  }
  async function courses(token: string, query = ''): Promise<Reply> {
    const headers = { authorization: `Bearer ${token}` }
    const reply = await ask(`/api/v1/courses${query}`, { headers })
    return expectReply(reply, 'courses', reply.status === 200)
  }
  async function push(name: ClientName): Promise<string> {
    const form = { ...authorization(name, { prompt: 'consent' }), ...(await as(name)) }
    const reply = await ask('/api/oauth/par', { form })
    return expectReply(reply, 'par', reply.status === 201).json['request_uri'] as string
  }
  const pushed = (name: ClientName, request_uri: string): Promise<Waiting> =>
    authorize({ client_id: CLIENTS[name].id, request_uri }, signIn(CLIENTS[name].who))

  async function device(): Promise<{ device_code: string; user_code: string }> {
    const { id, scope } = CLIENTS.desk
    const reply = await ask('/api/oauth/device_authorization', { form: { client_id: id, scope } })
    expectReply(reply, 'device', reply.status === 200)
    return reply.json as { device_code: string; user_code: string }
  }
  const devicePage = async (): Promise<Waiting & { csrf: string }> => {
    const session = signIn(OWNER.subject)
    const reply = await ask('/oauth/device', { headers: { cookie: session } })
    const { csrfToken } = reply.json as { csrfToken: string }
    expectReply(reply, 'device page', typeof csrfToken === 'string')
    return { path: '/oauth/device', cookie: `${session}; ${cookieOf(reply)}`, csrf: csrfToken }
  }
  async function enter(user_code: string, decision: 'allow' | 'deny' = 'allow'): Promise<void> {
    const { path, cookie, csrf } = await devicePage()
    const headers = { cookie, origin: issuer }
    const question = await ask(path, { form: { csrf_token: csrf, user_code }, headers })
    const { consent } = question.json as { consent?: { csrfToken: string; action: string } }
    expectReply(question, 'device question', consent !== undefined)
    const form = { csrf_token: consent!.csrfToken, user_code, decision }
    const done = await ask(consent!.action, { form, headers })
    expectReply(done, 'device decision', done.status === 200 && done.json['page'] === 'done')
  }
  const poll = (device_code: string): Promise<Issued> =>
    tokens({ grant_type: DEVICE_GRANT, device_code, client_id: CLIENTS.desk.id })

  return { issuer, store, ask, sign, signIn, authorization, authorize, begin, decide, allow, codeOf, as, tokens, redeem, issue, refresh, service, opens, courses, push, pushed, device, devicePage, enter, poll } // prettier-ignore
}
export type Hand = ReturnType<typeof handOf>
