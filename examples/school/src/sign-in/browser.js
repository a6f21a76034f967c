// The flow of every browser app: authorization code with PKCE, as a public client.

const redirectUri = location.origin + location.pathname
const KEY = 'sign-in-request'

/** Whether the URL contains an authorization response. */
export const isAnswered = () => new URLSearchParams(location.search).has('state')

/** Exchanges the code in the URL, and returns the token response. Tokens are not stored anywhere. */
export async function finishSignIn(clientId) {
  const answer = new URLSearchParams(location.search)
  const asked = JSON.parse(sessionStorage.getItem(KEY))
  sessionStorage.removeItem(KEY)
  history.replaceState(null, '', redirectUri)
  if (asked === null || answer.get('state') !== asked.state)
    throw new Error('This sign-in did not start in this tab. Please start again.')
  if (answer.get('iss') !== location.origin)
    throw new Error('This sign-in came from another server. Please start again.')
  if (answer.has('error')) throw new Error(answer.get('error_description') ?? answer.get('error'))
  const response = await fetch('/api/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      resource: location.origin,
      code: answer.get('code'),
      code_verifier: asked.verifier,
    }),
  })
  const tokens = await response.json()
  if (!response.ok) throw new Error(tokens.error_description)
  return tokens
}

/** Sends the browser to the sign-in page. */
export async function startSignIn(clientId, scope) {
  const [verifier, state] = [randomText(), randomText()]
  sessionStorage.setItem(KEY, JSON.stringify({ verifier, state }))
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  location.assign(
    `/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      resource: location.origin,
      code_challenge: base64url(new Uint8Array(hash)),
      code_challenge_method: 'S256',
      state,
    })}`,
  )
}

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
