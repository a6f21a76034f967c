// Apache's mod_auth_openidc as Debian has it, as a server of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  account,
  assert,
  follow,
  MEMBER_SCOPES,
  refusal,
  run,
  SCHOOL,
  started,
  step,
  trial,
  wordsOf,
} from './trial.mjs'

const origin = `http://127.0.0.1:${trial.port}`
const PATIENCE_MILLISECONDS = 20_000
const MODULES = [
  'mpm_event',
  'authn_core',
  'authz_core',
  'authz_user',
  'dir',
  'mime',
  'auth_openidc',
]

const configurationOf = (folder, settings) => `
ServerRoot ${folder}
PidFile ${folder}/pid
Listen 127.0.0.1:${trial.port}
ServerName 127.0.0.1:${trial.port}
${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
TypesConfig /etc/mime.types
User www-data
Group www-data
ErrorLog ${folder}/log
LogLevel warn
DocumentRoot ${folder}/pages
<Directory ${folder}/pages>
  Require all granted
</Directory>
OIDCProviderMetadataURL ${SCHOOL}/.well-known/openid-configuration
OIDCClientID ${trial.id}
OIDCClientSecret ${trial.secret}
OIDCRedirectURI ${trial.redirectUri}
OIDCCryptoPassphrase ${'s'.repeat(32)}
OIDCScope "${MEMBER_SCOPES.join(' ')}"
OIDCInfoHook access_token access_token_expires id_token userinfo refresh_token session
OIDCStateMaxNumberOfCookies 7 true
${settings}
<Location /protected>
  AuthType openid-connect
  Require valid-user
</Location>
`
const resource = `resource=${encodeURIComponent(SCHOOL)}`
const PKCE = 'OIDCPKCEMethod S256'
const RESOURCE = `OIDCAuthRequestParams ${resource}\nOIDCProviderTokenEndpointParams ${resource}`

async function startApache(settings) {
  const folder = mkdtempSync(join(tmpdir(), 'apache-'))
  mkdirSync(join(folder, 'pages/protected'), { recursive: true })
  writeFileSync(join(folder, 'pages/protected/index.html'), '<main>inside</main>')
  writeFileSync(join(folder, 'apache.conf'), configurationOf(folder, settings))
  chmodSync(folder, 0o755)
  const args = ['-f', join(folder, 'apache.conf'), '-DFOREGROUND']
  const child = started(spawn('/usr/sbin/apache2', args, { stdio: 'ignore' }))
  const ended = once(child, 'exit')
  const late = AbortSignal.timeout(PATIENCE_MILLISECONDS)
  while (!(await accepts())) {
    if (late.aborted || child.exitCode !== null) throw new Error(log())
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  function log() {
    return readFileSync(join(folder, 'log'), 'utf8')
      .split('\n')
      .filter((line) => /oidc/.test(line))
      .slice(-4)
      .join(' ')
  }
  return {
    log,
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const accepts = () =>
  new Promise((resolve) => {
    const socket = connect(trial.port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

await run({
  async mod_auth_openidc() {
    const open = async (apache) => {
      const page = await follow(`${origin}/protected/`)
      assert(
        page.html.includes('inside'),
        `${page.status} ${page.url} ${page.html.replaceAll(/<[^>]+>|\s+/g, ' ').slice(0, 200)} ${apache.log()}`,
      )
    }
    const apache = await startApache([PKCE, RESOURCE].join('\n'))
    try {
      await step('discovery', () => assert(apache.log() !== null))
      await step('signIn', () => open(apache))
      const info = async () => JSON.parse((await follow(`${trial.redirectUri}?info=json`)).html)
      const first = await step('idToken', async () => {
        const found = await info()
        assert(found.id_token.sub)
        return found
      })
      await step('userInfo', () => assert(first.userinfo.email))
      const fresh = await step('refresh', async () => {
        const refresh = new URLSearchParams({
          refresh: `${origin}/protected/`,
          access_token: first.access_token,
        })
        await follow(`${trial.redirectUri}?${refresh}`)
        const second = await info()
        assert(second.access_token !== first.access_token, 'the same access token')
        return second
      })
      const token = (fresh ?? first).access_token
      await step('call', () => account(token))
      const signOut = `${trial.redirectUri}?logout=${encodeURIComponent(`${origin}/`)}`
      await step('revocation', () => follow(signOut))
      await refusal('refusal', () => account(token))
    } catch (error) {
      console.log(wordsOf(error), apache.log())
    } finally {
      await apache.stop()
    }
  },
})
