import { generateKeyPairSync } from 'node:crypto'
import { hashToken } from 'hallpass/token'
import {
  BASIC,
  BASIC_WITH_PKCE,
  CONFIG,
  DYNAMIC,
  type Expectations,
  FAPI2,
  FAPI2_OAUTH,
  LOGOUT,
} from './expected.js'
import { PEOPLE, type Registered } from './school.js'

/** A plan of the suite, with the school that it is run against. */
export interface Plan {
  readonly name: string
  readonly variant: Readonly<Record<string, string>>
  /** The blocks of the school. */
  readonly blocks: readonly Block[]
  /** Whether the school gets PKCE where the suite sends none. */
  readonly addsPkce?: boolean
  readonly clients: readonly Registered[]
  readonly configurationFor: (school: { readonly origin: string }) => object
  readonly expectations: Expectations
}

type Block = 'fapi2' | 'private-key-jwt' | 'dpop' | 'par' | 'client-secret-basic'

/** A private key as a JWK with what the suite reads of one. */
function newKey(kid: string, alg: 'ES256' | 'PS256'): Readonly<Record<string, unknown>> {
  const { privateKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }
}

const PRIVATE = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi'])
const publicOf = (key: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(key).filter(([name]) => !PRIVATE.has(name)))

type Command = readonly (string | number)[]
interface Visit {
  readonly match: string
  readonly 'match-limit'?: number
  readonly tasks: readonly object[]
}

/** The commands by which the suite's browser uses the pages of the school. */
function pagesOf(school: string, suite: string) {
  const shown = `${school}/oauth/interaction/*`
  const PASSWORD_FORM = "//form[.//input[@type='password']]//button[@type='submit']"
  /** Takes what the page says as the picture that a module asks for. */
  const keep: Command = ['wait', 'xpath', '//h1', 10, '.+', 'update-image-placeholder-optional']
  const signInAs = (email: string): object => ({
    task: 'Sign in',
    match: shown,
    optional: true,
    commands: [
      ['text', 'name', 'email', email, 'optional'],
      ['text', 'name', 'password', PEOPLE.password, 'optional'],
      ['click', 'xpath', PASSWORD_FORM, 'optional'],
    ],
  })
  const signIn = signInAs(PEOPLE.owner)
  const decide = (decision: 'allow' | 'deny'): object => ({
    task: `Decide: ${decision}`,
    match: shown,
    optional: true,
    commands: [
      ['click', 'xpath', `//button[@name='decision' and @value='${decision}']`, 'optional'],
    ],
  })
  const error = { task: 'Error page', match: `${school}/*`, optional: true, commands: [keep] }
  const back = {
    task: 'Back at the client',
    match: `${suite}/test/*`,
    optional: true,
    commands: [['wait', 'id', 'submission_complete', 20]],
  }
  const visit = (tasks: readonly object[], limit?: number): Visit => ({
    match: `${school}/oauth/authorize*`,
    ...(limit !== undefined && { 'match-limit': limit }),
    tasks,
  })
  const look = { task: 'Look', match: shown, optional: true, commands: [keep] }
  const usual = visit([signIn, decide('allow'), error, back])
  return {
    usual,
    /** By a person who has allowed nothing yet: the school asks again only for what is new. */
    refuse: visit([signInAs(PEOPLE.manager), decide('deny'), error, back]),
    /** The first visit only looks. */
    lookFirst: [visit([], 1), usual],
    /** The second visit is kept as a picture before the person signs in. */
    signInTwice: [
      visit([signIn, decide('allow'), error, back], 1),
      visit([look, signIn, decide('allow'), error, back]),
    ],
  }
}

const callbackOf = (suite: string, alias: string): string => `${suite}/test/a/${alias}/callback`

interface Common {
  readonly suite: string
  readonly alias: string
}

const commonOf = (
  { suite, alias }: Common,
  school: string,
  overrides: (pages: ReturnType<typeof pagesOf>) => object,
): object => {
  const pages = pagesOf(school, suite)
  return {
    alias,
    description: 'hallpass',
    options: { browsercontrol_css_enable: false },
    browser: [pages.usual],
    override: overrides(pages),
  }
}

