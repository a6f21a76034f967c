/** The script of the home page: a client that registers, sends the browser to sign in, and redeems the code. */
export const script = `
const [button, result] = ['try', 'result'].map((id) => document.getElementById(id))
const { issuer, email } = button.dataset
const redirectUri = issuer + '/'
const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
const read = async (url, init) => {
  const response = await fetch(url, init)
  const body = await response.json()
  if (!response.ok) throw new Error(body.error_description ?? body.error ?? response.status)
  return body
}
const metadata = () => read('/.well-known/oauth-authorization-server')

async function register({ registration_endpoint }) {
  const body = JSON.stringify({ client_name: 'Test client', redirect_uris: [redirectUri] })
  const headers = { 'content-type': 'application/json' }
  return (await read(registration_endpoint, { method: 'POST', headers, body })).client_id
}

async function begin() {
  const server = await metadata()
  const clientId = localStorage.getItem('client_id') ?? (await register(server))
  // It is kept again when the browser is back: the server may have forgotten the client.
  localStorage.removeItem('client_id')
  const attempt = { clientId, verifier: random(), state: random(), nonce: random() }
  sessionStorage.setItem('attempt', JSON.stringify(attempt))
  const verifier = new TextEncoder().encode(attempt.verifier)
  location.assign(server.authorization_endpoint + '?' + new URLSearchParams({
    response_type: 'code', client_id: clientId, redirect_uri: redirectUri, resource: issuer,
    scope: 'openid profile email courses:read', state: attempt.state, nonce: attempt.nonce,
    code_challenge: base64url(await crypto.subtle.digest('SHA-256', verifier)),
    code_challenge_method: 'S256', login_hint: email }))
}

async function finish(answer) {
  const attempt = JSON.parse(sessionStorage.getItem('attempt'))
  sessionStorage.removeItem('attempt')
  history.replaceState(null, '', '/')
  if (answer.get('state') !== attempt?.state || answer.get('iss') !== issuer)
    throw new Error('The answer does not belong to an attempt of this page')
  localStorage.setItem('client_id', attempt.clientId)
  if (answer.has('error')) throw new Error(answer.get('error_description') ?? answer.get('error'))
  const { token_endpoint } = await metadata()
  const tokens = await read(token_endpoint, { method: 'POST', body: new URLSearchParams({
    grant_type: 'authorization_code', code: answer.get('code'), client_id: attempt.clientId,
    redirect_uri: redirectUri, code_verifier: attempt.verifier, resource: issuer }) })
  // It came directly from the token endpoint, so its signature need not be verified again.
  const [, payload] = tokens.id_token.split('.')
  const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
  const claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0))))
  if (claims.nonce !== attempt.nonce || claims.iss !== issuer || claims.aud !== attempt.clientId)
    throw new Error('The ID token is not for this attempt')
  const headers = { authorization: 'Bearer ' + tokens.access_token }
  show(claims, tokens, JSON.stringify(await read('/courses', { headers })))
}

const element = (name, ...children) => {
  const one = document.createElement(name)
  one.append(...children)
  return one
}
function shown(name, value) {
  if (['iat', 'exp'].includes(name)) return value + ', ' + new Date(value * 1000).toLocaleTimeString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}
function show(claims, tokens, courses) {
  const rows = Object.entries(claims).map(([name, value]) => {
    const head = element('th', element('code', name))
    head.scope = 'row'
    return element('tr', head, element('td', shown(name, value)))
  })
  result.replaceChildren(
    element('h3', 'Signed in as ' + (claims.name ?? claims.sub)),
    element('p', 'The ID token says:'), element('table', element('tbody', ...rows)),
    element('p', 'The access token has the scopes ', element('code', tokens.scope),
      ', which open ', element('code', 'GET /courses'), ':'),
    element('pre', element('code', courses)))
  button.textContent = 'Try it again'
}
const tell = (fault) => result.replaceChildren(element('p', 'It stopped: ' + fault.message + '.'))

if (location.origin !== issuer) location.replace(redirectUri)
button.onclick = () => begin().catch(tell)
const answer = new URLSearchParams(location.search)
if (answer.has('state')) finish(answer).catch(tell)
`
