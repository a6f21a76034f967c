import { OptionsError } from 'hallpass'
import { schoolScopes } from 'hallpass/scope'
import { type ClientOutcome, type RealClient, realClients, whoCanConnect } from 'hallpass-lab'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import type { PublicClient } from '../src/real-client.js'
import { documentHosts, pinnedDocuments, vendors } from '../../../examples/school/testing.js'
import {
  ask,
  authorizationUrl,
  type Configuration,
  connectForReal,
  predict,
} from '../../../test/support/school/real-client.js'
import { createSchool, OWNER } from '../../../test/support/school/school.js'
import { BARE_SERVER } from '../../../test/support/school/bare-server.js'

const publicClients = realClients.filter(({ authorize }) => authorize !== null)
const clientNamed = (name: string): RealClient => realClients.find((one) => one.name === name)!
const publicNamed = (name: string): PublicClient => {
  const { authorize, ...real } = clientNamed(name)
  return { ...real, authorize: authorize! }
}
const claude = clientNamed('Claude')

const DEMO: Configuration = {
  vendors,
  documents: { allowedHosts: documentHosts },
  pinnedDocuments,
}
const CONFIGURATIONS: Readonly<Record<string, Configuration>> = {
  'the demo school': DEMO,
  'nothing configured': {},
  'open registration of documents': { documents: { openRegistration: true } },
  'pinned documents of Claude and Claude Code': {
    vendors,
    pinnedDocuments: [claude, clientNamed('Claude Code')].map(({ document }) => ({
      metadata: document!.content,
      scopes: ['courses:write'],
      checkedOn: '2026-11-20',
    })),
  },
  'documents, but of no host': { documents: {} },
  'scopes by default': { ...DEMO, defaultScopes: ['openid', 'courses:read'] },
  'a recommended scope that documents may not ask for': {
    ...DEMO,
    baselineScopes: ['openid', 'courses:write'],
  },
  'no recommended scope': { baselineScopes: [] },
  'loopback by number alone': { loopbackHosts: ['127.0.0.1', '[::1]'] },
}

const waysOf = (connections: readonly ClientOutcome[]): object =>
  Object.fromEntries(
    connections.filter(({ connects }) => connects).map(({ client, by }) => [client, by]),
  )
const refusalsOf = (connections: readonly ClientOutcome[]): object =>
  Object.fromEntries(
    connections
      .filter(({ connects }) => !connects)
      .map(({ client, by, clientId, scopes, reason, advice }) => [
        client,
        { by, clientId, scopes, reason, advice },
      ]),
  )
const unknown = (reason: string, advice: string | null): object => ({
  by: null,
  clientId: null,
  scopes: [],
  reason,
  advice,
})

const OPERATOR_SCOPES: readonly string[] = schoolScopes.names.filter(
  (name) => !name.startsWith('account:'),
)
const READ_SCOPES = OPERATOR_SCOPES.filter((name) => !name.endsWith(':write'))
const GEMINI_REFUSED = {
  by: 'registration',
  clientId: null,
  scopes: [],
  reason: 'scope_of_other_audience',
  advice:
    'it requests every scope; have its users set the scopes: oauth.scopes of the server in settings.json, then /mcp auth',
}
const NOT_PUBLIC = {
  by: null,
  clientId: null,
  scopes: [],
  reason: null,
  advice: 'what it sends is not public: record one sign-in with recordClient',
}
const OFTEN_403 =
  'its host often responds with 403 to data centers: keep a copy of its document in pinnedDocuments'

