// Lets staff sign in and send the operations of the page. The access token is kept in memory only.

const { finishSignIn, isAnswered, startSignIn } = await import(
  new URL('/assets/sign-in.js', location.origin)
)

const CLIENT = 'api-reference'
/** What a person entered before they were sent to sign in. It is gone when they are back. */
const DRAFT = 'reference-draft'
const DEADLINE_SECONDS = 30

const operations = [...document.querySelectorAll('details[data-scope]')]
const who = document.querySelector('#who')
const signIn = document.querySelector('#sign-in')

// Scopes that only reads need. A first sign-in asks for no more than these.
const writeScopes = new Set(
  operations.flatMap(({ dataset: { method, scope } }) => (method === 'GET' ? [] : [scope])),
)
const readScopes = operations
  .map(({ dataset }) => dataset.scope)
  .filter((scope) => !writeScopes.has(scope))

let token = null
let granted = []

/** Creates an element. Texts are added as text, never as HTML. */
function element(name, properties = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(properties))
    if (key in made) made[key] = value
    else made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** Goes to the sign-in page, to return with these scopes as well. */
function askFor(scopes, draft = null) {
  if (draft !== null) sessionStorage.setItem(DRAFT, JSON.stringify(draft))
  return startSignIn(CLIENT, [...new Set([...readScopes, ...granted, ...scopes])].join(' '))
}

function takeDraft() {
  const kept = sessionStorage.getItem(DRAFT)
  sessionStorage.removeItem(DRAFT)
  return JSON.parse(kept)
}

/** Adds the form to send an operation. */
function addForm(operation) {
  const { method, path, scope } = operation.dataset
  const holder = operation.querySelector('[data-params]')
  const parameters = JSON.parse(holder?.dataset.params ?? '[]')
  const example = operation.querySelector('[data-body]')?.dataset.body
  const form = element('form', { className: 'try stack stack-tight' })
  form.append(element('h4', {}, 'Try it'))
  for (const parameter of parameters) form.append(fieldOf(operation, parameter))
  if (example !== undefined)
    form.append(bodyField(operation, JSON.stringify(JSON.parse(example), null, 2)))
  const button = element('button', { className: 'button button-main button-small' }, 'Send')
  const result = element('div', { className: 'result', role: 'status' })
  form.append(element('p', {}, button))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  operation.querySelector('.op-side').append(form, result)

  const draft = () => ({
    id: operation.id,
    values: [...form.elements].map((field) =>
      field.type === 'checkbox' ? field.checked : field.value,
    ),
  })

  async function submit() {
    if (token === null) {
      await askFor([scope], draft())
      return
    }
    // Not `disabled`: the button would lose the focus.
    if (button.getAttribute('aria-disabled') === 'true') return
    button.setAttribute('aria-disabled', 'true')
    button.textContent = 'Sending …'
    try {
      await send()
    } catch (fault) {
      const message =
        fault.name === 'TimeoutError'
          ? `There was no response in ${DEADLINE_SECONDS} seconds.`
          : fault.message
      result.replaceChildren(element('p', { className: 'fault' }, message))
    }
    button.removeAttribute('aria-disabled')
    button.textContent = 'Send'
  }

  async function send() {
    const url = new URL(
      path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(form[name].value)),
      location.origin,
    )
    const headers = { authorization: `Bearer ${token}` }
    for (const { name, in: place } of parameters) {
      const field = form[name]
      const value = field.type === 'checkbox' ? (field.checked ? 'true' : '') : field.value
      if (value === '' || place === 'path') continue
      if (place === 'query') url.searchParams.set(name, value)
      else headers[name] = value
    }
    const body = example === undefined ? null : form.body.value
    if (body !== null) headers['content-type'] = 'application/json'
    const response = await fetch(url, {
      method,
      headers,
      body,
      cache: 'no-store',
      signal: AbortSignal.timeout(DEADLINE_SECONDS * 1000),
    })
    result.replaceChildren(...answerOf(response, await response.text()))
    const challenge = response.headers.get('www-authenticate') ?? ''
    if (challenge.includes('insufficient_scope') && !granted.includes(scope))
      result.prepend(
        element('p', {}, 'Your access does not include ', element('code', {}, scope), ' yet.'),
        askButton(`Ask for ${scope}`),
      )
    else if (response.status === 401) {
      token = null
      result.prepend(element('p', {}, 'Your access has ended.'), askButton('Sign in again'))
    }
  }

  const askButton = (label) =>
    element(
      'button',
      {
        className: 'button button-main button-small',
        type: 'button',
        onclick: () => askFor([scope], draft()),
      },
      label,
    )

  return (values) => {
    for (const [index, field] of [...form.elements].entries())
      if (field.type === 'checkbox') field.checked = values[index]
      else field.value = values[index] ?? ''
    button.focus()
  }
}

