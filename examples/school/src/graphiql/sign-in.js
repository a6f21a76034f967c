/**
 * What any app in a browser does: authorization code with PKCE, as a public member client. Answers the
 * access token; `null` where the browser is on its way to sign in.
 */
async function signIn() {
  const redirectUri = location.origin + location.pathname
  const answer = new URLSearchParams(location.search)
  const asked = JSON.parse(sessionStorage.getItem('graphiql-request'))
  sessionStorage.removeItem('graphiql-request')
  // The editor keeps its query in the address, so there may be other parameters.
  if (!answer.has('state')) return askForCode(redirectUri)

  history.replaceState(null, '', redirectUri)
  if (asked === null || answer.get('state') !== asked.state)
    throw new Error('This answer was not asked for in this tab.')
  if (answer.get('iss') !== location.origin) throw new Error('Somebody else answered.')
  if (answer.has('error')) throw new Error(answer.get('error_description') ?? answer.get('error'))
  const response = await fetch('/api/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'graphiql',
      redirect_uri: redirectUri,
      resource: location.origin,
      code: answer.get('code'),
      code_verifier: asked.verifier,
    }),
  })
  const tokens = await response.json()
  if (!response.ok) throw new Error(tokens.error_description)
  return tokens.access_token
}

async function askForCode(redirectUri) {
  const [verifier, state] = [randomText(), randomText()]
  sessionStorage.setItem('graphiql-request', JSON.stringify({ verifier, state }))
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  location.assign(
    `/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: 'graphiql',
      redirect_uri: redirectUri,
      scope: 'account:read account:write',
      resource: location.origin,
      code_challenge: base64url(new Uint8Array(hash)),
      code_challenge_method: 'S256',
      state,
    })}`,
  )
  return null
}

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const root = document.querySelector('#root')
try {
  const token = await signIn()
  if (token !== null) {
    await import(`${location.pathname}/editor.js`)
    globalThis.YogaGraphiQL.renderYogaGraphiQL(root, {
      endpoint: '/account/graphql',
      additionalHeaders: { authorization: `Bearer ${token}` },
      title: 'Account API',
      query: '{ viewer { name enrolledCourses { nodes { title } } } }',
    })
  }
} catch (fault) {
  root.textContent = `${fault.message} Open this page again to start anew.`
}