describe('whoCanConnect', () => {
  it('tells how each client connects to the demo school', () => {
    const connections = ask(DEMO)
    expect(waysOf(connections)).toEqual({
      Claude: 'document',
      'Claude Code': 'document',
      ChatGPT: 'document',
      Codex: 'document',
      'Visual Studio Code': 'document',
      Cursor: 'vendor',
      'MCP Inspector': 'registration',
      'mcp-remote': 'registration',
      Zed: 'document',
      OpenCode: 'registration',
      Grok: 'pinned_document',
      Perplexity: 'vendor',
      Mistral: 'vendor',
      Devin: 'vendor',
      Kiro: 'registration',
      Warp: 'vendor',
      'LM Studio': 'registration',
      Make: 'vendor',
      'Copilot CLI': 'pinned_document',
      Amp: 'registration',
      Goose: 'document',
    })
    expect(refusalsOf(connections)).toEqual({
      'Gemini CLI': GEMINI_REFUSED,
      n8n: {
        by: 'vendor',
        clientId: 'n8n',
        scopes: [],
        reason: 'scope_of_other_audience',
        advice: `it requests every scope; have its users set the scopes: ${clientNamed('n8n').authorize!.scopeSetting}`,
      },
      Raycast: NOT_PUBLIC,
      Zapier: NOT_PUBLIC,
    })
  })

  it('tells what each may ask for, and what to look out for', () => {
    const [first, , , , , cursor, inspector] = ask(DEMO)
    expect([first, cursor, inspector]).toEqual([
      {
        client: 'Claude',
        connects: true,
        by: 'document',
        clientId: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
        scopes: READ_SCOPES,
        granted: READ_SCOPES,
        reason: null,
        advice: OFTEN_403,
      },
      {
        client: 'Cursor',
        connects: true,
        by: 'vendor',
        clientId: 'cursor',
        scopes: OPERATOR_SCOPES,
        granted: READ_SCOPES,
        reason: null,
        advice: null,
      },
      {
        client: 'MCP Inspector',
        connects: true,
        by: 'registration',
        clientId: null,
        scopes: OPERATOR_SCOPES,
        granted: READ_SCOPES,
        reason: null,
        advice: null,
      },
    ])
  })

  it('lets in programs on the own computer alone where nothing is configured', () => {
    const connections = ask({})
    expect(waysOf(connections)).toEqual({
      'Claude Code': 'registration',
      Codex: 'registration',
      'MCP Inspector': 'registration',
      'mcp-remote': 'registration',
      Zed: 'registration',
      OpenCode: 'registration',
      Kiro: 'registration',
      'LM Studio': 'registration',
      'Copilot CLI': 'registration',
      Amp: 'registration',
      Goose: 'registration',
    })
    const vendorOf = (name: string, ...uris: readonly string[]): object =>
      unknown(
        'redirect_uri_not_loopback',
        `add a vendor entry named '${name}' with these redirect URIs: ${uris.join(' ')}`,
      )
    expect(refusalsOf(connections)).toEqual({
      Claude: vendorOf(
        'Claude',
        'https://claude.ai/api/mcp/auth_callback',
        'https://claude.com/api/mcp/auth_callback',
      ),
      ChatGPT: vendorOf('ChatGPT', 'https://chatgpt.com/connector_platform_oauth_redirect'),
      'Visual Studio Code': vendorOf(
        'Visual Studio Code',
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ),
      Cursor: vendorOf(
        'Cursor',
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ),
      'Gemini CLI': GEMINI_REFUSED,
      Grok: vendorOf(
        'Grok',
        'https://grok.com/connectors-oauth-exchange-code/',
        'https://console.x.ai/connectors-oauth-exchange-code/',
      ),
      Perplexity: vendorOf(
        'Perplexity',
        'https://www.perplexity.ai/rest/connections/oauth_callback',
      ),
      Mistral: vendorOf(
        'Mistral',
        'https://callback.mistral.ai/v1/integrations_auth/oauth2_callback',
      ),
      Devin: vendorOf('Devin', 'https://api.devin.ai/mcp/oauth/callback'),
      Warp: vendorOf('Warp', 'warp://mcp/oauth2callback'),
      Raycast: NOT_PUBLIC,
      n8n: vendorOf('n8n', 'https://oauth.n8n.cloud/oauth2/callback'),
      Zapier: NOT_PUBLIC,
      Make: vendorOf('Make', 'https://www.make.com/oauth/cb/mcp'),
    })
  })

  it('takes the document of a client before its name where any document is supported', () => {
    const connections = ask({ vendors, documents: { allowedHosts: ['claude.ai'] } })
    expect(waysOf(connections)).toMatchObject({ Claude: 'document', Cursor: 'vendor' })
    expect(refusalsOf(connections)).toMatchObject({
      ChatGPT: unknown('document_host_not_allowed', `add 'chatgpt.com' to documents.allowedHosts`),
      'Visual Studio Code': unknown(
        'document_host_not_allowed',
        `add 'vscode.dev' to documents.allowedHosts`,
      ),
    })
  })

  it('warns of pinned documents that turn other clients away from their vendor entry', () => {
    const connections = ask(CONFIGURATIONS['pinned documents of Claude and Claude Code']!)
    expect(connections[0]).toEqual({
      client: 'Claude',
      connects: true,
      by: 'pinned_document',
      clientId: claude.document!.url,
      scopes: [...READ_SCOPES, 'courses:write'].sort(
        (a, b) => OPERATOR_SCOPES.indexOf(a) - OPERATOR_SCOPES.indexOf(b),
      ),
      granted: READ_SCOPES,
      reason: null,
      advice: null,
    })
    expect(refusalsOf(connections)).toMatchObject({
      ChatGPT: unknown(
        'documents_not_supported',
        `pass documents with 'chatgpt.com' in allowedHosts`,
      ),
    })
  })

  it('names what a pinned copy has to leave out', () => {
    expect(refusalsOf(ask({ documents: { openRegistration: true } }))).toMatchObject({
      Grok: unknown(
        'document_redirect_uri_of_other_host',
        'keep a copy of its document in pinnedDocuments, without https://console.x.ai/connectors-oauth-exchange-code/',
      ),
    })
  })

  it('takes the very options of a server', () => {
    expect(ask({ ...DEMO, ...BARE_SERVER, codeSeconds: 60 })).toEqual(ask(DEMO))
  })

  it('refuses every option that a server does not have, by its name', () => {
    const misspelt = { requiresState: false, keys: {} } as never
    expect(() => whoCanConnect(testSite().site, misspelt)).toThrow(
      new OptionsError('whoCanConnect', [
        'requiresState is not an option: did you mean requireState?',
        'keys lacks the function jwks, signer, refreshSecrets: createKeyRing(site, { sealingSecret })',
      ]),
    )
  })
})

