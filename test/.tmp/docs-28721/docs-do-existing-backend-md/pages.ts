// pages.ts
import type { ConsentView, ErrorView, SignInView } from 'hallpass/authorization-server'

const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

function page(body: string, { status = 200, formTarget = '' } = {}): Response {
  return new Response(`<!doctype html><html lang="en"><meta charset="utf-8">${body}`, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // Browsers apply form-action to the redirect that follows the form as well.
      'content-security-policy': `default-src 'none'; form-action 'self' ${formTarget}; frame-ancestors 'none'; base-uri 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  })
}

export function signIn(_request: Request, { returnTo }: SignInView): Response {
  const location = `/login?${new URLSearchParams({ return_to: returnTo })}`
  return new Response(null, { status: 303, headers: { location } })
}

export function consent(_request: Request, view: ConsentView): Response {
  const { action, csrfToken, client, person, scopes, blocked } = view
  const warning = client.verified ? '' : '<p>We have not checked who made this app.</p>'
  const items = scopes.map(({ text, beyondRole }) => (beyondRole ? '' : `<li>${escape(text)}</li>`))
  return page(
    `<h1>${escape(client.name)} asks for access</h1>${warning}
    <p>You are ${escape(person.name ?? person.subject)}. Afterwards you go to ${escape(client.redirectHost)}.</p>
    <ul>${items.join('')}</ul>
    <form method="post" action="${escape(action)}">
      <input type="hidden" name="csrf_token" value="${escape(csrfToken)}">
      ${blocked === null ? '<button name="decision" value="allow">Allow</button>' : '<p>You cannot allow this with your role.</p>'}
      <button name="decision" value="deny">Cancel</button>
    </form>`,
    { formTarget: client.redirectSource },
  )
}

export function error(_request: Request, { description, requestId, status }: ErrorView): Response {
  return page(`<h1>We stopped here</h1><p>${escape(description)}</p><p>${requestId}</p>`, {
    status,
  })
}
