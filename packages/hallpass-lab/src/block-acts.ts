import { PATHS } from 'hallpass/authorization-server'
import type { Chance } from './chance.js'
import type { SimulationRule } from './ledger.js'
import {
  type BlockAnswer,
  type BlockRequest,
  signed,
  SIGNER,
  SIGNER_CHALLENGE,
  SIGNER_REDIRECT,
  SIGNER_VERIFIER,
} from './simulated-blocks.js'
import { createSingleUse, sendOnce, type SingleUse } from './single-uses.js'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const [DEVICE, DEVICE_REQUEST, PUSH] = [
  '/oauth/device',
  '/api/oauth/device_authorization',
  '/api/oauth/par',
]
/** Not among the people whom others erase. */
const PERSON = 'per_dan'
/** How often a request is sent that got 503. */
const TRIES = 3

type Form = Readonly<Record<string, string>>
type Send = (request: BlockRequest) => Promise<BlockAnswer | null>

/** The acts of the client, and the people of its assertions, each of whom one assertion names. */
interface BlockActs {
  readonly idJags: readonly { readonly site: number; readonly subject: string }[]
  readonly acts: readonly (() => Promise<void>)[]
}

/** Creates every kind of request with something that may be used once: those of a client that signs. */
export function createBlockActs({
  chance,
  time,
  issuers,
  start,
  violate,
}: {
  chance: Chance
  time: () => number
  issuers: readonly string[]
  /** Starts a task that sends requests to a site. */
  start: (name: string, site: number, act: (send: Send) => Promise<void>) => Promise<void>
  violate: (rule: SimulationRule, what: string) => void
}): BlockActs {
  let last = 0
  const idJags: BlockActs['idJags'][number][] = []
  const earlier: (() => Promise<void>)[] = []

  /** Sends a request, and the same one again as often as the answer is 503. */
  const insist = async (
    send: Send,
    request: BlockRequest,
    uses: readonly SingleUse[] = [],
  ): Promise<BlockAnswer | null> => {
    for (let tries = 1; ; tries++) {
      const end = sendOnce(uses, { time, violate })
      const received = await send(request)
      end(received?.answer ?? null)
      if (received?.answer?.kind !== 'try again' || tries === TRIES) return received
    }
  }

  /** Signs a form. Every other one has a proof of a key as well. */
  async function signedBy(site: number, path: string, form: Form, more: readonly SingleUse[] = []) {
    const id = `once_${++last}`
    const issuer = issuers[site]!
    const uses = [
      ...more,
      createSingleUse('client assertion', `client assertion ${id}`, time() + 200),
    ]
    const proof = chance.is(0.5) ? await signed.proof(issuer + path, id, time()) : null
    if (proof !== null) uses.push(createSingleUse('DPoP proof', `proof ${id}`, time() + 20))
    const assertion = await signed.clientAssertion(issuer, id, time())
    const request: BlockRequest = {
      path,
      form: { client_id: SIGNER, ...form, ...assertion },
      ...(proof !== null && { proof }),
    }
    return { request, uses }
  }

  /** Sends the same request once or twice at the same time, and perhaps again much later. */
  async function submit(
    name: string,
    site: number,
    signing: Awaited<ReturnType<typeof signedBy>>,
  ): Promise<void> {
    const once = (): Promise<void> =>
      start(name, site, async (send) => {
        await insist(send, signing.request, signing.uses)
      })
    earlier.push(once)
    await once()
    if (chance.is(0.3)) await once()
  }

  const siteOf = (): number => (chance.is(0.8) ? 0 : 1)

  async function assert(): Promise<void> {
    const site = siteOf()
    const id = `jag_${++last}`
    const assertion = await signed.idJag(issuers[site]!, id, time())
    idJags.push({ site, subject: `per_${id}` })
    const form = { grant_type: JWT_BEARER, assertion }
    const use = createSingleUse('ID-JAG', id, time() + 200)
    await submit(`exchange of ${id}`, site, await signedBy(site, PATHS.token, form, [use]))
  }

  async function serve(): Promise<void> {
    const site = siteOf()
    const form = { grant_type: 'client_credentials' }
    await submit('token of a service', site, await signedBy(site, PATHS.token, form))
  }

  /** Exchanges a code. After a 503, the client signs anew. */
  async function exchange(
    send: Send,
    site: number,
    form: Form,
    { kind, until }: Pick<SingleUse, 'kind' | 'until'>,
  ): Promise<void> {
    const code = createSingleUse(kind, `${kind} ${++last}`, until)
    let answer: BlockAnswer | null = null
    for (let tries = 0; tries < TRIES && (answer === null || answer.answer?.kind === 'try again'); tries++) {
      const { request, uses } = await signedBy(site, PATHS.token, form, [code])
      answer = await insist(send, request, uses)
    } // prettier-ignore
    const { refresh_token: refreshToken, access_token: token } = answer?.body ?? {}
    if (refreshToken === undefined) return
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const refreshing = await signedBy(site, PATHS.token, refresh)
    // Its access token is bound to the key, so its refresh token may be, too.
    await insist(send, refreshing.request, refreshing.uses)
    const revoking = await signedBy(site, PATHS.revoke, { token: token! })
    const { proof: _proof, ...unproven } = revoking.request
    await insist(
      send,
      unproven,
      revoking.uses.filter(({ kind: one }) => one !== 'DPoP proof'),
    )
  }

  async function push(): Promise<void> {
    const site = siteOf()
    const isSilent = chance.is(0.3)
    const { request, uses } = await signedBy(site, PUSH, {
      response_type: 'code',
      redirect_uri: SIGNER_REDIRECT,
      scope: 'courses:read',
      state: 'state',
      code_challenge: SIGNER_CHALLENGE,
      code_challenge_method: 'S256',
      ...(isSilent && { prompt: 'none' }),
    })
    // A code of a request with a proof is bound to its key.
    const { proof: _proof, ...unproven } = request
    const name = `pushed sign-in ${++last}`
    await start(name, site, async (send) => {
      const pushedBy = time() + 20
      const pushed = await insist(
        send,
        unproven,
        uses.filter(({ kind }) => kind !== 'DPoP proof'),
      )
      const uri = pushed?.body['request_uri']
      if (uri === undefined) return
      const query = new URLSearchParams({ client_id: SIGNER, request_uri: uri })
      const browser = { subject: PERSON }
      const shown = await insist(
        send,
        { ...browser, path: `${PATHS.authorize}?${query}` },
        [createSingleUse('pushed request', `pushed request of ${name}`, pushedBy)],
      ) // prettier-ignore
      if (shown?.location?.startsWith('/') !== true) return
      const visit = { ...browser, path: shown.location, cookie: shown.cookie ?? '' }
      const asked = await insist(send, visit)
      if (asked === null || asked.csrfToken === null) return
      const codeBy = time() + 20
      const allowed = await insist(
        send,
        { ...visit, form: { csrf_token: asked.csrfToken, decision: 'allow' } },
        [createSingleUse('authorization request', `consent of ${name}`, pushedBy + 300)],
      ) // prettier-ignore
      const code = allowed?.location && new URL(allowed.location).searchParams.get('code')
      if (code)
        await exchange(
          send,
          site,
          { grant_type: 'authorization_code', code, code_verifier: SIGNER_VERIFIER, redirect_uri: SIGNER_REDIRECT },
          { kind: 'authorization code', until: codeBy },
        ) // prettier-ignore
    })
  }

  async function signInDevice(): Promise<void> {
    const site = siteOf()
    const { request, uses } = await signedBy(site, DEVICE_REQUEST, { scope: 'courses:read' })
    const { proof: _proof, ...unproven } = request
    const name = `device ${++last}`
    await start(name, site, async (send) => {
      const until = time() + 300
      const asked = await insist(send, unproven, uses.filter(({ kind }) => kind !== 'DPoP proof'))
      const { device_code: deviceCode, user_code: userCode } = asked?.body ?? {}
      if (deviceCode === undefined) return
      const browser = { subject: PERSON, path: DEVICE }
      const form = await insist(send, browser)
      if (form === null || form.csrfToken === null) return
      const visit = { ...browser, cookie: form.cookie ?? '' }
      const entered = { user_code: userCode!, csrf_token: form.csrfToken }
      const question = await insist(send, { ...visit, form: entered })
      if (question === null || question.csrfToken === null) return
      await insist(
        send,
        { ...visit, form: { ...entered, csrf_token: question.csrfToken, decision: 'allow' } },
        [createSingleUse('device code', `consent of ${name}`, until)],
      ) // prettier-ignore
      await exchange(send, site, { grant_type: DEVICE_GRANT, device_code: deviceCode }, { kind: 'device code', until })
    }) // prettier-ignore
  }

  const repeat = async (): Promise<void> => {
    if (earlier.length > 0) await chance.pick(earlier.slice(-6))()
    else await serve()
  }

  return { idJags, acts: [assert, assert, serve, push, push, signInDevice, repeat, repeat] }
}
