import { type Check } from '../check.js'
import { ADVICE, AS, type Clause, MUST, rfc6749, rfc9110 } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, type Client, REDIRECT_URI } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { checksOf, errorOf, exchangeAs, firstNotHeld, isRefused, refusalOf } from './expect.js'

// prettier-ignore
const TEXT = {
  failed: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … invalid_client Client authentication failed (e.g., unknown client, no client authentication included, or unsupported authentication method).'),
  required: rfc6749('4.1.3', MUST, AS, 'The authorization server MUST: o require client authentication for confidential clients or for any client that was issued client credentials (or with other authentication requirements)'),
  empty: rfc6749('3.2', MUST, AS, 'Parameters sent without a value MUST be treated as if they were omitted from the request.'),
  authenticate: rfc6749('4.1.3', MUST, AS, 'The authorization server MUST: … authenticate the client if client authentication is included'),
  query: rfc6749('2.3.1', ADVICE, AS, 'A secret is not in the URL of a request, which servers and proxies write into their logs. A server that reads it there invites mistakes.'),
  one: rfc6749('2.3', ADVICE, AS, 'A request that authenticates its client by two methods is refused, so that two programs cannot read different ones. The text binds the client.'),
  basic: rfc6749('2.3.1', MUST, AS, 'The client identifier is encoded using the "application/x-www-form-urlencoded" encoding algorithm per Appendix B, and the encoded value is used as the username; the client password is encoded using the same algorithm and used as the password. The authorization server MUST support the HTTP Basic authentication scheme for authenticating clients that were issued a client password.'),
  basicNamed: rfc6749('2.3.1', ADVICE, AS, 'RFC 6749 demands HTTP Basic of a server that issues secrets, and OAuth 2.1 leaves it open: some clients have nothing else.'),
  matching: rfc6749('5.2', MUST, AS, 'If the client attempted to authenticate via the "Authorization" request header field, the authorization server MUST respond with an HTTP 401 (Unauthorized) status code and include the "WWW-Authenticate" response header field matching the authentication scheme used by the client.'),
  challenge: rfc9110('15.5.2', MUST, AS, 'The server generating a 401 response MUST send a WWW-Authenticate header field (Section 11.6.1) containing at least one challenge applicable to the target resource.'),
  refresh: rfc6749('6', MUST, AS, 'The authorization server MUST: o require client authentication for confidential clients or for any client that was issued client credentials (or with other authentication requirements)'),
}

const COMPARE =
  'Compare the SHA-256 of the secret that was sent with the one that is stored, in constant time, before you read the grant.'

/** The confidential client, whose right secret gets tokens: without that, a refusal of another one says nothing. */
const confidential = async (on: Audit): Promise<Client & { readonly secret: string }> => {
  const client = await on.client('confidential')
  const { secret, key } = client
  if (key !== undefined)
    throw new Stop(notApplicable('the confidential client has a key, and no secret'))
  if (secret === null) throw new Stop(notReached('the confidential client has no client_secret'))
  await on.once('confidential client', async () => {
    const code = await on.code({ client })
    return on.tokensOf(await on.redeem(code), code)
  })
  return { ...client, secret }
}

/** Stops as not applicable unless clients may use HTTP Basic, as they may if the metadata says nothing. */
async function requireBasic(on: Audit): Promise<void> {
  const named = (await on.server())['token_endpoint_auth_methods_supported']
  if (Array.isArray(named) && !named.includes('client_secret_basic'))
    throw new Stop(notApplicable('the metadata does not name client_secret_basic'))
}

const basic = (id: string, secret: string): { readonly authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
/** Every byte as `%` and two digits, which decodes to the same text. */
const percentEncoded = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const WITHOUT_CREDENTIALS = { client_id: null, client_secret: null } as const

const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()))

/** Exchanges a code with this in place of the secret. */
async function exchangeWith(on: Audit, client: Client, secret: string | null): Promise<Answer> {
  const endpoint = await on.endpoint('token_endpoint')
  return exchangeAs(on, client, (fields) => on.form(endpoint, { ...fields, client_secret: secret }))
}

const refused = (answer: Answer, what: string): Finding =>
  judge(answer, isRefused(answer), `${what} is answered by ${answer.status} ${errorOf(answer)}`)