/** `fapi2-security-profile-final-test-plan`, for OpenID Connect or for OAuth only. */
function fapi2Plan(
  suite: string,
  { openid, alias }: { openid: 'openid_connect' | 'plain_oauth'; alias: string },
): Plan {
  // The one module about RS256 is for clients with an RSA key.
  const keys = { one: newKey('one', 'PS256'), two: newKey('two', 'ES256') }
  const isOpenid = openid === 'openid_connect'
  const scope = isOpenid ? 'openid profile courses:read' : 'courses:read students:read'
  const callback = callbackOf(suite, alias)
  const prefix = 'fapi2-security-profile-final-'
  return {
    name: 'fapi2-security-profile-final-test-plan',
    expectations: isOpenid ? FAPI2 : FAPI2_OAUTH,
    variant: {
      sender_constrain: 'dpop',
      client_auth_type: 'private_key_jwt',
      authorization_request_type: 'simple',
      openid,
      fapi_profile: 'plain_fapi',
    },
    blocks: ['private-key-jwt', 'dpop', 'par', 'fapi2'],
    clients: Object.entries(keys).map(([clientId, key]) => ({
      clientId,
      name: `Conformance suite, client ${clientId}`,
      redirectUris: [callback, `${callback}?dummy1=lorem&dummy2=ipsum`],
      tokenEndpointAuthMethod: 'private_key_jwt',
      keys: { jwks: { keys: [publicOf(key)] }, jwksUri: null, signingAlg: null },
    })),
    configurationFor: ({ origin }) => ({
      ...commonOf({ suite, alias }, origin, ({ refuse, lookFirst }) => ({
        [`${prefix}user-rejects-authentication`]: { browser: [refuse] },
        [`${prefix}par-ensure-reused-request-uri-prior-to-auth-completion-succeeds`]: {
          browser: lookFirst,
        },
      })),
      server: {
        discoveryUrl: `${origin}/.well-known/${isOpenid ? 'openid-configuration' : 'oauth-authorization-server'}`,
      },
      client: { client_id: 'one', scope, jwks: { keys: [keys.one] } },
      client2: { client_id: 'two', scope, jwks: { keys: [keys.two] } },
      resource: { resourceUrl: `${origin}/api/v1/courses` },
    }),
  }
}

const SECRETS = {
  one: 'the secret of the first client, made for this run',
  two: 'the secret of the second client, made for this run',
}

/** `oidcc-basic-certification-test-plan` and others for clients with a secret. */
function secretPlan(
  suite: string,
  {
    alias,
    ...plan
  }: Pick<Plan, 'name' | 'variant' | 'addsPkce' | 'expectations'> & { alias: string },
): Plan {
  const callback = callbackOf(suite, alias)
  const credentials = (clientId: keyof typeof SECRETS): object => ({
    client_id: clientId,
    client_secret: SECRETS[clientId],
  })
  return {
    ...plan,
    blocks: ['client-secret-basic'],
    clients: (['one', 'two'] as const).map((clientId) => ({
      clientId,
      name: `Conformance suite, client ${clientId}`,
      redirectUris: [callback],
      tokenEndpointAuthMethod: 'client_secret_post',
      secrets: [{ hash: hashToken(SECRETS[clientId]), expiresAt: null }],
    })),
    configurationFor: ({ origin }) => ({
      ...commonOf({ suite, alias }, origin, ({ signInTwice }) => ({
        'oidcc-prompt-login': { browser: signInTwice },
        'oidcc-max-age-1': { browser: signInTwice },
      })),
      server: { discoveryUrl: `${origin}/.well-known/openid-configuration` },
      client: credentials('one'),
      client2: credentials('two'),
      client_secret_post: credentials('one'),
    }),
  }
}

/** Every plan that is run, in the order of the page. */
export function plansFor(suite: string): Readonly<Record<string, Plan>> {
  const basic = {
    name: 'oidcc-basic-certification-test-plan',
    variant: { server_metadata: 'discovery', client_registration: 'static_client' },
  }
  return {
    fapi2: fapi2Plan(suite, { openid: 'openid_connect', alias: 'hallpass-fapi2' }),
    'fapi2-oauth': fapi2Plan(suite, { openid: 'plain_oauth', alias: 'hallpass-fapi2-oauth' }),
    config: secretPlan(suite, {
      name: 'oidcc-config-certification-test-plan',
      variant: {},
      alias: 'hallpass-config',
      expectations: CONFIG,
    }),
    basic: secretPlan(suite, { ...basic, alias: 'hallpass-basic', expectations: BASIC }),
    'basic-with-pkce': secretPlan(suite, {
      ...basic,
      alias: 'hallpass-basic-with-pkce',
      expectations: BASIC_WITH_PKCE,
      addsPkce: true,
    }),
    dynamic: secretPlan(suite, {
      name: 'oidcc-dynamic-certification-test-plan',
      variant: { response_type: 'code' },
      alias: 'hallpass-dynamic',
      expectations: DYNAMIC,
    }),
    logout: secretPlan(suite, {
      name: 'oidcc-rp-initiated-logout-certification-test-plan',
      variant: { response_type: 'code', client_registration: 'static_client' },
      alias: 'hallpass-logout',
      expectations: LOGOUT,
      addsPkce: true,
    }),
  }
}
