import {
  type Check,
  type Creates,
  type Depth,
  type Finding,
  judge,
  type Shared,
} from '../../check.js'
import type { Audit, Tokens } from '../../engine/audit.js'
import type { Answer } from '../../engine/http.js'
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
  clause: { document: 'Service description', section, level: 'MUST', says },
  depth,
  ...(creates !== undefined && { creates }),
  ...(shares !== undefined && { shares }),
  change,
  run,
})

export const passive = { depth: 'passive' } as const
export const anonymous = { depth: 'anonymous' } as const
/** One grant of the member, and one of staff, serve all statements. */
export const shared = {
  shares: [
    { name: 'school member', authorizations: 1 },
    { name: 'school operator', authorizations: 1 },
  ],
} as const

/** A scope or a path as a part of a name. */
export const slug = (text: string): string => text.replaceAll(/\W+|_/g, '-').toLowerCase()

/** Tokens of the member, which all statements share. */
export const memberTokens = (on: Audit): Promise<Tokens> =>
  on.once('school member', async () =>
    on.tokens({ client: await on.client('member'), person: 'member' }),
  )

/** Tokens of staff with every scope of operators. */
export const operatorTokens = (on: Audit): Promise<Tokens> =>
  on.once('school operator', async () => {
    const scope = [...IDENTITY_SCOPES, ...OPERATOR_SCOPES].join(' ')
    return on.tokens({ client: { ...(await on.client()), scope }, person: 0 })
  })

/** Sends a query of GraphQL. */
export const query = (on: Audit, text: string, token?: string): Promise<Answer> =>
  on.send(new URL('/account/graphql', on.origin), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query: text }),
  })

export const challengeOf = ({ headers }: Answer): string => headers.get('www-authenticate') ?? ''

/** Held if a protected resource answers with this status and error, and points to its metadata. */
export function challenged(answer: Answer, status: number, error: string): Finding {
  const challenge = challengeOf(answer)
  const isRight =
    answer.status === status &&
    new RegExp(`error="?${error}`).test(challenge) &&
    challenge.includes('resource_metadata=')
  return judge(
    isRight,
    `${answer.status} with ${challenge}`,
    `${answer.status}, and WWW-Authenticate is ${challenge || 'missing'}`,
  )
}
