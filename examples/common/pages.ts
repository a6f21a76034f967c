// Your pages. Names, hints and descriptions are other people's words, so they are escaped.
import type { AuthorizationServerOptions, ConsentScope } from 'hallpass/authorization-server'
import { css } from './style.js'

export const SCHOOL = 'Example School'
export const DOCS = 'https://hallpass.example'

export const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

/** How a Content Security Policy names a style or script that the page itself contains. */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
}

interface PageOptions {
  readonly status?: number
  readonly retryAfterSeconds?: number
  /** The policy for forms: none while an app waits, because browsers apply it to its redirects too. */
  readonly forms?: string
  readonly script?: string
  readonly wide?: boolean
  readonly school?: string
}

export async function page(title: string, body: string, options: PageOptions = {}) {
  const { status = 200, forms = "form-action 'self';", script = '', wide = false } = options
  const scripts = script && `script-src ${await hashOf(script)}; connect-src 'self'; `
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${await hashOf(css)}; ${scripts}${forms} frame-ancestors 'none'; base-uri 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    ...(options.retryAfterSeconds && { 'retry-after': String(options.retryAfterSeconds) }),
  }
  const html = `<!doctype html><html lang="en"><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escape(title)}</title><style>${css}</style><body${wide ? ' class="wide"' : ''}>
    <header>${escape(options.school ?? SCHOOL)}</header><main>${body}</main>${script && `<script>${script}</script>`}`
  return new Response(html, { status, headers })
}

/** The page for an attempt to sign in that has to wait. */
export function tooManyAttempts({ retryAfterSeconds }: { retryAfterSeconds: number }) {
  const minutes = Math.ceil(retryAfterSeconds / 60)
  const when = minutes === 1 ? 'a minute' : `${minutes} minutes`
  const body = `<div class="card"><h1>Too many attempts</h1><p>Go back, and try again in ${when}.</p></div>`
  return page('Too many attempts', body, { status: 429, retryAfterSeconds })
}

/** A page of yours. While it cannot be made, such as without the database, another one says so. */
export const orUnavailable = (made: Promise<Response>): Promise<Response> =>
  made.catch((fault: unknown) => {
    console.error(fault)
    const body = `<div class="card"><h1>Not available now</h1><p>Try again in a moment.</p></div>`
    return page('Not available now', body, { status: 503, retryAfterSeconds: 5 })
  })

const mark = (text: string): string => `<span class="badge">${text}</span>`
const scopeItem = ({ text, access, personalData, beyondRole }: ConsentScope): string =>
  `<li>${escape(text)} ${access === 'write' ? mark('Can change') : ''}
  ${personalData ? mark('Personal data') : ''} ${beyondRole ? mark('Not in your role') : ''}</li>`

type Pages = Omit<AuthorizationServerOptions['interact'], 'currentPerson'>

/** The pages of a school while an app waits. */
export const pagesOf = (school: string): Pages => ({
  signIn: ({ url }, { returnTo, client, loginHint, cause }) =>
    page(
      /[?&]wrong$/.test(url) ? 'Wrong email address or password' : 'Sign in',
      `<div class="card"><h1>Sign in</h1>
      ${/[?&]wrong$/.test(url) ? '<p class="notice" role="alert">Wrong email address or password.</p>' : ''}
      ${cause === 'suspended' ? '<p class="notice" role="alert">Your account may not be used here any more. Sign in with another one.</p>' : ''}
      <p><strong><bdi>${escape(client.name)}</bdi></strong> asks for access. Sign in to see what it asks for.</p>
      <form method="post" action="/sign-in"><input type="hidden" name="return_to" value="${escape(returnTo)}">
      <label>Email <input type="email" name="email" value="${escape(loginHint ?? '')}" required
        autocomplete="username" ${loginHint ? '' : 'autofocus'}></label>
      <label>Password <input type="password" name="password" required
        autocomplete="current-password" ${loginHint ? 'autofocus' : ''}></label>
      <button class="full">Sign in</button></form></div>`,
      { forms: '', school },
    ),
  consent: (_request, { action, csrfToken, client, person, scopes, blocked }) =>
    page(
      `${client.name} asks for access`,
      `<div class="card"><h1><bdi>${escape(client.name)}</bdi> asks for access</h1>
      ${client.verified ? '' : `<p class="notice"><strong>Not reviewed.</strong> No one at ${escape(school)} has checked who made this app. Continue only if you started it.</p>`}
      <dl><dt>You are</dt><dd>${escape(person.name ?? person.subject)} ${person.roles.map((role) => mark(escape(role))).join(' ')}
      <form method="post" action="/sign-in"><button class="link" name="return_to" value="${action}">Use another account</button></form></dd>
      ${client.kind === 'document' ? `<dt>Its address is</dt><dd>${escape(new URL(client.clientId).host)}</dd>` : ''}
      <dt>Your answer goes to</dt><dd>${escape(client.redirectHost)}${client.redirectIsLoopback ? ', a program on this computer' : ''}</dd></dl>
      <h2>As you, it asks to</h2><ul>${scopes.map(scopeItem).join('')}</ul>
      ${blocked === null ? '' : `<p class="notice">${blocked === 'not_staff' ? 'This app is for staff: your role does not include it.' : 'You have no role that could give it access.'}</p>`}
      <form method="post" action="${action}"><input type="hidden" name="csrf_token" value="${csrfToken}">
      <div class="pair">${blocked === null ? '<button name="decision" value="allow">Allow</button>' : ''}
      <button class="plain" name="decision" value="deny">Cancel</button></div></form></div>`,
      { forms: '', school },
    ),
  error: ({ url }, { description, reason, requestId, status }) =>
    page(
      'Something went wrong',
      `<div class="card"><h1>Something went wrong</h1><p>${escape(description.charAt(0).toUpperCase() + description.slice(1))}.</p>
      <p class="quiet">Request ${requestId}</p>
      ${url.startsWith('http:') ? `<p><a href="${DOCS}/look-up/errors.html#${reason}"><code>${reason}</code></a> tells its developer what to change</p>` : ''}</div>`,
      { forms: '', school, status },
    ),
})

export const pages = pagesOf(SCHOOL)
