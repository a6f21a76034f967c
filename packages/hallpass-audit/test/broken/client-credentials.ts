import { CLIENT_SECRET, type Fault } from '../broken-server.js'
import { answers, both, type Broken, received } from '../faults.js'

const TOKEN = '/api/oauth/token'
type Form = URLSearchParams

/** Changes a request of the grant before the server reads it. */
const asked = (change: (form: Form) => void): Fault =>
  received(TOKEN, (form) => {
    if (form.get('grant_type') === 'client_credentials') change(form)
  })

/** Changes what the grant is answered. */
const granted = (change: (body: Record<string, unknown>, form: Form) => object): Fault =>
  answers(TOKEN, async (answer, request) => {
    const form = new URLSearchParams(await request.text())
    if (answer.status !== 200 || form.get('grant_type') !== 'client_credentials') return answer
    const body = change((await answer.json()) as Record<string, unknown>, form)
    return Response.json(body, { headers: { 'cache-control': 'no-store' } })
  })

/** Grants these scopes to the service, which may not have them. */
const granting = (isGranted: (scope: string) => boolean): Fault =>
  both(
    asked((form) => {
      const scopes = form.get('scope')?.split(' ') ?? []
      form.set('scope', scopes.filter((one) => !isGranted(one)).join(' '))
    }),
    granted((body, form) => ({ ...body, scope: form.get('scope') })),
  )

const asService = (form: Form): void => {
  form.set('client_id', 'export')
  form.set('client_secret', CLIENT_SECRET)
}

export const clientCredentials: readonly Broken[] = [
  {
    name: 'the grant is published and not there',
    fault: answers(TOKEN, async (answer, request) =>
      new URLSearchParams(await request.text()).get('grant_type') === 'client_credentials'
        ? Response.json({ error: 'unsupported_grant_type' }, { status: 400 })
        : answer,
    ),
    violates: ['client-credentials/granted'],
  },
  {
    name: 'the grant answers without token_type',
    fault: granted(({ access_token, expires_in, scope }) => ({ access_token, expires_in, scope })),
    violates: ['client-credentials/granted'],
  },
  {
    name: 'a cache may keep the token of a service',
    fault: answers(TOKEN, async (answer, request) => {
      const headers = new Headers(answer.headers)
      if ((await request.text()).includes('client_credentials'))
        headers.set('cache-control', 'max-age=60')
      return new Response(answer.body, { status: answer.status, headers })
    }),
    violates: ['headers/tokens-not-stored'],
  },
  {
    name: 'the secret of a service is not compared',
    fault: asked((form) => {
      if (form.get('client_id') === 'export' && form.has('client_secret')) asService(form)
    }),
    violates: ['client-credentials/authenticated'],
  },
  {
    name: 'a service needs no secret',
    fault: asked((form) => {
      if (form.get('client_id') === 'export' && !form.has('client_secret')) asService(form)
    }),
    violates: ['client-credentials/authenticated'],
  },
  {
    name: 'any client may use the grant',
    fault: asked((form) => {
      if (form.get('client_id') !== 'export') asService(form)
    }),
    violates: ['client-credentials/public-client'],
  },
  {
    name: 'every grant has a refresh token',
    fault: granted((body) => ({ ...body, refresh_token: 'r'.repeat(43) })),
    violates: ['client-credentials/no-refresh-token'],
  },
  {
    name: 'scopes are stored as they come',
    fault: granting((scope) => scope.startsWith('hallpass-audit:')),
    violates: ['client-credentials/unknown-scope'],
  },
  {
    name: 'a service may have every scope',
    fault: granting((scope) => scope !== 'courses:read' && /^\w+:(?:read|write)$/.test(scope)),
    violates: ['client-credentials/further-scope'],
  },
  {
    name: 'the scope of a request is the scope of an ID token',
    fault: both(
      asked((form) => form.set('scope', form.get('scope')?.replace(/ ?openid/, '') ?? '')),
      granted((body, form) =>
        form.get('scope')?.includes('openid') ? { ...body, id_token: 'e.e.e' } : body,
      ),
    ),
    violates: ['client-credentials/no-id-token'],
  },
]
