import { type Check, type Depth, type Shared } from '../../../packages/hallpass-audit/src/check.js'
import { AS, MUST } from '../../../packages/hallpass-audit/src/clause.js'
import {
  type Creates,
  type Finding,
  judge,
  notReached,
  Stop,
} from '../../../packages/hallpass-audit/src/finding.js'
import { mediaTypeOf } from '../../../packages/hallpass-audit/src/checks/expect.js'
import { type Audit, type AuthorizeOptions, type Changes, type Client, describe, type Ended, type Tokens } from '../../../packages/hallpass-audit/src/engine/audit.js' // prettier-ignore
import type { Answer } from '../../../packages/hallpass-audit/src/engine/http.js'
import { IDENTITY_SCOPES, OPERATOR_SCOPES } from './tables.js'

interface Words {
  readonly says: string
  readonly change: string
  /** Default: `people`. */
  readonly depth?: Depth
  readonly creates?: Creates
  readonly shares?: readonly Shared[]
}

/** One statement of the service description, with the heading and the number of its place there. */
export const statement = (
  section: string,
  name: string,
  { says, change, depth = 'people', creates, shares }: Words,
  run: Check['run'],
): Check => ({
  id: `school/${name}`,
  clause: { document: 'Service description', section, level: MUST, subject: AS, quote: says },
  depth,
  ...(creates !== undefined && { creates }),
  ...(shares !== undefined && { shares }),
  change,
  run,
})

export const passive = { depth: 'passive' } as const
export const anonymous = { depth: 'anonymous' } as const
/** A check with a grant of its own, which it may end. */
export const ownGrant = { creates: { authorizations: 1 } } as const

type Sharing = Pick<Words, 'shares'>

const grantOf = (name: string): Shared => ({ name: `school ${name}`, authorizations: 1 })
/** One grant of the member, and one of staff, serve most statements. */
export const shared: Sharing = { shares: [grantOf('member'), grantOf('operator')] }
/** A grant of the member with openid only, and one without it. */
export const narrow: Sharing = { shares: [grantOf('member'), grantOf('openid only')] }
export const withoutOpenid: Sharing = { shares: [grantOf('account only')] }

/** A scope or a path as a part of a name. */
export const slug = (text: string): string => text.replaceAll(/\W+|_/g, '-').toLowerCase()

/** An answer that several statements read. */
export const kept = (on: Audit, name: string, ask: () => Promise<Answer>): Promise<Answer> =>
  on.once(`school ${name}`, ask)

/** A grant that several statements share, of which some read a part only. */
interface Grant {
  readonly ended: Ended
  /** The token response; `null` if no code came. */
  readonly answer: Answer | null
  /** Stops if there are none. */
  readonly tokens: () => Tokens
}

const grant = (on: Audit, name: string, options: () => Promise<AuthorizeOptions>): Promise<Grant> =>
  on.once(`school ${name}`, async () => {
    const ended = await on.authorize(await options())
    const code = ended.parameters?.get('code') ?? null
    const answer = code === null ? null : await on.redeem({ ...ended, code })
    // oxlint-disable-next-line no-restricted-properties -- the clock of who receives the token
    const receivedAt = Date.now() / 1000
    return {
      ended,
      answer,
      tokens() {
        if (code === null || answer === null)
          throw new Stop(notReached(`no code came: ${describe(ended)}`, ended))
        return { ...on.tokensOf(answer, { ...ended, code }), receivedAt }
      },
    }
  })

const grantOfMember = (on: Audit, name = 'member', scope?: string): Promise<Grant> =>
  grant(on, name, async () => {
    const client = await on.client('member')
    return { client: { ...client, ...(scope !== undefined && { scope }) }, person: 'member' }
  })
const grantOfStaff = (on: Audit): Promise<Grant> =>
  grant(on, 'operator', async () => {
    const scope = [...IDENTITY_SCOPES, ...OPERATOR_SCOPES].join(' ')
    return { client: { ...(await on.client()), scope }, person: 0 }
  })

/** The end of the authorization request of the member. */
export const memberRequest = async (on: Audit): Promise<Ended> => (await grantOfMember(on)).ended

/** The token response of a shared grant. Stops if no code came. */
async function exchangeOf(made: Promise<Grant>): Promise<Answer> {
  const { answer, ended } = await made
  if (answer === null) throw new Stop(notReached(`no code came: ${describe(ended)}`, ended))
  return answer
}
export const memberExchange = (on: Audit): Promise<Answer> => exchangeOf(grantOfMember(on))
export const staffExchange = (on: Audit): Promise<Answer> => exchangeOf(grantOfStaff(on))

const tokensOf = async (made: Promise<Grant>): Promise<Tokens> => (await made).tokens()
export const memberTokens = (on: Audit): Promise<Tokens> => tokensOf(grantOfMember(on))
export const openidTokens = (on: Audit): Promise<Tokens> =>
  tokensOf(grantOfMember(on, 'openid only', 'openid'))
export const accountTokens = (on: Audit): Promise<Tokens> =>
  tokensOf(grantOfMember(on, 'account only', 'account:read'))
/** Tokens of staff with every scope of operators. */
export const operatorTokens = (on: Audit): Promise<Tokens> => tokensOf(grantOfStaff(on))

/** Whether a request led to a page for a person. */
export const isAsked = ({ page }: Ended): boolean => page.left === null && page.status < 400

/** Sends a request that has to be refused: before anyone signs in, or before the person may allow it. */
export async function refusalAt(
  on: Audit,
  client: Client,
  changes: Changes,
  person: 0 | 'member' = 0,
): Promise<Ended> {
  const ended = await on.knock(client, changes)
  return isAsked(ended) ? on.authorize({ client, person, allow: false, changes }) : ended
}

/** Sends JSON to a path, with an access token if there is one. */
export const postJson = (
  on: Audit,
  target: URL | string,
  body: string,
  token?: string,
): Promise<Answer> =>
  on.send(new URL(target, on.origin), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body,
  })

/** Sends a query of GraphQL. */
export const query = (on: Audit, text: string, token?: string): Promise<Answer> =>
  postJson(on, '/account/graphql', JSON.stringify({ query: text }), token)

/** Held if an answer is JSON. */
export function isJson(answer: Answer): Finding {
  const type = mediaTypeOf(answer)
  const found = `${answer.status} with ${type || 'no media type'}`
  return judge(answer, /^application\/(?:[\w.-]+\+)?json$/.test(type), found, found)
}

export const challengeOf = ({ headers }: Answer): string => headers.get('www-authenticate') ?? ''

/** Held if a protected resource wants a token. */
export function isChallenged(answer: Answer): Finding {
  const challenge = challengeOf(answer)
  return judge(answer, answer.status === 401 && challenge !== '', `401 with ${challenge}`, `${answer.status}, and WWW-Authenticate is ${challenge || 'missing'}`) // prettier-ignore
}

/** Held if a protected resource answers with this status and error, and points to its metadata. */
export function challenged(answer: Answer, status: number, error: string): Finding {
  const challenge = challengeOf(answer)
  const isRight =
    answer.status === status &&
    new RegExp(`error="?${error}`).test(challenge) &&
    challenge.includes('resource_metadata=')
  return judge(
    answer,
    isRight,
    `${answer.status} with ${challenge}`,
    `${answer.status}, and WWW-Authenticate is ${challenge || 'missing'}`,
  )
}
