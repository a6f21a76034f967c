import { type Broken, answers, headers, json } from '../faults.js'

const USERINFO = '/api/oauth/userinfo'

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