function fieldOf({ id }, { name, in: place, required = false, example }) {
  const field = `${id}-${name}`
  if (name === 'dry_run')
    return element(
      'label',
      { className: 'try-tick' },
      // A write is tried without effect unless the person decides otherwise.
      element('input', { type: 'checkbox', className: 'tick', name, checked: true }),
      element('code', {}, name),
    )
  return element(
    'div',
    { className: 'field' },
    element(
      'label',
      { htmlFor: field },
      element('code', {}, name),
      required ? '' : element('span', { className: 'muted' }, ' optional'),
    ),
    element('input', {
      id: field,
      name,
      value: place === 'header' ? '' : (example ?? ''),
      required,
      autocomplete: 'off',
      spellcheck: false,
    }),
  )
}

function bodyField({ id }, example) {
  const field = `${id}-body`
  return element(
    'div',
    { className: 'field' },
    element('label', { htmlFor: field }, 'Body'),
    element('textarea', {
      id: field,
      name: 'body',
      value: example,
      className: 'letters',
      spellcheck: false,
    }),
  )
}

const SHOWN = [
  'etag',
  'link',
  'location',
  'ratelimit',
  'retry-after',
  'www-authenticate',
  'x-request-id',
]

function answerOf({ status, ok, headers }, text) {
  const lines = SHOWN.flatMap((name) =>
    headers.has(name) ? [`${name}: ${headers.get(name)}`] : [],
  )
  const json = headers.get('content-type')?.includes('json') === true
  return [
    element(
      'p',
      {},
      element('code', { className: ok ? 'status status-ok' : 'status status-bad' }, String(status)),
      ok ? ' The school answered.' : ' The school refused it.',
    ),
    element('pre', { tabIndex: 0, role: 'region', 'aria-label': 'Headers' }, lines.join('\n')),
    ...(text === ''
      ? []
      : [
          element(
            'pre',
            { tabIndex: 0, role: 'region', 'aria-label': 'Body of the response' },
            json ? JSON.stringify(JSON.parse(text), null, 2) : text,
          ),
        ]),
  ]
}

/** Opens the operation or object that the URL names. */
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target?.matches('details') !== true) return
  target.open = true
  target.scrollIntoView()
}

/** Hides what does not have all of these words in its title, path, scope or id. */
function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const section of document.querySelectorAll('.operations > .tag')) {
    let matches = 0
    for (const one of section.querySelectorAll('.op')) {
      const said = `${one.id} ${one.querySelector('summary').textContent}`.toLowerCase()
      one.hidden = !words.every((word) => said.includes(word))
      if (!one.hidden) matches += 1
    }
    section.hidden = words.length > 0 && matches === 0
    const link = document.querySelector(`.contents [data-tag="${section.dataset.tag}"]`)
    if (link !== null) link.hidden = section.hidden
    count += matches
  }
  document.querySelector('#filter [role=status]').textContent =
    words.length === 0 ? '' : count === 1 ? '1 match' : `${count} matches`
}

const fillers = new Map()
function formOf(operation) {
  if (!fillers.has(operation)) fillers.set(operation, addForm(operation))
  return fillers.get(operation)
}
for (const operation of operations)
  operation.addEventListener('toggle', () => operation.open && formOf(operation))

document.querySelector('#filter').hidden = false
document
  .querySelector('#filter-text')
  .addEventListener('input', (event) => filter(event.target.value))
addEventListener('hashchange', openTarget)
openTarget()

signIn.hidden = false
signIn.addEventListener('click', () => askFor([]))
try {
  if (isAnswered()) {
    const tokens = await finishSignIn(CLIENT)
    token = tokens.access_token
    granted = tokens.scope.split(' ')
    who.textContent = 'You are signed in. You can try what your role allows.'
    signIn.hidden = true
  }
} catch (fault) {
  who.textContent = `${fault.message} Sign in again to try it.`
}
const draft = takeDraft()
const tried = operations.find(({ id }) => id === draft?.id)
if (tried !== undefined) {
  history.replaceState(null, '', `#${tried.id}`)
  tried.open = true
  formOf(tried)(draft.values)
}
