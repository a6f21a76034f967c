import { type Check } from '../check.js'
import { ADVICE, AS, MUST, rfc8707, rfc9700, RS, SHOULD } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js' // prettier-ignore
import { type Audit, describe, type Ended } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { errorOf, isRefused, isSelfContained, openedBy, partOf, refusedRequest, renewed } from './expect.js' // prettier-ignore
import { OWN, ownTokens } from './introspection.js'

// prettier-ignore
const TEXT = {
  accepted: rfc8707('2.1', ADVICE, AS, 'Clients request the resource whose metadata they have read. A server that knows it by another name refuses them all.'),
  restricted: rfc8707('2', SHOULD, AS, 'The authorization server SHOULD audience-restrict issued access tokens to the resource(s) indicated by the "resource" parameter.'),
  malformed: rfc8707('2.1', ADVICE, AS, 'A resource that cannot be parsed, or has a fragment, is answered by invalid_target, so that the client sees its mistake.'),
  repeated: rfc8707('2', ADVICE, AS, 'The parameter may come more than once. A server that issues no token for several resources says so with invalid_target.'),
  audience: rfc9700('2.3', SHOULD, AS, 'In particular, access tokens SHOULD be audience-restricted to a specific resource server or, if that is not feasible, to a small set of resource servers.'),
  refuses: rfc9700('2.3', MUST, RS, 'If it was not, the resource server MUST refuse to serve the respective request.'),
}

/** A resource that no server protects. */
const OTHER = 'https://resource.hallpass-audit.example/'

/** The resource that the server names. */
async function named(on: Audit): Promise<string> {
  const resource = await on.resourceIdentifier()
  if (resource === null) throw new Stop(notApplicable('the server names no resource'))
  return resource
}

/** The outcome of a request for a resource. */
interface Asked {
  readonly ended: Ended
  /** The answer of the token endpoint; `null` if there was no code. */
  readonly answer: Answer | null
}

/** Sends a request. Stops unless a right one leads to tokens: without that, a refusal says nothing. */
async function request(on: Audit, resource: string | readonly string[]): Promise<Ended> {
  await on.sharedTokens()
  return on.authorize({ changes: { resource } })
}

const askFor = (on: Audit, name: string, send: () => Promise<Ended>): Promise<Asked> =>
  on.once(name, async () => {
    const ended = await send()
    const code = ended.parameters?.get('code') ?? null
    return { ended, answer: code === null ? null : await on.redeem({ ...ended, code }) }
  })

const FOR_HERE = { shares: [{ name: 'a grant for the resource', authorizations: 1 }] } as const
async function forHere(on: Audit): Promise<Asked> {
  const resource = await named(on)
  return askFor(on, FOR_HERE.shares[0].name, () => on.authorize({ changes: { resource } }))
}

const FOR_OTHER = {
  shares: [{ name: 'a request for another resource', authorizations: 1 }],
} as const
async function forOther(on: Audit): Promise<Asked> {
  await named(on)
  return askFor(on, FOR_OTHER.shares[0].name, () => request(on, OTHER))
}

const accessTokenOf = ({ json }: Answer): string | null =>
  typeof json['access_token'] === 'string' ? json['access_token'] : null

/** Without UserInfo, which is of the authorization server: the scope openid opens it, whatever the resource is. */
const openedHere = async (on: Audit, accessToken: string): Promise<readonly string[]> =>
  (await openedBy(on, accessToken)).filter((surface) => surface !== 'UserInfo')

/** Held if the token endpoint refused, or issued a token that opens nothing here. */
async function opensNothing(on: Audit, answer: Answer, what: string): Promise<Finding> {
  const token = accessTokenOf(answer)
  const where = `${what} is answered by ${answer.status} ${errorOf(answer)}`.trim()
  if (token === null) return isRefused(answer) ? held(answer, where) : notReached(where, answer)
  const { accessToken } = await on.sharedTokens()
  if ((await openedHere(on, accessToken)).length === 0)
    return notReached('no surface takes tokens of this resource')
  const works = await openedHere(on, token)
  return judge(answer, works.length === 0, `${what} leads to a token that works nowhere here`, `${what} leads to a token that works at ${works.join(', ')}`) // prettier-ignore
}

/** A server that ignores the parameter is reported once, and not for each value that it ignores. */
async function unlessIgnored(on: Audit, finding: Finding): Promise<Finding> {
  if (finding.verdict !== 'violated') return finding
  const { answer } = await forOther(on)
  const token = answer && accessTokenOf(answer)
  const isIgnored = token !== null && (await openedHere(on, token)).length > 0
  return isIgnored
    ? notApplicable('the server ignores resource, as resource/unknown says', answer!)
    : finding
}

/** The audience of an access token: that of its claims, if it is a JSON Web Token, otherwise that of introspection. */
async function audienceOf(on: Audit, accessToken: string): Promise<readonly unknown[]> {
  const claims = isSelfContained(accessToken)
    ? partOf(accessToken, 1)
    : (await on.introspect(accessToken)).json
  if (claims['active'] === false)
    throw new Stop(notReached('the client learns nothing of its own token'))
  const { aud = [] } = claims
  return Array.isArray(aud) ? aud : [aud]
}