it.each(['Gemini CLI', 'n8n'])(
  '%s, which requests every scope, connects once its users have set the scopes',
  async (name) => {
    const real = clientNamed(name)
    const { connects, by } = predict(DEMO, real)
    expect(connects).toBe(false)
    const set: RealClient = { ...real, authorize: { ...real.authorize!, scopes: ['recommended'] } }
    expect(predict(DEMO, set)).toMatchObject({ connects: true, by })
    expect(await connectForReal(DEMO, set)).toMatchObject({ connects: true, by })
  },
)

describe.each(Object.entries(CONFIGURATIONS))('with %s', (_, configuration) => {
  it.each(publicClients)('$name fares at the endpoints as whoCanConnect says', async (real) => {
    const { connects, by, clientId, granted, reason } = predict(configuration, real)
    expect(await connectForReal(configuration, real)).toEqual({
      connects,
      by,
      clientId,
      granted,
      reason,
    })
  })
})

describe('the scopes that whoCanConnect lists', () => {
  it.each(['vendor', 'pinned_document'])('are all that a client by %s may ask for', async (way) => {
    const school = await createSchool({ options: { vendors, pinnedDocuments } })
    school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
    const connections = ask({ vendors, pinnedDocuments }).filter(
      ({ by, connects }) => connects && by === way,
    )
    expect(connections.length).toBeGreaterThan(0)
    for (const { client, clientId, scopes } of connections) {
      const answer = async (asked: readonly string[]): Promise<Response> =>
        school.fetch(authorizationUrl(publicNamed(client), clientId!, asked))
      expect((await answer(scopes)).headers.get('location')).toMatch(/^\/oauth\/interaction\//)
      for (const scope of schoolScopes.names.filter((name) => !scopes.includes(name))) {
        await answer([scope])
        expect(school.refusals.at(-1)).toMatchObject({ error: 'invalid_scope' })
      }
    }
  })
})

describe('a client that does not authorize again after a 403 for more scopes', () => {
  const adviceFor = (changes: Partial<RealClient>): string | null =>
    predict(
      { documents: { openRegistration: true } },
      { ...clientNamed('Claude Code'), ...changes },
    ).advice
  const STEP_UP = 'after a 403 for more scopes its users authorize again: choose the server in /mcp'

  it('is predicted with how its users do it, after the caution of its document', () => {
    expect(adviceFor({})).toBe(`${OFTEN_403}; ${STEP_UP}`)
  })

  it('is predicted so however it connects', () => {
    expect(adviceFor({ document: null })).toBe(STEP_UP)
  })

  it('is not assumed without a source', () => {
    const { stepUp: _, ...silent } = clientNamed('Claude Code')
    expect(predict({ documents: { openRegistration: true } }, silent).advice).toBe(OFTEN_403)
  })
})