const anonymous = checksOf('client-authentication', { depth: 'anonymous' })
const people = (authorizations: number) => checksOf('client-authentication', { depth: 'people', creates: { authorizations } }) // prettier-ignore
const withOne = people(1)
const withTwo = people(2)

/** A client with a secret sends something else, which is refused. */
const sends = (
  name: string,
  clause: Clause,
  what: string,
  secretOf: (secret: string) => string | null,
  change: string,
): Check => withTwo(name, clause, change, async (on) => {
  const client = await confidential(on)
  const other = secretOf(client.secret)
  if (other === client.secret) return notApplicable(`the secret has no ${what}`)
  const answer = await exchangeWith(on, client, other)
  return clause === TEXT.failed ? refusalOf(answer, ['invalid_client'], what) : refused(answer, what)
}) // prettier-ignore

/** How clients with a secret prove who they are. */
export const clientAuthentication: readonly Check[] = [
  {
    id: 'client-authentication/basic-named',
    clause: TEXT.basicNamed,
    depth: 'passive',
    change:
      'Read the secret of HTTP Basic too, and name client_secret_basic in token_endpoint_auth_methods_supported.',
    async run(on) {
      const methods = await on.listOf('token_endpoint_auth_methods_supported')
      const named = methods.filter((one) => one.startsWith('client_secret_'))
      const answer = await on.serverAnswer()
      if (methods.length === 0) return held(answer, 'the default is client_secret_basic')
      // A secret that signs is not sent as a password.
      if (!named.some((one) => one !== 'client_secret_jwt'))
        return notApplicable('the server names no method with a client secret', answer)
      return judge(answer, named.includes('client_secret_basic'), `the metadata names ${named.join(', ')}`)
    },
  },
  sends('wrong-secret', TEXT.failed, 'a wrong secret', () => newSecret(), COMPARE),
  sends('missing-secret', TEXT.required, 'a confidential client without its secret', () => null,
    'Require the secret of every client that has one, also if the request has none.'),
  sends('empty-secret', TEXT.empty, 'an empty secret', () => '',
    'Treat an empty client_secret as none, and refuse a confidential client without one.'),
  sends('other-case', TEXT.authenticate, 'other upper and lower case', swapCase,
    'Compare the bytes of a hash, not text in a column of the database that ignores case.'),
  {
    id: 'client-authentication/secret-of-another-client',
    clause: TEXT.failed,
    depth: 'people',
    creates: { clients: 1, authorizations: 1 },
    change: 'Look the client up by its client_id, and compare only its own secrets.',
    async run(on) {
      const client = await confidential(on)
      const methods = await on.listOf('token_endpoint_auth_methods_supported')
      const method = ['client_secret_post', 'client_secret_basic'].find((one) => methods.includes(one)) // prettier-ignore
      const { secret } = await on.newClient({ token_endpoint_auth_method: method })
      if (secret === null) return notReached('the server registered a client without a secret')
      const answer = await exchangeWith(on, client, secret)
      return refusalOf(answer, ['invalid_client'], 'the secret of another client')
    },
  },
  anonymous('unknown-client', TEXT.failed, 'Answer with 401 or 400 and {"error": "invalid_client"} if no client has the client_id.', async (on) => {
    const answer = await on.form(await on.endpoint('token_endpoint'), {
      grant_type: 'authorization_code',
      code: newSecret(),
      redirect_uri: REDIRECT_URI,
      code_verifier: newSecret(),
      client_id: `hallpass-audit-${newSecret()}`,
    })
    // The code does not exist either, and may be read first.
    return refusalOf(answer, ['invalid_client', 'invalid_grant'], 'an unknown client')
  }),
  withOne('secret-in-query', TEXT.query, 'Read the parameters of the token endpoint from the body only.', async (on) => {
    const client = await confidential(on)
    const endpoint = new URL(await on.endpoint('token_endpoint'))
    endpoint.searchParams.set('client_id', client.clientId)
    endpoint.searchParams.set('client_secret', client.secret)
    const answer = await exchangeAs(on, client, (fields) =>
      on.form(endpoint, { ...fields, client_secret: null }),
    )
    return refused(answer, 'a secret in the query')
  }),
  withOne('two-methods', TEXT.one, 'Answer invalid_request if the request has both an Authorization header and a secret in its body.', async (on) => {
    await requireBasic(on)
    const client = await confidential(on)
    const answer = await on.form(
      await on.endpoint('token_endpoint'),
      on.redemption(await on.code({ client })),
      basic(formEncoded(client.clientId), formEncoded(client.secret)),
    )
    return refused(answer, 'the secret in both the header and the body')
  }),
  {
    id: 'client-authentication/basic',
    clause: TEXT.basic,
    depth: 'people',
    creates: { clients: 1, authorizations: 2 },
    change:
      'Decode the identifier and the secret of the header: turn "+" into a space, then decode percent-encoding.',
    async run(on) {
      await requireBasic(on)
      const isGiven = on.signIn?.clients?.confidential !== undefined
      const client = isGiven
        ? await confidential(on)
        : await on.newClient({ token_endpoint_auth_method: 'client_secret_basic' })
      const { clientId, secret } = client
      if (secret === null) return notReached('the server registered a client without a secret')
      const exchange = async (encode: (text: string) => string): Promise<Answer> => {
        const fields = { ...on.redemption(await on.code({ client })), ...WITHOUT_CREDENTIALS }
        return on.form(await on.endpoint('token_endpoint'), fields, basic(encode(clientId), encode(secret))) // prettier-ignore
      }
      const encoded = await exchange(percentEncoded)
      if (encoded.status === 200)
        return held(encoded, 'an encoded identifier and secret are decoded')
      const plain = await exchange((text) => text)
      if (plain.status === 200)
        return violated(encoded, 'the identifier and the secret are not decoded')
      return isGiven
        ? notApplicable(`the client may not use HTTP Basic: ${plain.status}`, plain)
        : violated(plain, `a client of client_secret_basic is answered by ${plain.status}`)
    },
  },
  withOne('basic-challenge', TEXT.matching, 'Answer a wrong secret of HTTP Basic with 401 and "WWW-Authenticate: Basic".', async (on) => {
    await requireBasic(on)
    const client = await confidential(on)
    const endpoint = await on.endpoint('token_endpoint')
    const wrong = basic(formEncoded(client.clientId), newSecret())
    const answer = await exchangeAs(on, client, (fields) =>
      on.form(endpoint, { ...fields, ...WITHOUT_CREDENTIALS }, wrong),
    )
    const challenge = answer.headers.get('www-authenticate') ?? 'none'
    const isRight = answer.status === 401 && /(?:^|[\s,])basic\b/i.test(challenge)
    return judge(answer, isRight, `a wrong secret of HTTP Basic is answered by ${answer.status}, and the challenge is ${challenge}`)
  }),
  anonymous('challenge', TEXT.challenge, 'Send WWW-Authenticate with every 401, also to a client that sent its secret in the body, or answer 400.', async (on) => {
    const wrong = { client_id: (await on.client('confidential')).clientId, client_secret: newSecret() }
    const bodies = {
      token_endpoint: { grant_type: 'authorization_code', code: newSecret(), redirect_uri: REDIRECT_URI, code_verifier: newSecret() },
      revocation_endpoint: { token: newSecret() },
      introspection_endpoint: { token: newSecret() },
    }
    return firstNotHeld(Object.entries(bodies), async ([name, fields]) => {
      const endpoint = await on.endpoint(name).catch(() => on.endpoint('token_endpoint'))
      const answer = await on.form(endpoint, { ...fields, ...wrong })
      const challenge = answer.headers.get('www-authenticate') ?? 'none'
      const isRight = answer.status !== 401 || challenge !== 'none'
      return judge(answer, isRight, `a wrong secret is answered by ${answer.status} at the ${name}, and the challenge is ${challenge}`)
    })
  }),
  withOne('at-refresh', TEXT.refresh, 'Authenticate the client before you look at grant_type, for all grants.', async (on) => {
    const tokens = await on.tokens({ client: await confidential(on) })
    const found = refused(await on.refresh(tokens, { client_secret: null }), 'a refresh without the secret')
    // A refusal says nothing at a server at which no refresh works.
    if (found.verdict === 'held') on.tokensOf(await on.refresh(tokens), tokens.code)
    return found
  }),
] // prettier-ignore
