import { type Check } from '../check.js'
import { AS, MUST, rfc9126 } from '../clause.js'
import { type Finding, held, notApplicable, Stop } from '../finding.js'
import { type Audit, isPublic } from '../engine/audit.js'
import { authorization } from './authorization.js'
import { firstNotHeld } from './expect.js'
import { pkce } from './pkce.js'
import { works } from './pushed-requests.js'
import { redirects } from './redirects.js'

// prettier-ignore
const TEXT = {
  asAnyOther: rfc9126('4', MUST, AS, 'The authorization server MUST validate authorization requests arising from a pushed request as it would any other authorization request.'),
}

const found = (on: Audit, check: Check): Promise<Finding> =>
  check.run(on).catch((error: unknown) => {
    if (error instanceof Stop) return error.finding
    throw error
  })

/** Asks checks of requests in a query also of pushed ones. One that fails in the query too is reported only there. */
const alsoPushed = (name: string, change: string, all: readonly Check[], ids: RegExp): Check => {
  const checks = all.filter(({ id }) => ids.test(id))
  const authorizations = checks.reduce((sum, { creates }) => sum + (creates?.authorizations ?? 0), 0) // prettier-ignore
  return {
    id: `pushed-requests/${name}`,
    clause: TEXT.asAnyOther,
    depth: 'people',
    creates: { authorizations },
    change,
    async run(on) {
      const right = await works(on)
      if ((await on.server())['require_pushed_authorization_requests'] === true)
        return notApplicable(
          'every request is pushed, so that the checks of requests ask it',
          right,
        )
      return firstNotHeld(checks, async (check): Promise<Finding> => {
        const pushed = await on.pushing(() => found(on, check))
        const what = `if pushed, ${pushed.found}`
        if (pushed.verdict === 'not applicable') return held(right, what)
        if (pushed.verdict !== 'violated') return { ...pushed, found: what }
        const { verdict } = await on.unpushed(() => found(on, check))
        return verdict === 'violated' ? held(right, `${what}, and so it is in a query`) : { ...pushed, found: what } // prettier-ignore
      })
    },
  }
}

const SAME = 'Validate pushed requests by the function that validates those of a query.'
const redirectUris = alsoPushed('redirect-uri-spelling', SAME, redirects, /near-path|extra-query|trailing-slash|path-case|encoded-path|host-spelling|dot-segments|traversal|userinfo/) // prettier-ignore

/** Rules of all authorization requests, which a server may forget for those that are pushed. */
export const pushedRules: readonly Check[] = [
  {
    ...redirectUris,
    async run(on) {
      // RFC 9126, section 2.4: who authenticates may push a redirect URI that is not registered.
      if (!isPublic(await on.client())) return notApplicable('the client authenticates')
      return redirectUris.run(on)
    },
  },
  alsoPushed('repeated', SAME, authorization, /\/repeated-/),
  alsoPushed(
    'verifier',
    'Keep code_challenge of a pushed request with the code, and compare the verifier with it as after a query.',
    pkce,
    /\/(?:missing|wrong)-verifier$/,
  ),
]