/** A request whose resource is malformed. */
const refuses = (name: string, change: string, resource: (named: string) => string): Check => ({
  id: `resource/${name}`,
  clause: TEXT.malformed,
  depth: 'people',
  creates: { authorizations: 1 },
  change,
  async run(on) {
    const value = resource(await named(on))
    const ended = await request(on, value)
    return unlessIgnored(on, refusedRequest(ended, ['invalid_target', 'invalid_request'], `the resource ${value}`)) // prettier-ignore
  },
})

/** Resource indicators: a token works at the resource that it was issued for. */
export const resource: readonly Check[] = [
  {
    id: 'resource/accepted',
    clause: TEXT.accepted,
    depth: 'people',
    ...FOR_HERE,
    change:
      'Accept the value of "resource" in the protected resource metadata, letter by letter, in both requests.',
    async run(on) {
      const here = await named(on)
      const { ended, answer } = await forHere(on)
      if (ended.parameters?.get('error') === 'invalid_target')
        return violated(ended, `${here} is answered by invalid_target`)
      if (answer === null) return notReached(`no code came: ${describe(ended)}`, ended)
      return judge(answer, accessTokenOf(answer) !== null, `tokens are issued for ${here}`, `the token request for ${here} is answered by ${answer.status} ${errorOf(answer)}`) // prettier-ignore
    },
  },
  {
    id: 'resource/unknown',
    clause: TEXT.restricted,
    depth: 'people',
    ...FOR_OTHER,
    change:
      'Compare resource with the resources that you issue tokens for, and answer invalid_target to all others.',
    async run(on) {
      const { ended, answer } = await forOther(on)
      if (answer === null)
        return refusedRequest(ended, ['invalid_target', 'invalid_request'], 'another resource')
      const token = accessTokenOf(answer)
      const where = `the token endpoint answers ${answer.status} ${errorOf(answer)}`
      if (token === null) return isRefused(answer) ? held(answer, where) : notReached(where, answer)
      const audience = await audienceOf(on, token).catch((): readonly unknown[] => [])
      // Which resources there are is up to the server: it may issue a token that says that it is for this one.
      return judge(answer, audience.includes(OTHER), 'a token is issued whose audience is the other resource', 'a code and a token are issued for a resource that no one knows') // prettier-ignore
    },
  },
  refuses(
    'relative',
    'Refuse a resource without a scheme with invalid_target, and never complete it with your origin.',
    (resource) => new URL(resource).pathname,
  ),
  refuses(
    'fragment',
    'Refuse a resource with # with invalid_target: compare it as a text, and do not parse it.',
    (resource) => `${resource}#part`,
  ),
  {
    id: 'resource/repeated',
    clause: TEXT.repeated,
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Accept resource more than once: leave it out of the check that refuses repeated parameters.',
    async run(on) {
      const here = await named(on)
      const ended = await request(on, [here, here])
      if (ended.parameters?.has('code'))
        return held(ended, 'a code is issued for a resource that was named twice')
      return refusedRequest(ended, ['invalid_target'], 'a resource that was named twice')
    },
  },
  {
    id: 'resource/audience',
    clause: TEXT.audience,
    depth: 'people',
    ...OWN,
    change:
      'Keep the resource with the grant, and send it as aud. The identifier of the client is the audience of ID tokens.',
    async run(on) {
      await named(on)
      const tokens = await ownTokens(on).catch(() => on.sharedTokens())
      const audience = await audienceOf(on, tokens.accessToken)
      const { clientId } = tokens.code.client
      const isNamed = audience.some((one) => typeof one === 'string' && one !== '' && one !== clientId)
      const found = audience.length === 0 ? 'the token has no aud' : `aud is ${audience.join(', ')}`
      return judge(tokens, isNamed, found, audience.includes(clientId) ? `${found}, the client` : found)
    }, // prettier-ignore
  },
  {
    id: 'resource/other-token',
    clause: TEXT.refuses,
    depth: 'people',
    ...FOR_OTHER,
    change:
      'Compare the audience of each token with your own resource, and answer 401 invalid_token if it is another.',
    async run(on) {
      const { ended, answer } = await forOther(on)
      if (answer === null)
        return held(ended, `there is no token for another resource: ${describe(ended)}`)
      return opensNothing(on, answer, 'a request for another resource')
    },
  },
  {
    id: 'resource/code-for-other',
    clause: TEXT.restricted,
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Compare resource in the token request with that of the code, and answer invalid_target if it is another.',
    async run(on) {
      const here = await named(on)
      await on.sharedTokens()
      const code = await on.code({ changes: { resource: here } })
      const answer = await on.redeem(code, { resource: OTHER })
      return unlessIgnored(on, await opensNothing(on, answer, 'a code with another resource'))
    },
  },
  {
    id: 'resource/refresh-for-other',
    clause: TEXT.restricted,
    depth: 'people',
    ...FOR_HERE,
    change:
      'Compare resource in the refresh with that of the grant, and answer invalid_target if it is another.',
    async run(on) {
      const { ended, answer } = await forHere(on)
      if (answer === null) return notReached(`no code came: ${describe(ended)}`, ended)
      const tokens = on.tokensOf(answer, { ...ended, code: '' })
      const refreshed = await on.refresh(await renewed(on, tokens), { resource: OTHER })
      return unlessIgnored(on, await opensNothing(on, refreshed, 'a refresh with another resource'))
    },
  },
]
