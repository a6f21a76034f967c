import { type Check } from '../check.js'
import { AS, MUST, MUST_NOT, oidcCore, rfc6749, SHOULD_NOT } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, type Shown, violated } from '../finding.js' // prettier-ignore
import { type Audit, type Client, describe, type Ended, REDIRECT_URI } from '../engine/audit.js'
import { readObject } from '../engine/http.js'
import { ask, askWrongly, denied, errorOf, open, responsesWith, WRONG_TYPE } from './asking.js'
import { firstNotHeld } from './expect.js'

// prettier-ignore
const TEXT = {
  query: oidcCore('3.1.2.5', MUST, AS, 'When using the Authorization Code Flow, the Authorization Response MUST return the parameters defined in Section 4.1.2 of OAuth 2.0 [RFC6749] by adding them as query parameters to the "redirect_uri" specified in the Authorization Request using the "application/x-www-form-urlencoded" format, unless a different Response Mode was specified.'),
  state: rfc6749('4.1.2', MUST, AS, 'state REQUIRED if the "state" parameter was present in the client authorization request. The exact value received from the client.'),
  stateInError: rfc6749('4.1.2.1', MUST, AS, 'state REQUIRED if a "state" parameter was present in the client authorization request. The exact value received from the client.'),
  characters: rfc6749('4.1.2.1', MUST_NOT, AS, 'Values for the "error" parameter MUST NOT include characters outside the set %x20-21 / %x23-5B / %x5D-7E. … Values for the "error_description" parameter MUST NOT include characters outside the set %x20-21 / %x23-5B / %x5D-7E. … Values for the "error_uri" parameter MUST conform to the URI-reference syntax and thus MUST NOT include characters outside the set %x21 / %x23-5B / %x5D-7E.'),
  once: rfc6749('3.1', MUST_NOT, AS, 'Request and response parameters MUST NOT be included more than once.'),
  noOthers: oidcCore('3.1.2.6', SHOULD_NOT, AS, 'Unless the Redirection URI is invalid, the Authorization Server returns the Client to the Redirection URI specified in the Authorization Request with the appropriate error and state parameters. Other parameters SHOULD NOT be returned.'),
  errors: oidcCore('3.1.2.2', MUST, AS, 'If the Authorization Server encounters any error, it MUST return an error response, per Section 3.1.2.6.'),
}

/** Every kind of character that a `state` may have, for RFC 6749, appendix A.5, allows all that can be printed. */
const ODD_STATE = `audit +%2B&x=1;y="'<>/\\~`
/** A state that carries something, as signed ones do. */
const long = (length: number): string => 'abcdefgh'.repeat(length / 8)
const PRINTABLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/
const OF_AN_ERROR = ['error', 'error_description', 'error_uri', 'state', 'iss']
const KEEP =
  'Keep state as the decoded text, and encode it once, with URLSearchParams, for the redirect. Do not escape, trim or decode it.'

/** A response at the client. */
interface Response extends Shown {
  readonly parameters: URLSearchParams
}

/** The responses of a request that is allowed, of one that is wrong, and of one that is denied. */
async function responses(on: Audit): Promise<readonly Response[]> {
  const { code } = await on.sharedTokens()
  const errors = [await askWrongly(on), await denied(on)].filter(({ parameters }) => parameters?.has('error')) // prettier-ignore
  return [code, ...errors].map(({ exchange, parameters }) => ({
    exchange,
    parameters: parameters!,
  }))
}

/** A client whose document is published for the audit; `null` if there is none, or the server does not take it. */
async function documentClient(on: Audit): Promise<Client | null> {
  const { clientDocument: clientId } = on
  if (clientId === null) return null
  const client = { clientId, secret: null, redirectUri: REDIRECT_URI, scope: await on.scope() }
  return (await open(on, null, {}, client)).isTaken ? client : null
}

/** Held if an error has the state of its request. */
function withState(at: Shown & Pick<Ended, 'parameters'>, sent: string): Finding {
  const state = at.parameters?.get('state') ?? null
  const what = at.parameters?.get('error')
  return judge(at, state === sent, 'an error has the state that was sent', `${sent} comes back with the error ${what} as ${state}`) // prettier-ignore
}

/** It reads every error of the audit, and so comes late. */
export const stateInError: Check = {
  id: 'authorization/state-in-error',
  clause: TEXT.stateInError,
  depth: 'anonymous',
  change:
    'Add state to every error that you redirect, as it was sent. Read it before you validate anything else.',
  async run(on) {
    const finding = await firstNotHeld([ODD_STATE, long(1000)], async (sent) => {
      const asked = await askWrongly(on, { state: sent })
      return withState({ ...asked, parameters: errorOf(asked) }, sent)
    })
    if (finding.verdict !== 'held') return finding
    await denied(on).catch(() => null)
    // Another state than that of the engine may be wrong, and a request object may have its own.
    const all = responsesWith(on, 'error').filter(({ url: { searchParams }, state }) => String(searchParams.getAll('state')) === state && !searchParams.has('request')) // prettier-ignore
    const wrong = all.find(({ parameters, state }) => parameters.get('state') !== state)
    return wrong === undefined ? finding : withState(wrong, wrong.state)
  },
}

