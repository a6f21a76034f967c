// Programs that people install: agents of the terminal, and bridges to them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startModel } from './model.mjs'
import { homeOf, packages, PATIENCE_MILLISECONDS, program } from './programs.mjs'
import {
  assert,
  callbackOf,
  follow,
  json,
  owner,
  refusal,
  register,
  revokeByHand,
  run,
  say,
  SCHOOL,
  step,
  student,
  throwError,
  tokenOf,
  trial,
} from './trial.mjs'

/** Where the client connects. */
let MCP = trial.mcp

/** The first thing that is an authorization request. */
const authorization = (text) =>
  /http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?[^\s"'<>\\]+/.exec(text)?.[0]

/** Answers the question for a callback once, as a person with a browser on another computer does. */
function pasting(email) {
  let asked = null
  const onOutput = (text, write, kill) => {
    const url = authorization(text)
    if (asked !== null || url === undefined) return
    asked = url
    callbackOf(url, { email }).then(
      (callback) => write(`${callback.href}\r`),
      (error) => {
        say({ step: 'browser', ok: false, words: error.message })
        kill()
      },
    )
  }
  return { onOutput, url: () => (asked === null ? null : new URL(asked)) }
}

const callerIn = (text) => /caller\W+(operator|member|anonymous)/.exec(text ?? '')?.[1] ?? 'nobody'

/**
 * The life of an agent of the terminal.
 *
 * @param agent - `start` makes a home, with the client ID that a member was given; `signIn` signs a person in; `ask` lets
 *   the model use `check_connection`; `spoil` lets the access token be over; `tokenIn` reads it; `signOut` forgets it,
 *   `null` if it tells nobody; `isAsked`: its address asks at once; `isRegistered`: it has no document. Default: `isAsked`
 */
async function agentLife({
  start,
  signIn,
  ask,
  spoil,
  tokenIn,
  signOut,
  refreshTokenIn,
  isAsked,
  isRegistered = isAsked,
}) {
  const model = await startModel()
  const tools = {}
  const callAs = async (home) => {
    model.seen.result = null
    let output = ''
    // On a busy machine an agent asks its model before it has connected: the person would ask once more.
    for (let turn = 0; turn < 3 && model.seen.result === null; turn++)
      output = (await ask(home, model.url)).all
    assert(model.seen.result !== null, `no answer of the tool: ${output.slice(-600)}`)
    return callerIn(model.seen.result)
  }
  const home = await start(homeOf())
  // An address that always asks has nothing for a stranger.
  if (!isAsked)
    await step('discovery', async () => {
      const caller = await callAs(home)
      assert(caller === 'anonymous', caller)
      tools.anonymous = model.seen.tools.length
    })
  let clientId
  await step('signIn', async () => {
    const { url, all } = await signIn(home, owner)
    if (url !== null)
      say({ requested: Object.fromEntries(url.searchParams), screen: all.slice(-400) })
    assert(url !== null, `it asked no one to sign in: ${all.trim().slice(-200)}`)
    await step('registration', () => {
      clientId = url.searchParams.get('client_id')
      say({ clientId })
      assert(clientId.startsWith(isRegistered ? 'app_' : 'https://'), clientId)
    })
    assert(tokenIn(home) !== null, `it has no token: ${all.slice(-600)}`)
  })
  await step('call', async () => {
    const caller = await callAs(home)
    assert(caller === 'operator', `it calls as ${caller}`)
    tools.owner = model.seen.tools.length
  })
  if (tokenIn(home) !== null) {
    await step('member', async () => {
      MCP = trial.mcpOfMembers
      const other = await start(homeOf(), trial)
      await signIn(other, student)
      const caller = await callAs(other)
      assert(caller === 'member', `it calls as ${caller}`)
      tools.student = model.seen.tools.length
    })
    MCP = trial.mcp
    await step('refresh', async () => {
      const before = tokenIn(home)
      spoil(home)
      const caller = await callAs(home)
      assert(caller === 'operator', `it calls as ${caller}`)
      assert(tokenIn(home) !== before, 'the access token is the same')
    })
    const token = tokenIn(home)
    if (signOut === null)
      await step('revocation', () => revokeByHand(refreshTokenIn(home), clientId))
    else
      await step('revocation', async () => {
        const kept = keep(home)
        const { all } = await signOut(home)
        const headers = { authorization: `Bearer ${token}` }
        const { status } = await json(fetch(`${SCHOOL}/api/oauth/userinfo`, { headers }))
        kept()
        assert(
          status === 401,
          `after its sign-out the token is alive (${status}): ${all.trim().slice(-200)}`,
        )
      })
    await step('refusal', async () => {
      const caller = await callAs(home).catch((error) => error.message)
      assert(caller !== 'operator' && caller !== 'member', `it calls as ${caller}`)
    })
  }
  say({ tools })
  model.close()
}

/** Remembers what is stored, so that it can be as before. */
function keep(home) {
  const files = readdirSync(home, { recursive: true })
    .filter((name) => /credentials\.json$|mcp-auth\.json$/.test(name))
    .map((name) => [join(home, name), readFileSync(join(home, name))])
  return () => {
    for (const [path, text] of files) writeFileSync(path, text)
  }
}

const change = (path, edit) => {
  const value = JSON.parse(readFileSync(path, 'utf8'))
  edit(value)
  writeFileSync(path, JSON.stringify(value))
}
const read = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** A token as an operator's script gets it, for what takes one in a header. */
async function tokenFor(scope) {
  const { client_id: clientId } = await register({ token_endpoint_auth_method: 'none' })
  const token = await tokenOf({ clientId, scope, email: owner, resource: `${SCHOOL}/mcp` })
  return { token, clientId }
}

await run({
  async 'Claude Code'() {
    const claude = join(packages, '@anthropic-ai/claude-code-linux-x64/claude')
    const env = {
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      MCP_TIMEOUT: String(PATIENCE_MILLISECONDS),
      CLAUDE_CODE_MCP_STARTUP_WAIT_MS: String(PATIENCE_MILLISECONDS / 2),
      // All tools in each request, whose names can be counted then.
      ENABLE_TOOL_SEARCH: 'false',
    }
    const stored = (home) => join(home, '.claude/.credentials.json')
    const entries = (home) => Object.values(read(stored(home)).mcpOAuth ?? {})
    await agentLife({
      async start(home, app) {
        const own = app ? ['--client-id', app.id, '--callback-port', String(app.port)] : []
        await program(claude, ['mcp', 'add', '--transport', 'http', ...own, 'school', MCP], {
          home,
          env,
        })
        return home
      },
      async signIn(home, email) {
        const { onOutput, url } = pasting(email)
        const { all } = await program(claude, ['mcp', 'login', 'school', '--no-browser'], {
          home,
          env,
          isOnTerminal: true,
          onOutput,
        })
        return { url: url(), all }
      },
      ask: (home, model) =>
        program(
          claude,
          ['-p', 'hello', '--allowedTools', 'mcp__school', '--model', 'claude-none'],
          {
            home,
            env: { ...env, ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: 'none' },
          },
        ),
      tokenIn: (home) => entries(home)[0]?.accessToken ?? null,
      spoil: (home) =>
        change(stored(home), ({ mcpOAuth }) => {
          for (const entry of Object.values(mcpOAuth)) entry.expiresAt = 1
        }),
      signOut: (home) => program(claude, ['mcp', 'logout', 'school'], { home, env }),
    })
  },

  async Codex() {
    const codex = join(packages, '@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex')
    const envOf = (home) => ({ CODEX_HOME: home, KEY: 'none' })
    const stored = (home) => join(home, '.credentials.json')
    const entries = (home) => Object.values(read(stored(home)))
    const codexIn = (home, args, more) => program(codex, args, { home, env: envOf(home), ...more })
    await agentLife({
      async start(home, app) {
        const lines = [
          'mcp_oauth_credentials_store = "file"',
          ...(app ? [`mcp_oauth_callback_port = ${app.port}`] : []),
          '[mcp_servers.school]',
          `url = "${MCP}"`,
          ...(app
            ? [
                '[mcp_servers.school.oauth]',
                `client_id = "${app.id}"`,
                'callback_url = "http://127.0.0.1/callback"',
              ]
            : []),
        ]
        writeFileSync(join(home, 'config.toml'), lines.join('\n'))
        return home
      },
      async signIn(home, email) {
        const { onOutput, url } = pasting(email)
        const { all } = await codexIn(home, ['mcp', 'login', 'school', '--no-browser'], {
          isOnTerminal: true,
          onOutput,
        })
        return { url: url(), all }
      },
      ask(home, model) {
        const provider = `{name="none",base_url="${model}/v1",wire_api="responses",env_key="KEY"}`
        return codexIn(home, [
          'exec',
          '--skip-git-repo-check',
          '--dangerously-bypass-approvals-and-sandbox',
          '-c',
          `model_providers.none=${provider}`,
          '-c',
          'model_provider="none"',
          '-c',
          'model="none"',
          'hello',
        ])
      },
      tokenIn: (home) => entries(home)[0]?.access_token ?? null,
      spoil: (home) =>
        change(stored(home), (all) => {
          for (const entry of Object.values(all)) entry.expires_at = 1
        }),
      signOut: null,
      refreshTokenIn: (home) => entries(home)[0].refresh_token,
    })
  },

  async OpenCode() {
    const opencode = join(packages, 'opencode-linux-x64/bin/opencode')
    const env = { OPENCODE_DISABLE_AUTOUPDATE: '1' }
    const stored = (home) => join(home, '.local/share/opencode/mcp-auth.json')
    const apps = new Map()
    const configure = (home, model) =>
      writeFileSync(
        join(home, 'opencode.json'),
        JSON.stringify({
          model: 'none/none',
          small_model: 'none/none',
          provider: {
            none: {
              npm: '@ai-sdk/openai-compatible',
              name: 'none',
              options: { baseURL: `${model}/v1`, apiKey: 'none' },
              models: { none: { name: 'none' } },
            },
          },
          permission: 'allow',
          mcp: {
            school: {
              type: 'remote',
              url: MCP,
              timeout: PATIENCE_MILLISECONDS,
              ...(apps.has(home) && { oauth: { clientId: apps.get(home).id } }),
            },
          },
        }),
      )
    await agentLife({
      async start(home, app) {
        if (app) apps.set(home, app)
        configure(home, 'http://127.0.0.1:9')
        return home
      },
      async signIn(home, email) {
        let asked = null
        const { all } = await program(opencode, ['mcp', 'auth', 'school'], {
          home,
          env,
          isOnTerminal: true,
          onOutput(text) {
            const url = authorization(text)
            if (asked !== null || url === undefined) return
            asked = url
            void follow(url, { email })
          },
        })
        return { url: asked === null ? null : new URL(asked), all }
      },
      ask(home, model) {
        configure(home, model)
        return program(opencode, ['run', 'hello'], { home, env })
      },
      tokenIn: (home) => read(stored(home)).school?.tokens?.accessToken ?? null,
      spoil: (home) =>
        change(stored(home), ({ school }) => {
          school.tokens.accessToken = 'spoilt'
        }),
      signOut: null,
      refreshTokenIn: (home) => read(stored(home)).school.tokens.refreshToken,
      isAsked: true,
    })
  },

  async 'Gemini CLI'() {
    const gemini = join(packages, '@google/gemini-cli/bundle/gemini.js')
    const env = {
      GEMINI_API_KEY: 'none',
      NO_BROWSER: '1',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      // One process, which ends when it is told to.
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }
    const stored = (home) => join(home, '.gemini/mcp-oauth-tokens.json')
    const configure = (home, oauth) => {
      mkdirSync(join(home, '.gemini'), { recursive: true })
      // Also for a member: what it begins by itself, after a 401, has none of its settings.
      const school = { httpUrl: trial.mcp, trust: true, oauth: { enabled: true, ...oauth } }
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: { school },
      }
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings))
    }
    /** Types what its person types. */
    async function signIn(home, open) {
      let [isTyped, asked, enter] = [false, null, null]
      const { all } = await program(
        'sh',
        ['-c', `stty cols 2000 rows 50; exec ${process.execPath} ${gemini}`],
        {
          home,
          env,
          isOnTerminal: true,
          onOutput(text, write, kill) {
            if (!isTyped && text.includes('for shortcuts')) {
              isTyped = true
              write('/mcp auth school')
            }
            // Enter sends it, and then answers yes. On a busy machine the first one is sometimes a part of the line.
            if (enter === null && text.includes('> /mcp auth school'))
              enter = setInterval(() => asked === null && write('\r'), 2000)
            const url = authorization(text)
            if (url !== undefined && asked === null) {
              asked = url
              open(url).then(
                (isOver) => isOver && kill(),
                (error) => {
                  say({ step: 'browser', ok: false, words: error.message })
                  kill()
                },
              )
            }
            if (/Successfully authenticated|Failed to authenticate/.test(text)) kill()
          },
        },
      )
      clearInterval(enter)
      return { url: asked === null ? null : new URL(asked), all }
    }
    await agentLife({
      async start(home, app) {
        const scopes = app ? ['account:read'] : ['openid', 'courses:read']
        const redirectUri = `http://localhost:${trial.port}/oauth/callback`
        configure(home, { scopes, ...(app && { clientId: app.id, redirectUri }) })
        return home
      },
      signIn: (home, email) =>
        signIn(home, async (url) => {
          await follow(url, { email })
        }),
      ask: (home, model) =>
        program(process.execPath, [gemini, '-p', 'hello', '-m', 'none'], {
          home,
          env: { ...env, GOOGLE_GEMINI_BASE_URL: model },
        }),
      tokenIn: (home) => read(stored(home))[0]?.token?.accessToken ?? null,
      spoil: (home) =>
        change(stored(home), (all) => {
          for (const { token } of all) token.expiresAt = 1
        }),
      signOut: null,
      refreshTokenIn: (home) => read(stored(home))[0].token.refreshToken,
      isRegistered: true,
    })
    await refusal('untold', async () => {
      const home = homeOf()
      configure(home, {})
      let callback
      await signIn(home, async (url) => {
        callback = await callbackOf(url, { email: owner })
        return true
      })
      return throwError(callback)
    })
  },

  async 'mcp-remote'() {
    const send = (write, ...messages) => {
      for (const message of messages) write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    }
    const tools = {}
    /** A bridge in its own folder: asks each question once the one before it is answered. */
    async function bridge(email, questions, more = [], { isAskedInVain = false } = {}) {
      const home = homeOf()
      let [asked, opened, isDone] = [-1, null, false]
      const answers = []
      const args = [
        join(packages, 'mcp-remote/dist/proxy.js'),
        MCP,
        String(trial.port),
        '--allow-http',
        ...more,
      ]
      const { all } = await program(process.execPath, args, {
        home,
        env: { MCP_REMOTE_CONFIG_DIR: home, BROWSER: 'true' },
        onOutput(text, write, kill) {
          const url = authorization(text)
          // It prints the address a moment before it listens for the callback: no person is that fast.
          const isListening = /callback server running/.test(text)
          if (url !== undefined && isListening && opened === null) {
            opened = url
            if (isAskedInVain) {
              kill()
              return
            }
            follow(url, { email }).catch((error) =>
              say({ step: 'browser', ok: false, words: error.message }),
            )
          }
          const found = [...text.matchAll(/^\{.*"id":(\d+).*\}$/gm)].map(([line]) =>
            JSON.parse(line),
          )
          const next = asked === -1 || found.some(({ id }) => id === asked)
          if (!next || isDone) return
          if (asked >= 0) answers[asked] = found.find(({ id }) => id === asked)
          asked++
          if (asked === questions.length) {
            isDone = true
            kill()
            return
          }
          const [method, params] = questions[asked]
          if (asked === 1) send(write, { method: 'notifications/initialized' })
          send(write, { id: asked, method, params })
        },
      })
      return { answers, url: opened, all }
    }
    const initialize = [
      'initialize',
      {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'trial', version: '1' },
      },
    ]
    const list = ['tools/list', {}]
    const call = (name) => ['tools/call', { name, arguments: {} }]
    const first = await step('discovery', async () => {
      const bridged = await bridge(owner, [initialize, list, call('list_orders'), list])
      tools.anonymous = bridged.answers[1].result.tools.length
      return bridged
    })
    await step('registration', () => assert(first.url !== null, first.all.slice(-400)))
    if (first?.url) say({ clientId: new URL(first.url).searchParams.get('client_id') })
    await step('signIn', () => assert(first.answers[2].result, JSON.stringify(first.answers[2])))
    await step('call', async () => {
      tools.owner = first.answers[3].result.tools.length
    })
    await step('member', async () => {
      MCP = trial.mcpOfMembers
      const information = JSON.stringify({ client_id: trial.id })
      const more = ['--static-oauth-client-info', information]
      const { answers, all } = await bridge(
        student,
        [initialize, call('list_my_courses'), list],
        more,
      )
      assert(answers[1]?.result?.content && !answers[1].result.isError, all.slice(-400))
      tools.student = answers[2].result.tools.length
    })
    MCP = trial.mcp
    await refusal('refusal', async () => {
      const more = [
        '--header',
        'Authorization: Bearer nonsense',
        '--static-oauth-client-info',
        '{"client_id":"nobody"}',
      ]
      const again = { isAskedInVain: true }
      const { answers, url } = await bridge(owner, [initialize, call('list_orders')], more, again)
      if (url !== null) throw new Error('it asks the person to sign in again')
      return answers[1]
    })
    say({ tools })
  },

  async 'MCP Inspector (CLI)'() {
    const launcher = join(
      packages,
      '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    )
    const home = homeOf()
    const inspect = async (method, { token, tool } = {}) => {
      const args = [launcher, '--cli', MCP, '--transport', 'http', '--method', method]
      if (tool) args.push('--tool-name', tool)
      if (token) args.push('--header', `Authorization: Bearer ${token}`)
      const { code, output, all } = await program(process.execPath, args, { home })
      if (code !== 0) throw new Error(all.trim().slice(0, 400))
      return JSON.parse(output)
    }
    const tools = {}
    await step('discovery', async () => {
      tools.anonymous = (await inspect('tools/list')).tools.length
    })
    await step('signIn', () => inspect('tools/call', { tool: 'list_orders' }))
    const { token, clientId } = await tokenFor('openid orders:read')
    await step('call', async () => {
      await inspect('tools/call', { token, tool: 'list_orders' })
      const identity = await tokenFor('openid profile email')
      tools.owner = (await inspect('tools/list', identity)).tools.length
    })
    await step('revocation', () => revokeByHand(token, clientId))
    await refusal('refusal', () => inspect('tools/call', { token, tool: 'list_orders' }))
    say({ tools })
  },
})
