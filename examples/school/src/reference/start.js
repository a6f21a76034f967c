const { finishSignIn, isAnswered, startSignIn } = await import(
  new URL('/assets/sign-in.js', location.origin)
)

const CLIENT = 'api-reference'
const button = document.querySelector('#sign-in')
const who = document.querySelector('#who')

let token = null
try {
  if (isAnswered()) token = await finishSignIn(CLIENT)
} catch (fault) {
  who.textContent = `${fault.message} Sign in again to try it.`
}
if (token !== null) {
  button.hidden = true
  who.textContent = 'You are signed in: every operation can be tried.'
}

const description = await (await fetch('/openapi.json')).json()
const { scopes } = description.components.securitySchemes.oauth2.flows.authorizationCode
button.addEventListener('click', () => startSignIn(CLIENT, Object.keys(scopes).join(' ')))

globalThis.SwaggerUIBundle({
  spec: description,
  dom_id: '#reference',
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  // The viewer's own sign-in opens a window, which pages that nobody may open from elsewhere cut off.
  supportedSubmitMethods: token === null ? [] : ['get', 'put', 'post', 'delete', 'patch'],
  requestInterceptor(request) {
    const isOurs = new URL(request.url, location.href).origin === location.origin
    if (token !== null && isOurs) request.headers.Authorization = `Bearer ${token}`
    return request
  },
})
