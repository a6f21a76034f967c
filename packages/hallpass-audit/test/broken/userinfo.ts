import { answers, both, type Broken, headers, json, requested } from '../faults.js'

const USERINFO = '/api/oauth/userinfo'

/** Names and grants a scope, and knows no claim of it. */
const forgotten = (scope: string): Broken => ({
  name: `UserInfo has no claims of the scope ${scope}`,
  fault: both(
    ...['oauth-authorization-server', 'openid-configuration'].map((name) =>
      json(`/.well-known/${name}`, (all) => ({ ...all, scopes_supported: [...(all['scopes_supported'] as string[]), scope] })),
    ),
    requested((query) => query.set('scope', query.get('scope')!.replace(` ${scope}`, ''))),
    json('/api/oauth/token', (body) => ({ ...body, scope: `${String(body['scope'])} ${scope}` })),
  ),
  violates: [`userinfo/${scope}`],
}) // prettier-ignore

export const userinfo: readonly Broken[] = [
  {
    name: 'UserInfo names the person by their email address',
    fault: json(USERINFO, (claims) => ({ ...claims, sub: claims['email'] ?? 'unknown' })),
    violates: ['userinfo/subject'],
  },
  {
    name: 'UserInfo has the type of a page',
    fault: headers(USERINFO, (all) => all.set('content-type', 'text/html')),
    violates: ['userinfo/json'],
  },
  {
    name: 'UserInfo has no POST',
    fault: answers(USERINFO, (answer, { method }) =>
      method === 'POST' ? new Response(null, { status: 405 }) : answer,
    ),
    violates: ['userinfo/post'],
  },
  {
    name: 'UserInfo reads the token of a form, and takes it for that of another person',
    fault: {
      wrap: (next) => async (request) => {
        const isForm = request.headers.get('content-type')?.includes('form-urlencoded') ?? false
        return new URL(request.url).pathname === USERINFO && isForm
          ? Response.json({ sub: 'per_yuki' })
          : next(request)
      },
    },
    violates: ['userinfo/post-body'],
  },
  {
    name: 'UserInfo has no claims of the scope email',
    fault: json(USERINFO, ({ email: _email, email_verified: _is, ...claims }) => claims),
    violates: ['userinfo/email'],
  },
  {
    name: 'UserInfo has the claims of email only',
    fault: json(USERINFO, ({ sub, email }) => ({ sub, ...(email !== undefined && { email }) })),
    violates: ['userinfo/profile'],
  },
  forgotten('address'),
  forgotten('phone'),
  {
    name: 'UserInfo requires no scope',
    fault: answers(USERINFO, (answer) =>
      answer.status === 403 ? Response.json({ sub: 'per_ines' }) : answer,
    ),
    violates: ['userinfo/without-openid'],
  },
  {
    name: 'UserInfo returns all claims to every client',
    fault: json(USERINFO, (claims) => ({ email: 'ines@school.example', ...claims })),
    violates: ['userinfo/claims-of-scopes'],
  },
  {
    name: 'UserInfo returns claims without a value',
    fault: json(USERINFO, (claims) => ('name' in claims ? { ...claims, family_name: '' } : claims)),
    violates: ['userinfo/no-empty-claims'],
  },
]
