// The rows of the tables of the service description.

/** Members of the metadata, and the paths of their endpoints. */
export const ENDPOINTS = [
  { member: 'authorization_endpoint', path: '/oauth/authorize' },
  { member: 'token_endpoint', path: '/api/oauth/token' },
  { member: 'userinfo_endpoint', path: '/api/oauth/userinfo' },
  { member: 'revocation_endpoint', path: '/api/oauth/revoke' },
  { member: 'registration_endpoint', path: '/api/oauth/register' },
] as const

/** Documents that anyone can read, as JSON. */
export const DOCUMENTS = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/openapi.json',
] as const

/** Values that lists of the metadata have, next to scopes. */
export const LISTED = [
  { section: 'Endpoints', list: 'grant_types_supported', value: 'authorization_code' },
  { section: 'Endpoints', list: 'grant_types_supported', value: 'refresh_token' },
  { section: 'Authentication 3', list: 'token_endpoint_auth_methods_supported', value: 'none' },
  { section: 'Authentication 3', list: 'token_endpoint_auth_methods_supported', value: 'client_secret_post' },
] as const // prettier-ignore

/** Fields of a registration, and a value of another type. */
export const FIELD_TYPES = [
  { field: 'client_name', type: 'a string', wrong: 5 },
  { field: 'application_type', type: 'a string', wrong: 5 },
  { field: 'redirect_uris', type: 'an array of strings', wrong: 'http://127.0.0.1:47317/callback' },
  { field: 'token_endpoint_auth_method', type: 'a string', wrong: 5 },
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
/** Scopes that an unreviewed document may not request. */
export const WRITE_SCOPES: readonly string[] = [...OPERATOR_SCOPES, 'account:write'].filter(
  (scope) => scope.endsWith(':write'),
)
export const READ_SCOPES: readonly string[] = OPERATOR_SCOPES.filter((scope) =>
  scope.endsWith(':read'),
)
