// `npm run features`: starts hallpass and servers that others wrote, each as its documentation says and with everything on
// that has a switch, and asks each for every feature: by its metadata, and by at least one request. Two are in Java.
// `-- --write` writes `features.json`, and the rows of README.md and docs/comparison.md that `test/docs.test.ts` compares with
// it.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import prettier from 'prettier'
import { CLIENT } from './features/common.mjs'
import { prepareJava } from '../scripts/java.mjs'
import { rowsOf, withRows } from './features/tables.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SERVERS = ['hallpass', 'oidc-provider', 'better-auth', 'cloudflare', 'keycloak', 'spring']
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const GRANT = 'urn:ietf:params:oauth:grant-type:'
const CODE = {
  grant_type: 'authorization_code',
  code: 'none',
  redirect_uri: CLIENT.redirectUri,
  code_verifier: 'v'.repeat(43),
}

const { privateKey, publicKey } = await generateKeyPair('ES256')
const jwk = await exportJWK(publicKey)
/** Signs a token as an issuer that no server trusts. */
const signed = (claims, header = {}) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', ...header })
    .setIssuedAt()
    .sign(privateKey)

/** The features: each is a question that is answered with what shows it, or with `null` if there is nothing. */
const FEATURES = {
  'authorization code': (asked) => grant(asked, 'authorization_code'),
  'refresh token': (asked) => grant(asked, 'refresh_token'),
  'client credentials': (asked) => grant(asked, 'client_credentials', { scope: asked.scope }),
  async device(asked) {
    const sent = await form(asked, asked.metadata.device_authorization_endpoint, {
      scope: 'openid',
    })
    const offers = await grant(asked, `${GRANT}device_code`, { device_code: 'none' })
    // If there is the endpoint, a client that may not use it gets an error that says so.
    const isThere = sent?.body.device_code !== undefined || /^(?:unauthorized_client|invalid_scope)$/.test(sent?.body.error) // prettier-ignore
    return isThere ? offers : null
  },
  'ID-JAG': async (asked) => {
    const assertion = await signed({ iss: 'https://idp.example', sub: 'x', aud: asked.issuer, client_id: asked.client.id, jti: 'x' }, { typ: 'oauth-id-jag+jwt' }) // prettier-ignore
    return grant(asked, `${GRANT}jwt-bearer`, { assertion })
  },
  'token exchange': (asked) =>
    grant(asked, `${GRANT}token-exchange`, {
      subject_token: 'none',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    }),
  none: (asked) => method(asked, 'none'),
  client_secret_basic: (asked) => method(asked, 'client_secret_basic'),
  client_secret_post: (asked) => method(asked, 'client_secret_post'),
  private_key_jwt: (asked) => method(asked, 'private_key_jwt'),
  async 'Pushed requests (PAR, RFC 9126)'(asked) {
    const { pushed_authorization_request_endpoint: endpoint } = asked.metadata
    const sent = await form(asked, endpoint, requestOf(asked))
    return sent?.body.request_uri === undefined ? null : `${sent.status} with a request_uri`
  },
  async 'DPoP (RFC 9449)'(asked) {
    const { dpop_signing_alg_values_supported: algorithms = [], token_endpoint: htu } =
      asked.metadata
    const proof = (htm) => signed({ htm, htu, jti: crypto.randomUUID() }, { typ: 'dpop+jwt', jwk })
    const service = { grant_type: 'client_credentials', scope: asked.scope }
    const bound = await tokenOf(asked, service, { dpop: await proof('POST') })
    if (bound.body.token_type === 'DPoP') return 'a token of the type DPoP'
    // If this client gets no token so, another grant must refuse a wrong proof.
    const refused = await tokenOf(asked, CODE, { dpop: await proof('GET') })
    const isRefused = refused.body.error === 'invalid_dpop_proof'
    return algorithms.length > 0 && isRefused ? 'a proof for another method is refused' : null
  },
  async 'Resource indicators (RFC 8707)'(asked) {
    const resource = 'https://elsewhere.example/'
    const answer = await authorize(asked, { resource })
    // Some look at it only where they issue a token.
    const service = { grant_type: 'client_credentials', scope: asked.scope, resource }
    const { error } = (await tokenOf(asked, service)).body
    const isRefused = answer.includes('invalid_target') || error === 'invalid_target'
    return isRefused ? 'another resource gets invalid_target' : null
  },
  async 'Issuer in responses (RFC 9207)'(asked) {
    const isNamed = asked.metadata.authorization_response_iss_parameter_supported === true
    const answer = await authorize(asked, { response_type: 'unknown' })
    return isNamed ? `in the metadata${/[?&]iss=/.test(answer) ? ', and in an error' : ''}` : null
  },
  async 'Protected resource metadata (RFC 9728)'({ origin }) {
    for (const path of ['', '/mcp', '/api/auth']) {
      const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`)
      const { resource } = answer.ok ? await answer.json().catch(() => ({})) : {}
      if (resource !== undefined) return `/.well-known/oauth-protected-resource${path}`
    }
    return null
  },
  'Client ID metadata documents': async ({ metadata }) =>
    metadata.client_id_metadata_document_supported === true ? 'in the metadata' : null,
  async 'Dynamic registration (RFC 7591)'({ metadata }) {
    const { registration_endpoint: endpoint } = metadata
    if (endpoint === undefined) return null
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Desk', redirect_uris: [CLIENT.redirectUri], token_endpoint_auth_method: 'none', application_type: 'native' }), // prettier-ignore
    })
    const { client_id: id } = await answer.json().catch(() => ({}))
    return id === undefined ? null : `${answer.status} with a client_id`
  },
  async 'Introspection (RFC 7662)'(asked) {
    const sent = await form(asked, asked.metadata.introspection_endpoint, { token: 'none' })
    return sent?.body.active === false ? 'active: false' : null
  },
  async 'Revocation (RFC 7009)'(asked) {
    const { access_token: own } = (await tokenOf(asked, { grant_type: 'client_credentials', scope: asked.scope })).body // prettier-ignore
    const sent = await form(asked, asked.metadata.revocation_endpoint, { token: own ?? 'none' })
    return sent?.status === 200 ? '200' : null
  },
  async 'OpenID Connect'({ issuer, metadata }) {
    const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
    const { userinfo_endpoint: endpoint } = answer.ok ? await answer.json() : {}
    return endpoint !== undefined && metadata.jwks_uri !== undefined ? 'openid-configuration' : null
  },
  async 'Logout endpoint'({ metadata }) {
    return metadata.end_session_endpoint === undefined ? null : 'in the metadata'
  },
}

const credentials = ({ client }) => ({ client_id: client.id, client_secret: client.secret })
const requestOf = ({ client, scope }) => ({
  response_type: 'code',
  client_id: client.id,
  redirect_uri: CLIENT.redirectUri,
  scope: scope || 'openid',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  state: 'x',
})

/** Posts a form to an endpoint; `null` if there is none. */
async function post(endpoint, fields, headers = {}) {
  if (endpoint === undefined) return null
  const answer = await fetch(endpoint, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
  })
  const body = await answer.json().catch(() => ({}))
  return { status: answer.status, body: body ?? {} }
}
const form = (asked, endpoint, fields) => post(endpoint, { ...credentials(asked), ...fields })
const tokenOf = (asked, fields, headers) =>
  post(asked.metadata.token_endpoint, { ...credentials(asked), ...fields }, headers)

/** Returns where an authorization request leads, or what its page says. */
async function authorize(asked, changes) {
  const url = new URL(asked.metadata.authorization_endpoint)
  for (const [name, value] of Object.entries({ ...requestOf(asked), ...changes }))
    url.searchParams.set(name, value)
  const answer = await fetch(url, { redirect: 'manual' })
  return `${answer.headers.get('location') ?? ''} ${await answer.text()}`
}

/** A grant is there if its request is refused for another reason than that there is no such grant. */
async function grant(asked, name, fields = {}) {
  const { status, body } = await tokenOf(asked, { grant_type: name, ...fields })
  const isListed = asked.metadata.grant_types_supported?.includes(name) ?? false
  const isKnown = status < 500 && body.error !== 'unsupported_grant_type'
  return isListed && isKnown ? `listed; ${body.error ?? status}` : null
}

/** A method is there if the metadata lists it, and a client that uses it is not refused for the method. */
async function method(asked, name) {
  if (!asked.metadata.token_endpoint_auth_methods_supported?.includes(name)) return null
  const { id, secret } = asked.client
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`
  const { token_endpoint: endpoint } = asked.metadata
  const assertion = await signed({ iss: id, sub: id, aud: endpoint, jti: 'x' })
  const sent = {
    none: [{ client_id: id }, {}],
    client_secret_basic: [{}, { authorization: basic }],
    client_secret_post: [credentials(asked), {}],
    private_key_jwt: [{ client_id: id, client_assertion: assertion, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' }, {}], // prettier-ignore
  }[name]
  const { status, body } = await post(endpoint, { ...CODE, ...sent[0] }, sent[1])
  return status < 500 ? `listed; ${body.error}` : null
}

/** Reads both documents of metadata. What both have is that of OAuth. */
async function metadataOf({ origin, issuer = origin }) {
  const path = issuer.slice(origin.length)
  const answers = await Promise.all(
    [
      `${issuer}/.well-known/openid-configuration`,
      `${issuer}/.well-known/oauth-authorization-server`,
      `${origin}/.well-known/oauth-authorization-server${path}`,
    ].map((url) => fetch(url)),
  )
  const found = await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.json()))
  if (found.length === 0) throw new Error(`${issuer} has no metadata`)
  return Object.assign({}, ...found)
}

/** The version of a package that is installed here. */
function versionOf(name) {
  const places = name === 'hallpass' ? ['package.json'] : ['bench/features/', 'bench/', ''].map((at) => `${at}node_modules/${name}/package.json`) // prettier-ignore
  for (const path of places)
    try {
      return JSON.parse(readFileSync(ROOT + path, 'utf8')).version
    } catch {}
  throw new Error(`${name} is not installed`)
}

process.env['CLASSPATH'] = prepareJava()
const servers = {}
for (const name of SERVERS) {
  const { start, packages, blocks, ...others } = await import(`./features/${name}.mjs`)
  const started = await start()
  const asked = { client: CLIENT, issuer: started.origin, scope: '', ...started }
  try {
    asked.metadata = await metadataOf(asked)
    const features = {}
    for (const [feature, ask] of Object.entries(FEATURES)) features[feature] = await ask(asked)
    const { versions = Object.fromEntries(packages.map((one) => [one, versionOf(one)])) } = others
    servers[name] = { versions, ...(blocks && { blocks }), features }
  } finally {
    await started.stop()
  }
}

const found = { date: new Date().toISOString().slice(0, 10), servers }
for (const [name, cells] of rowsOf(found)) console.log(`| ${[name, ...cells].join(' | ')} |`)
if (process.argv.includes('--write')) {
  writeFileSync(`${ROOT}bench/features.json`, `${JSON.stringify(found, null, 2)}\n`)
  for (const page of ['README.md', 'docs/comparison.md']) {
    const text = withRows(readFileSync(ROOT + page, 'utf8'), found)
    const options = await prettier.resolveConfig(ROOT + page)
    writeFileSync(ROOT + page, await prettier.format(text, { ...options, parser: 'markdown' }))
  }
}
// Some of them keep timers.
process.exit(0)
