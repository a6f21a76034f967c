import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Client } from '../engine/audit.js'
import { REDIRECT_URI } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { exchangeAs, isRefused, refusalOf } from './expect.js'

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

const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()))

/** Exchanges a code with this in place of the secret. */
async function exchangeWith(on: Audit, client: Client, secret: string | null): Promise<Answer> {
  const endpoint = await on.endpoint('token_endpoint')
  return exchangeAs(on, client, (fields) => on.form(endpoint, { ...fields, client_secret: secret }))
}

const refused = (answer: Answer, what: string): Finding =>
  judge(
    isRefused(answer),
    `${what} is answered by ${answer.status} ${JSON.stringify(answer.json['error'])}`,
    `${what} is answered by ${answer.status}`,
  )

/** How clients with a secret prove who they are. */
export const clientAuthentication: readonly Check[] = [
  {
    id: 'client-authentication/wrong-secret',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'If the authentication of the client fails, the token endpoint answers invalid_client.',
    },
    depth: 'people',
    creates: { authorizations: 2 },
    change: COMPARE,
    async run(on) {
      const client = await confidential(on)
      return refusalOf(await exchangeWith(on, client, newSecret()), ['invalid_client'], 'a wrong secret') // prettier-ignore
    },
  },
  {
    id: 'client-authentication/missing-secret',
    clause: {
      document: 'RFC 6749',
      section: '3.2.1',
      level: 'MUST',
      says: 'A client that was issued a secret authenticates at the token endpoint.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require the secret of every client that has one, also if the request has none.',
    async run(on) {
      const client = await confidential(on)
      return refused(await exchangeWith(on, client, null), 'a confidential client without its secret') // prettier-ignore
    },
  },
  {
    id: 'client-authentication/empty-secret',
    clause: {
      document: 'RFC 6749',
      section: '3.2',
      level: 'MUST',
      says: 'A parameter without a value, such as an empty secret, is treated as one that was not sent.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Treat an empty client_secret as none, and refuse a confidential client without one.',
    async run(on) {
      const client = await confidential(on)
      return refused(await exchangeWith(on, client, ''), 'an empty secret')
    },
  },
  {
    id: 'client-authentication/other-case',
    clause: {
      document: 'RFC 6749',
      section: '1.9',
      level: 'MUST',
      says: 'The values of parameters are case sensitive, and so is a secret.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Compare the bytes of a hash, not text in a column of the database that ignores case.',
    async run(on) {
      const client = await confidential(on)
      const other = swapCase(client.secret)
      if (other === client.secret) return notApplicable('the secret has no letters')
      return refused(await exchangeWith(on, client, other), 'the secret with other upper and lower case') // prettier-ignore
    },
  },
  {
    id: 'client-authentication/secret-of-another-client',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A secret authenticates the client to which it was issued, and no other.',
    },
    depth: 'people',
    creates: { clients: 1, authorizations: 1 },
    change: 'Look the client up by its client_id, and compare only its own secrets.',
    async run(on) {
      const client = await confidential(on)
      const methods = await on.listOf('token_endpoint_auth_methods_supported')
      const method = ['client_secret_post', 'client_secret_basic'].find((one) => methods.includes(one)) // prettier-ignore
      const { secret } = await on.newClient({ token_endpoint_auth_method: method })
      if (secret === null) return notReached('the server registered a client without a secret')
      return refusalOf(await exchangeWith(on, client, secret), ['invalid_client'], 'the secret of another client') // prettier-ignore
    },
  },
  {
    id: 'client-authentication/unknown-client',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A client that the server does not know is refused with an error code.',
    },
    depth: 'anonymous',
    change: 'Answer with 401 or 400 and {"error": "invalid_client"} if no client has the client_id.',
    async run(on) {
      const answer = await on.form(await on.endpoint('token_endpoint'), {
        grant_type: 'authorization_code',
        code: newSecret(),
        redirect_uri: REDIRECT_URI,
        code_verifier: newSecret(),
        client_id: `hallpass-audit-${newSecret()}`,
      })
      // The code does not exist either, and may be read first.
      return refusalOf(answer, ['invalid_client', 'invalid_grant'], 'an unknown client')
    },
  },
  {
    id: 'client-authentication/secret-in-query',
    clause: {
      document: 'RFC 6749',
      section: '2.3.1',
      level: 'MUST NOT',
      says: 'A secret is not in the URL of a request, which servers and proxies write into their logs.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Read the parameters of the token endpoint from the body only.',
    async run(on) {
      const client = await confidential(on)
      const endpoint = new URL(await on.endpoint('token_endpoint'))
      endpoint.searchParams.set('client_id', client.clientId)
      endpoint.searchParams.set('client_secret', client.secret)
      const answer = await exchangeAs(on, client, (fields) => on.form(endpoint, { ...fields, client_secret: null })) // prettier-ignore
      return refused(answer, 'a secret in the query')
    },
  },
  {
    id: 'client-authentication/two-methods',
    clause: {
      document: 'RFC 6749',
      section: '2.3',
      level: 'MUST NOT',
      says: 'A request does not authenticate its client by more than one method.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Answer invalid_request if the request has both an Authorization header and a secret in its body.',
    async run(on) {
      await requireBasic(on)
      const { clientId, secret, ...client } = await confidential(on)
      const code = await on.code({ client: { clientId, secret, ...client } })
      const answer = await on.form(
        await on.endpoint('token_endpoint'),
        { ...on.redemption(code), client_secret: secret },
        basic(formEncoded(clientId), formEncoded(secret)),
      )
      return refused(answer, 'the secret in both the header and the body')
    },
  },
  {
    id: 'client-authentication/basic',
    clause: {
      document: 'RFC 6749',
      section: '2.3.1',
      level: 'MUST',
      says: 'The identifier and the secret are each form-urlencoded within the header of HTTP Basic.',
    },
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
      const endpoint = await on.endpoint('token_endpoint')
      const exchange = async (encode: (text: string) => string): Promise<Answer> => {
        const fields = { ...on.redemption(await on.code({ client })), client_id: null, client_secret: null }
        return on.form(endpoint, fields, basic(encode(clientId), encode(secret)))
      }
      const encoded = await exchange(percentEncoded)
      if (encoded.status === 200) return held('an encoded identifier and secret are decoded')
      const plain = await exchange((text) => text)
      if (plain.status !== 200 && isGiven)
        return notApplicable(`the client may not use HTTP Basic: ${plain.status}`)
      return violated(
        plain.status === 200
          ? 'the identifier and the secret are not decoded'
          : `a client of client_secret_basic is answered by ${plain.status}`,
      )
    },
  },
  {
    id: 'client-authentication/basic-challenge',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A client that fails to authenticate by a header is answered by 401 and a challenge of the same scheme.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Answer a wrong secret of HTTP Basic with 401 and "WWW-Authenticate: Basic".',
    async run(on) {
      await requireBasic(on)
      const client = await confidential(on)
      const endpoint = await on.endpoint('token_endpoint')
      const wrong = basic(formEncoded(client.clientId), newSecret())
      const { status, headers } = await exchangeAs(on, client, (fields) =>
        on.form(endpoint, { ...fields, client_id: null, client_secret: null }, wrong),
      )
      const challenge = headers.get('www-authenticate')
      const found = `a wrong secret of HTTP Basic is answered by ${status} ${challenge === null ? 'without WWW-Authenticate' : `and ${challenge}`}`
      return judge(status === 401 && /(?:^|[\s,])basic\b/i.test(challenge ?? ''), found, found)
    },
  },
  {
    id: 'client-authentication/at-refresh',
    clause: {
      document: 'RFC 6749',
      section: '6',
      level: 'MUST',
      says: 'A client that was issued a secret authenticates when it refreshes as well.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Authenticate the client before you look at grant_type, for all grants.',
    async run(on) {
      const tokens = await on.tokens({ client: await confidential(on) })
      const found = refused(await on.refresh(tokens, { client_secret: null }), 'a refresh without the secret') // prettier-ignore
      // A refusal says nothing at a server at which no refresh works.
      if (found.verdict === 'held') on.tokensOf(await on.refresh(tokens), tokens.code)
      return found
    },
  },
] // prettier-ignore
