import { type Finding, held, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, REDIRECT_URI } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { errorOf } from './expect.js'

/** The metadata of a website, for a server that registers no app on this computer. */
const WEBSITE = {
  application_type: 'web',
  redirect_uris: ['https://hallpass-audit.example/callback'],
}
export const isRegistered = ({ status, json }: Answer): boolean =>
  status >= 200 && status < 300 && typeof json['client_id'] === 'string' && json['client_id'] !== ''

/** Status and error, in words. */
export const said = (answer: Answer): string =>
  `${answer.status} ${errorOf(answer) || 'without an error'}`

/** A client that the server registered, and the metadata with which a further registration begins. */
interface Registered {
  readonly answer: Answer
  readonly base: Readonly<Record<string, unknown>>
  readonly redirectUri: string
}

/** The first registration, which all checks share: without it, a refusal of another one says nothing. */
export const registered = (on: Audit): Promise<Registered> =>
  on.once('registration', async () => {
    let answer = await on.register()
    if (isRegistered(answer)) return { answer, base: {}, redirectUri: REDIRECT_URI }
    if (answer.status === 401 || answer.status === 403)
      throw new Stop(notApplicable(`registration needs a token: ${said(answer)}`, answer))
    answer = await on.register(WEBSITE)
    const [redirectUri = ''] = WEBSITE.redirect_uris
    if (isRegistered(answer)) return { answer, base: WEBSITE, redirectUri }
    throw new Stop(notReached(`neither an app nor a website can be registered: ${said(answer)}`, answer))
  }) // prettier-ignore

/** Sends a registration that may be refused, which an error of the server is not. */
export async function tryRegister(
  on: Audit,
  changes: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const { base } = await registered(on)
  const answer = await on.register({ ...base, ...changes })
  if (answer.status < 500) return answer
  throw new Stop(notReached(`the registration is answered by ${said(answer)}`, answer))
}

/** Tries redirect URIs one by one: held if none of them is registered. */
export async function refusesEach(on: Audit, uris: readonly string[]): Promise<Finding> {
  let last: Answer | undefined
  for (const uri of uris) {
    const answer = await tryRegister(on, { redirect_uris: [uri] })
    const kept: unknown = answer.json['redirect_uris']
    // A server may register a client with other metadata than it sent.
    const isLeftOut = Array.isArray(kept) && !kept.includes(uri)
    if (isRegistered(answer) && !isLeftOut) return violated(answer, `${uri} is registered`)
    last = answer
  }
  return held(last!, `none of ${uris.join(', ')} is registered`)
}
