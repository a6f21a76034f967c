// The rows of the tables of the service description.

/** Members of the metadata, and the paths of their endpoints. */
export const ENDPOINTS = [
  { member: 'authorization_endpoint', path: '/oauth/authorize' },
  { member: 'token_endpoint', path: '/api/oauth/token' },
  { member: 'userinfo_endpoint', path: '/api/oauth/userinfo' },
  { member: 'revocation_endpoint', path: '/api/oauth/revoke' },
  { member: 'registration_endpoint', path: '/api/oauth/register' },
] as const

/** Claims of UserInfo and of the ID token. */
export const IDENTITY_CLAIMS = ['sub', 'email', 'name', 'picture', 'org_id', 'roles'] as const

/** Fields of the Account API, as paths in the data of a response. */
export const ACCOUNT_FIELDS = [
  'viewer.id',
  'viewer.email',
  'viewer.enrolledCourses.nodes',
  'viewer.enrolledCourses.nodes.slug',
  'viewer.enrolledCourses.nodes.expireDate',
  'viewer.enrolledCourses.nodes.hasLifetimeAccess',
  'viewer.enrolledCourses.nodes.lastWatchedLecture.lectureId',
  'viewer.enrolledCourses.nodes.lastWatchedLecture.positionSeconds',
] as const

const READ = ['analytics', 'orders', 'comments', 'forms'].map((name) => `${name}:read`)
const BOTH = [
  'courses',
  'students',
  'members',
  'curriculum',
  'school',
  'appearance',
  'events',
  'membership_plans',
  'coupons',
  'posts',
  'subscriptions',
  'digital_products',
  'lecturers',
  'pages',
].flatMap((name) => [`${name}:read`, `${name}:write`])

/** Scopes of operators. */
export const OPERATOR_SCOPES: readonly string[] = [...BOTH, ...READ, 'storage:write']
export const IDENTITY_SCOPES: readonly string[] = ['openid', 'profile', 'email']
export const MEMBER_SCOPES: readonly string[] = ['account:read', 'account:write']
export const WRITE_SCOPES: readonly string[] = OPERATOR_SCOPES.filter((scope) =>
  scope.endsWith(':write'),
)
export const READ_SCOPES: readonly string[] = OPERATOR_SCOPES.filter((scope) =>
  scope.endsWith(':read'),
)