/** Authorization responses: what the client receives. */
export const authorizationResponse: readonly Check[] = [
  {
    id: 'authorization/code-in-query',
    clause: TEXT.query,
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Add code to the query of the redirect URI. Scripts of the page read a fragment, and no server does.', // prettier-ignore
    async run(on) {
      await on.openid()
      const ended = await on.authorize()
      const { left } = ended.page
      if (left !== null && /[#&]code=/.test(left.hash))
        return violated(ended, 'the code is in the fragment of the redirect URI')
      return ended.parameters?.has('code')
        ? held(ended, 'the code is in the query of the redirect URI')
        : notReached(`no code came: ${describe(ended)}`, ended)
    },
  },
  {
    id: 'authorization/state',
    clause: TEXT.state,
    depth: 'people',
    creates: { authorizations: 1 },
    change: KEEP,
    async run(on) {
      const ended = await on.code({ changes: { state: ODD_STATE } })
      const state = ended.parameters?.get('state') ?? null
      return judge(ended, state === ODD_STATE, 'state comes back as it was sent', `${ODD_STATE} comes back as ${state}`) // prettier-ignore
    },
  },
  {
    id: 'authorization/long-state',
    clause: TEXT.state,
    depth: 'people',
    creates: { authorizations: 2 },
    change: `${KEEP} Store it without a limit of 255 characters, or refuse the request: never cut it.`,
    run: (on) =>
      firstNotHeld([1000, 2000], async (length) => {
        const ended = await on.authorize({ changes: { state: long(length) } })
        const { page, parameters } = ended
        const what = `a state of ${length} characters`
        if (!parameters?.has('code') && !parameters?.has('error'))
          return page.left === null && page.status >= 400
            ? judge(ended, page.status < 500, `${what} is refused: ${describe(ended)}`, `${what} fails: ${describe(ended)}`) // prettier-ignore
            : notReached(`${what}: ${describe(ended)}`, ended)
        const received = parameters.get('state') ?? ''
        return judge(ended, received === long(length), `${what} comes back`, `${what} comes back as ${received.length} characters`) // prettier-ignore
      }),
  },
  {
    id: 'authorization/error-characters',
    clause: TEXT.characters,
    depth: 'anonymous',
    creates: { authorizations: 1 },
    change:
      'Do not repeat values of the request in error_description. Send ASCII sentences without " and \\.',
    async run(on) {
      const asked = await ask(on, { response_type: `${WRONG_TYPE} "é\\` })
      // A pushed request is refused in JSON, for which section 5.2 says the same.
      const json = readObject(asked.page.text)
      const received = asked.page.left === null && 'error' in json ? json : Object.fromEntries(errorOf(asked)) // prettier-ignore
      const { error = '', error_description: text = '', error_uri: uri = '' } = received
      const isRight = [error, text].every((one) => PRINTABLE.test(String(one))) && /^[\x21\x23-\x5b\x5d-\x7e]*$/.test(String(uri)) // prettier-ignore
      return judge(asked, isRight, `the client receives ${String(error)}: ${String(text)}`, `the client receives ${JSON.stringify([error, text, uri])}`) // prettier-ignore
    },
  },
  {
    id: 'authorization/response-repeated',
    clause: TEXT.once,
    depth: 'people',
    change:
      'Set each parameter of the response in place of one of the same name, and add none that the redirect URI has already.',
    run: async (on) =>
      firstNotHeld(await responses(on), async (response): Promise<Finding> => {
        const names = [...response.parameters.keys()]
        const again = names.filter((name, at) => names.indexOf(name) < at)
        return judge(response, again.length === 0, `the client receives ${names.join(', ')}`, `the client receives ${again.join(', ')} more than once`) // prettier-ignore
      }),
  },
  {
    id: 'authorization/error-parameters',
    clause: TEXT.noOthers,
    depth: 'people',
    change: `Send nothing with an error but ${OF_AN_ERROR.join(', ')}.`,
    async run(on) {
      await on.openid()
      const errors = (await responses(on)).filter(({ parameters }) => parameters.has('error'))
      if (errors.length === 0) return notApplicable('the client is sent no error')
      return firstNotHeld(errors, async (response): Promise<Finding> => {
        const others = [...response.parameters.keys()].filter((name) => !OF_AN_ERROR.includes(name))
        return judge(response, others.length === 0, 'an error has no other parameters', `an error has ${others.join(', ')}`) // prettier-ignore
      })
    },
  },
  {
    id: 'authorization/errors-to-client',
    clause: TEXT.errors,
    depth: 'people',
    change:
      'Redirect the error of a request to its redirect URI, after a sign-in where you do not trust the client yet. A page leaves the client waiting.',
    async run(on) {
      await on.openid()
      const clients = [await on.client(), await documentClient(on)].filter((one) => one !== null)
      return firstNotHeld(clients, async (client): Promise<Finding> => {
        const asked = await askWrongly(on, {}, client)
        const what = `an unknown response_type of ${client.clientId}`
        if (asked.parameters?.has('error')) return held(asked, `${what}: ${describe(asked)}`)
        return asked.page.left === null
          ? violated(asked, `${what}: the client receives no error, and ${describe(asked)}`)
          : notReached(`${what}: ${describe(asked)}`, asked)
      })
    },
  },
]
