import { auditServer, type AuditRow, type SignIn } from 'hallpass-audit'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import demo from '../../packages/hallpass-audit/sign-in/demo.mjs'
import { BLOCK_NAMES } from '../../examples/school/testing.js'
import { createFormBrowser, type FormBrowser } from '../support/http/form-browser.js'
import { sharedExample, startExample } from '../support/processes/example.js'
import { SCHOOL } from './school/index.js'

/** All but the profile, which refuses clients of no block: packages/hallpass-audit/test/fapi2.test.ts has it. */
const BLOCKS = BLOCK_NAMES.filter((name) => name !== 'fapi2')
const PROVIDER = 'https://idp.example https://idp.example/jwks'
const APPLICATIONS = '/oauth/applications'
const REDIRECT_URI = 'http://127.0.0.1:47317/callback'

/** A code that is sent again within five seconds ends nothing: its client may have lost the response. */
const VIOLATED = ['code/used-twice-revokes']
/** Programs on a computer may share a refresh token for a week: the other school of the demo ends the grant at once. */
const UNREACHED = ['refresh/stale-ends-family']

/** The rows that are violated or were not reached, but for those above. */
const faultsOf = (rows: readonly AuditRow[]): readonly string[] =>
  rows
    .filter(({ check, verdict }) =>
      verdict === 'violated'
        ? !VIOLATED.includes(check)
        : verdict === 'not reached' && !UNREACHED.includes(check),
    )
    .map(({ check, verdict, found }) => `${check}: ${verdict}: ${found}`)

describe('an audit of the running school', () => {
  it.each([
    { blocks: 'no block', names: '' },
    { blocks: 'every block', names: BLOCKS.join() },
  ])('with $blocks violates nothing and reaches everything', async ({ names }) => {
    const school = await startExample({
      environment: {
        HALLPASS_RATE_LIMITS: 'off',
        SCHOOL_BLOCKS: names,
        SCHOOL_IDENTITY_PROVIDER: PROVIDER,
      },
    })
    try {
      const clients = names === '' ? {} : await createClients(school.origin)
      const { rows } = await auditServer(school.origin, {
        signIn: { ...demo, clients: { ...demo.clients, ...clients } },
        checks: SCHOOL,
      })
      expect(faultsOf(rows)).toEqual([])
      expect(rows.length).toBeGreaterThan(300)
    } finally {
      await school.stop()
    }
  })

  it('reaches what a school decides that lets no programs share a token', async () => {
    const school = await sharedExample()
    const owner = { email: 'hao-yu.lin@example.com', password: 'hallpass-demo' }
    const { rows } = await auditServer(school.kiln, {
      signIn: { people: [owner], scope: 'courses:read students:read' },
      only: UNREACHED,
    })
    expect(rows.map(({ check, verdict }) => [check, verdict])).toEqual(
      UNREACHED.map((check) => [check, 'held']),
    )
  })
})

/** The clients that no one can register: a manager creates them on the school's pages. */
async function createClients(origin: string): Promise<SignIn['clients']> {
  const browser = createFormBrowser(origin)
  const [{ email, password }] = demo.people as readonly [{ email: string; password: string }]
  await browser.submit(await browser.open('/sign-in'), { email, password }, 'Sign in')
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'audit' }] }
  const signing = await created(browser, `${APPLICATIONS}/new`, 'Create app', {
    name: 'Signer of the audit',
    auth_method: 'private_key_jwt',
    keys: JSON.stringify(jwks),
    redirect_uris: REDIRECT_URI,
    scope: ['account:read'],
  })
  const scope = 'courses:read'
  const service = await created(browser, `${APPLICATIONS}/services/new`, 'Create service', {
    name: 'Service of the audit',
    role: 'manager',
    scope: [scope],
  })
  return {
    signing: {
      ...signing,
      scope: 'openid account:read',
      private_jwk: { ...(await exportJWK(privateKey)), kid: 'audit', alg: 'ES256' },
    },
    service: { ...service, scope },
  }
}

/** Creates a client by a form: what its page shows of it. */
async function created(
  browser: FormBrowser,
  form: string,
  button: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
) {
  const { text } = await browser.submit(await browser.open(form), fields, button)
  const shown = (id: string): string | undefined =>
    new RegExp(`id="${id}"[^>]*>\\s*([^<\\s]+)`).exec(text)?.[1]
  const [client_id, client_secret] = [shown('client_id'), shown('client_secret')]
  if (client_id === undefined) throw new Error(`${form} created no client: ${text}`)
  return { client_id, redirect_uri: REDIRECT_URI, ...(client_secret !== undefined && { client_secret }) } // prettier-ignore
}
