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
  who.textContent = 'You are signed in. You can try every operation of the admin API.'
}

const description = await (await fetch('/openapi.json')).json()
const scheme = description.components.securitySchemes.oauth2
const { scopes } = scheme.flows.authorizationCode
button.addEventListener('click', () => startSignIn(CLIENT, Object.keys(scopes).join(' ')))
// Before this line, a click would have had no effect.
button.disabled = false

// The token goes to the operations of this scheme only: a client that sends it to `/api/oauth/token` is refused.
const viewer = globalThis.SwaggerUIBundle({
  plugins: [resolvesOnlyWhatItShows],
  spec: description,
  dom_id: '#reference',
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  // The viewer's own sign-in opens a window, which the opener policy of this site blocks.
  supportedSubmitMethods: token === null ? [] : ['get', 'put', 'post', 'delete', 'patch'],
  onComplete() {
    if (token === null) return
    viewer.authActions.authorizeOauth2({
      auth: { name: 'oauth2', schema: scheme },
      token: { access_token: token, token_type: 'Bearer' },
    })
  },
})

/**
 * The viewer resolves the whole description again for each operation that a person opens, which blocks the
 * page for seconds. Here it gets only the part that the operation needs.
 */
function resolvesOnlyWhatItShows(system) {
  const { resolveSubtree } = globalThis.SwaggerUIBundle.plugins.SwaggerClient(system).fn
  return {
    fn: {
      resolveSubtree: (whole, path, options) => resolveSubtree(partAt(whole, path), path, options),
    },
  }
}

/** Returns a description whose `paths` and `components` hold only the value at a path and what it refers to. */
function partAt(whole, path) {
  const part = { ...whole, paths: {}, components: {} }
  const added = new Set()
  const add = (keys) => {
    const id = JSON.stringify(keys)
    if (added.has(id)) return
    added.add(id)
    referencesIn(copyAt(whole, part, keys)).forEach(add)
  }
  add(path.slice(0, 3))
  return part
}

/** Copies the value at a path from one tree to another. */
function copyAt(from, to, [key, ...rest]) {
  if (rest.length === 0) return (to[key] = from[key])
  return copyAt(from[key], (to[key] ??= {}), rest)
}

/** Returns the paths of `#/components` that a part of the description refers to. */
function referencesIn(value) {
  if (typeof value !== 'object' || value === null) return []
  const own = typeof value.$ref === 'string' ? [value.$ref.split('/').slice(1, 4)] : []
  return [...own, ...Object.values(value).flatMap(referencesIn)]
}
