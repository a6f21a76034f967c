// Your pages. Names, hints and descriptions are other people's words, so they are escaped.
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'

const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

/** @param forms - a policy for them; none while an app waits, because browsers apply it to its redirects too */
export function page(title: string, body: string, status = 200, forms = "form-action 'self';") {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; ${forms} frame-ancestors 'none'; base-uri 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escape(title)}</title>
    <meta name="viewport" content="width=device-width"><h1>${escape(title)}</h1>${body}`
  return new Response(html, { status, headers })
}

export const pages: Omit<AuthorizationServerOptions['interact'], 'currentPerson'> = {
  signIn: ({ url }, { returnTo, client, loginHint }) =>
    page(
      url.endsWith('?wrong') ? 'Wrong email address or password' : 'Sign in',
      `<p>${escape(client.name)} asks for access.</p>
      <form method="post" action="/sign-in"><input type="hidden" name="return_to" value="${escape(returnTo)}">
      <p><label>Email <input type="email" name="email" value="${escape(loginHint ?? '')}"></label></p>
      <p><label>Password <input type="password" name="password"></label></p><button>Sign in</button></form>`,
      200,
      '',
    ),
  consent: (_request, { action, csrfToken, client, person, scopes, blocked }) =>
    page(
      `${client.name} asks for access`,
      `${client.verified ? '' : '<p>No one has checked who made this app.</p>'}
      <ul>${scopes.map(({ text, beyondRole }) => (beyondRole ? '' : `<li>${escape(text)}</li>`)).join('')}</ul>
      <p>You are ${escape(person.name ?? person.subject)}. Your answer goes to ${escape(client.redirectHost)}.</p>
      <form method="post" action="${action}"><input type="hidden" name="csrf_token" value="${csrfToken}">
      ${blocked ? '<p>Your role does not allow this app.</p>' : '<button name="decision" value="allow">Allow</button>'}
      <button name="decision" value="deny">Cancel</button></form>
      <form method="post" action="/sign-in"><button name="return_to" value="${action}">Use another account</button></form>`,
      200,
      '',
    ),
  error: (_request, { description, requestId, status }) =>
    page('Something went wrong', `${escape(description)}<p>Request ${requestId}</p>`, status, ''),
}
