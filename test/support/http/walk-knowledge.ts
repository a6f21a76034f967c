import { APPENDIX_B } from '../../vectors/rfc7636.js'
import type { Description, Knowledge } from './description-walk.js'
import { type Fields, REDIRECT } from '../school/flow.js'
import { createFormBrowser, signInAndAllow } from './form-browser.js'
import { authorizeUrl, redeemAt } from './running-flow.js'

const STAFF = 'ines.duarte@example.com'
const MEMBER = 'mei-ling.chou@example.com'
const PASSWORD = 'hallpass-demo'
const HUB = { client_id: 'portfolio-hub', client_secret: 'portfolio-hub-demo-secret' }
const FOR_HUB = {
  client_id: HUB.client_id,
  scope: 'openid profile email account:read account:write',
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** What a walk through the description of a running demo needs to know: people, clients and tokens. */
export async function knowledgeOf(origin: string, description: Description): Promise<Knowledge> {
  const allow = async (email: string, changes: Fields): Promise<string> => {
    const url = authorizeUrl(origin, changes)
    const callback = await signInAndAllow(createFormBrowser(origin), url, { email })
    return callback.searchParams.get('code')!
  }
  const redeem = async (email: string, request: Fields, client: Fields): Promise<Tokens> => {
    const answer = await redeemAt(origin, await allow(email, request), client)
    return (await answer.json()) as Tokens
  }
  const desk = { client_id: 'desk-cli' }
  const forDesk = { ...desk, scope: `openid ${operatorScopes(description).join(' ')}` }
  const staff = await redeem(STAFF, forDesk, desk)
  const member = await redeem(MEMBER, FOR_HUB, HUB)
  // For the endpoints that end what they are given.
  const spent = await redeem(MEMBER, FOR_HUB, HUB)
  const code = await allow(MEMBER, FOR_HUB)
  const pending = await beginAt(origin)
  return {
    callers: {
      oauth2: bearer(staff),
      accessToken: bearer(member),
      browser: { cookie: pending.cookie },
    },
    values: {
      client_id: ['study-buddy', HUB.client_id, 'desk-cli', 'https://app.example/client.json'],
      client_secret: [HUB.client_secret],
      client_name: ['Notes', 'Claude'],
      redirect_uri: [REDIRECT, 'https://evil.example/callback'],
      redirect_uris: [['http://127.0.0.1:3000/callback'], ['https://app.example/callback'], []],
      scope: [FOR_HUB.scope, 'openid account:read', 'courses:read'],
      resource: [[origin], [`${origin}/mcp`], ['https://other.example']],
      code_challenge: [APPENDIX_B.codeChallenge],
      code_verifier: [APPENDIX_B.codeVerifier],
      prompt: ['none', 'login', 'login none'],
      toolset: ['all', 'teaching'],
      'MCP-Protocol-Version': ['2025-11-25', '2026-07-28'],
      'If-Match': ['*'],
      'If-None-Match': ['*'],
      'oauth.interaction.id': [pending.id],
      'oauth.decide.id': [pending.id],
    },
    bodies: {
      'oauth.token': [
        {
          ...HUB,
          grant_type: 'authorization_code',
          code,
          redirect_uri: REDIRECT,
          code_verifier: APPENDIX_B.codeVerifier,
          resource: origin,
        },
        { ...HUB, grant_type: 'refresh_token', refresh_token: spent.refresh_token },
        { ...HUB, grant_type: 'refresh_token', refresh_token: 'x' },
      ],
      'oauth.revoke': [
        { ...HUB, token: spent.access_token },
        { ...HUB, token: 'x' },
      ],
      'oauth.introspect': [
        { ...HUB, token: member.access_token },
        { ...HUB, token: member.refresh_token },
        { ...HUB, token: 'x' },
      ],
      'oauth.decide': [
        { csrf_token: pending.csrfToken, decision: 'allow', access: 'choose' },
        { csrf_token: pending.csrfToken, decision: 'allow', access: 'all' },
      ],
      'account.graphql': QUERIES,
      'mcp.send': MESSAGES,
    },
  }
}

const bearer = ({ access_token: token }: Tokens): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
})

function operatorScopes({ components }: Description): readonly string[] {
  const { securitySchemes } = components as unknown as {
    securitySchemes: { oauth2: { flows: { authorizationCode: { scopes: object } } } }
  }
  return Object.keys(securitySchemes.oauth2.flows.authorizationCode.scopes)
}

/** A request that waits for a decision, and the browser in which it began. */
async function beginAt(origin: string): Promise<{ id: string; csrfToken: string; cookie: string }> {
  const browser = createFormBrowser(origin)
  const signIn = await browser.open(authorizeUrl(origin))
  const page = await browser.submit(signIn, { email: MEMBER, password: PASSWORD }, 'Sign in')
  const form = (page.text.match(/<form[^]*?<\/form>/g) ?? []).find((one) =>
    one.includes('decision'),
  )
  const [, csrfToken = ''] = /name="csrf_token"[^>]*value="([^"]*)"/.exec(form ?? '') ?? []
  return {
    id: page.url.pathname.split('/').at(-1)!,
    csrfToken,
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  }
}

const QUERY = '{ viewer { id email enrolledCourses(first: 3) { nodes { slug } } } }'
const QUERIES = [
  { query: QUERY },
  { query: QUERY, extensions: { cost: true } },
  { query: '{ viewer { nothing } }' },
  { query: '{' },
  {
    query: 'query($n: Int!) { viewer { orders(first: $n) { totalCount } } }',
    variables: { n: -1 },
  },
  { query: `{ ${'viewer { id } '.repeat(400)} }` },
  { query: 'mutation { updateProfile(input: { name: "Mei" }) { userErrors { code } } }' },
]

const message = (method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
})
const call = (name: string, args: object): object =>
  message('tools/call', { name, arguments: args })
const MESSAGES = [
  message('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'walk', version: '1' },
  }),
  message('tools/list'),
  message('ping'),
  message('resources/list'),
  message('nothing'),
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 1, result: {} },
  call('check_connection', {}),
  call('check_connection', { x: 1 }),
  call('list_my_courses', {}),
  call('list_orders', {}),
  call('nothing', {}),
]
