// Clients of opt-in blocks: programs without a browser, without a person, or with an organization behind them.
import { join } from 'node:path'
import { startModel } from './model.mjs'
import { homeOf, packages, program } from './programs.mjs'
import { assert, follow, owner, run, SCHOOL, step, trial } from './trial.mjs'

const QUESTIONS = [
  [
    'initialize',
    {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'trial', version: '1' },
    },
  ],
  ['tools/call', { name: 'check_connection', arguments: {} }],
]

/** Runs mcp-remote until it has answered both questions. Returns the answer of the tool, as text. */
async function bridged(more, { env = {}, onText } = {}) {
  let asked = -1
  let answer = null
  const { all } = await program(
    process.execPath,
    [join(packages, 'mcp-remote/dist/proxy.js'), `${SCHOOL}/mcp/signed-in`, String(trial.port), '--allow-http', ...more], // prettier-ignore
    {
      home: homeOf(),
      env: { BROWSER: 'false', ...env },
      onOutput(text, write, kill) {
        onText?.(text)
        const found = [...text.matchAll(/^\{.*"id":(\d+).*\}$/gm)].map(([line]) => JSON.parse(line))
        if (answer !== null || (asked >= 0 && !found.some(({ id }) => id === asked))) return
        if (asked === QUESTIONS.length - 1) {
          answer = found.find(({ id }) => id === asked)
          kill()
          return
        }
        asked++
        const [method, params] = QUESTIONS[asked]
        if (asked === 1) write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        write(`${JSON.stringify({ jsonrpc: '2.0', id: asked, method, params })}\n`)
      },
    },
  )
  const { result } = answer ?? {}
  assert(result?.content && !result.isError, `${JSON.stringify(answer)} ${all.slice(-900)}`)
  return JSON.stringify(result)
}

await run({
  async 'mcp-remote --device-code'() {
    let shown = Promise.resolve(null)
    let isShown = false
    await step('call', async () => {
      const said = await bridged(['--device-code'], {
        onText(text) {
          // The link of its output has the code, which it shows nowhere else.
          const [url] =
            /http:\/\/127\.0\.0\.1:\d+\/oauth\/device\?user_code=\S+(?=\s)/.exec(text) ?? []
          if (isShown || url === undefined) return
          isShown = true
          shown = step('code', async () => {
            const { html } = await follow(url, { email: owner })
            assert(html.includes('Go back to your device.'), html.replaceAll(/<[^>]+>|\s+/g, ' '))
          })
        },
      })
      assert(/caller\W+operator/.test(said), said)
    })
    await shown
  },

  async 'mcp-remote --client-credentials'() {
    await step('call', async () => {
      const client = { client_id: trial.id, client_secret: '${SERVICE_SECRET}' }
      const more = ['--client-credentials', '--static-oauth-client-info', JSON.stringify(client)]
      const said = await bridged(more, { env: { SERVICE_SECRET: trial.secret } })
      assert(/caller\W+operator/.test(said), said)
    })
  },

  async 'Claude Code --xaa'() {
    const claude = join(packages, '@anthropic-ai/claude-code-linux-x64/claude')
    const home = homeOf()
    const env = {
      CLAUDE_CODE_ENABLE_XAA: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ENABLE_TOOL_SEARCH: 'false',
      MCP_TIMEOUT: '30000',
      NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
      MCP_XAA_IDP_CLIENT_SECRET: 'none',
      MCP_CLIENT_SECRET: trial.secret,
      BROWSER: 'true',
    }
    const claudeDoes = (args, more) => program(claude, args, { home, env, ...more })
    await step('setup', async () => {
      const set = await claudeDoes(['mcp', 'xaa', 'setup', '--issuer', trial.idp, '--client-id', trial.idAtIdp]) // prettier-ignore
      assert(set.code === 0, set.all)
      const added = await claudeDoes(['mcp', 'add', '--transport', 'http', '--xaa', '--client-id', trial.id, '--client-secret', 'school', `${SCHOOL}/mcp`]) // prettier-ignore
      assert(added.code === 0, added.all)
    })
    await step('signIn', async () => {
      let opened = false
      const { code, all } = await claudeDoes(['mcp', 'xaa', 'login'], {
        onOutput(text) {
          const [url] = /https:\/\/127\.0\.0\.1:\d+\/authorize\?[^\s"'<>\\]+/.exec(text) ?? []
          if (opened || url === undefined) return
          opened = true
          void fetch(url).catch(() => {})
        },
      })
      assert(code === 0, all)
    })
    const model = await startModel()
    await step('call', async () => {
      let all = ''
      for (let turn = 0; turn < 3 && model.seen.result === null; turn++)
        ({ all } = await claudeDoes(
          ['-p', 'hello', '--debug', '--allowedTools', 'mcp__school', '--model', 'claude-none'],
          { env: { ...env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none' } },
        ))
      assert(/caller\W+operator/.test(model.seen.result ?? ''), `${model.seen.result} ${all}`)
    })
    model.close()
  },
})
