import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as sdk from '@modelcontextprotocol/server'
import { createServer, defineSite } from 'hallpass'
import { clientSecretBasic, identityAssertion } from 'hallpass/blocks'
import { createMcpEndpoint, defineTool, serverAdapter } from 'hallpass/mcp'
import { toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { freePorts, openPort } from '../support/processes/ports.js'
import { agent, findInes, JWT_BEARER, SECRET } from '../support/school/asserting-client.js'
import { createIdentityProvider, ID_JAG } from '../support/school/identity-provider.js'
import { INTERACT, SEALING } from '../support/school/signing-client.js'
import { liveWithBlock } from './life.js'
import { OWNER, startSchoolWith, STUDENT } from './school.js'

/** Each step with what was said where it failed: nothing, if all is well. */
const faultsOf = ({ steps, rest }: Awaited<ReturnType<typeof liveWithBlock>>) => ({
  steps: [...steps].map(([name, { ok, words }]) => (ok ? name : `${name}: ${words}`)).sort(),
  rest,
})

it('mcp-remote --device-code calls a tool once its person has allowed the code of its link', async () => {
  const school = await startSchoolWith('device')
  onTestFinished(() => school.close())
  const trial = { school: school.origin, people: school.people, owner: OWNER, student: STUDENT, port: await freePorts() } // prettier-ignore
  const life = await liveWithBlock('mcp-remote --device-code', trial)
  expect(faultsOf(life)).toEqual({ steps: ['call', 'code'], rest: '' })
})

it('mcp-remote --client-credentials calls a tool as a service', async () => {
  const school = await startSchoolWith('client-credentials,client-secret-basic')
  onTestFinished(() => school.close())
  const service = await school.createService()
  const trial = { school: school.origin, people: school.people, owner: OWNER, student: STUDENT, port: await freePorts(), ...service } // prettier-ignore
  const life = await liveWithBlock('mcp-remote --client-credentials', trial)
  expect(faultsOf(life)).toEqual({ steps: ['call'], rest: '' })
})

// oxlint-disable-next-line no-restricted-properties -- the client has no other clock
const now = (): number => Math.floor(Date.now() / 1000)

const WHO = defineTool({
  name: 'who_am_i',
  title: 'Who am I',
  description: 'Returns the subject of the person who calls.',
  scopes: ['courses:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({ subject: z.string().regex(/^[a-z_]+$/) }),
  run: async ({ caller }) => ({
    subject: caller.kind === 'anonymous' ? 'nobody' : caller.access.person.subject,
  }),
})

/** A certificate of this machine for itself, which `NODE_EXTRA_CA_CERTS` names. */
function createCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert], // prettier-ignore
    { stdio: 'pipe' },
  )
  return { path: cert, key: readFileSync(key), cert: readFileSync(cert) }
}

/** A school and an identity provider behind TLS, each at a port of its own. */
async function openBehindTls() {
  const { path, ...tls } = createCertificate()
  const port = await freePorts()
  const [issuer, idpIssuer] = [`https://127.0.0.1:${port}`, `https://127.0.0.1:${port + 1}`]
  const idp = await createIdentityProvider({ issuer: idpIssuer, now })
  idp.clients.set('claude-at-idp', 'agent')
  const store = createMemoryStore()
  await store.insertClient(agent({ createdAt: now() }))
  const site = defineSite({
    issuer,
    name: 'School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: findInes,
    blocks: [
      clientSecretBasic(),
      identityAssertion({
        providers: {
          [idpIssuer]: {
            jwksUri: `${idpIssuer}/jwks`,
            clients: ['agent'],
            personOf: ({ sub }) => (sub === 'u-ines' ? 'per_ines' : null),
          },
        },
        fetchKeys: (url) => idp.handle(new Request(url)),
      }),
    ],
  })
  const mcp = createMcpEndpoint(site, { tools: [WHO], adapter: serverAdapter(sdk) })
  const asked: { path: string; authorization: string | null; body: string }[] = []
  const server = createServer(site, {
    ...SEALING,
    interact: INTERACT,
    baselineScopes: ['courses:read'],
    defaultScopes: ['courses:read'],
    routes: {
      'POST /mcp': (request) => mcp.endpoint(request),
      'GET /mcp': (request) => mcp.endpoint(request),
    },
  })
  await server.maintain()
  const school = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/oauth/token')
      asked.push({
        path: pathname,
        authorization: request.headers.get('authorization'),
        body: await request.clone().text(),
      })
    return server(request)
  }
  for (const [handler, origin, offset] of [
    [school, issuer, 0],
    [idp.handle, idpIssuer, 1],
  ] as const) {
    const listener = createHttpsServer(tls, toNodeHandler(handler, { origin }))
    await openPort(listener, { port: port + offset })
    onTestFinished(() => {
      listener.closeAllConnections()
      listener.close()
    })
  }
  return { issuer, idp, asked, certificate: path }
}

it('Claude Code --xaa calls a tool by an ID-JAG of the organization', async () => {
  const { issuer, idp, asked, certificate } = await openBehindTls()
  const trial = { school: issuer, idp: idp.issuer, idAtIdp: 'claude-at-idp', id: 'agent', secret: SECRET } // prettier-ignore
  const life = await liveWithBlock('Claude Code --xaa', trial, { NODE_EXTRA_CA_CERTS: certificate })
  expect({ ...faultsOf(life), idp: idp.requests.map(({ path }) => path) }).toMatchObject({
    steps: ['call', 'setup', 'signIn'],
    rest: '',
  })
  const exchange = idp.requests.find(({ form }) => form['requested_token_type'] === ID_JAG)
  expect(exchange?.form).toMatchObject({ audience: issuer, resource: `${issuer}/mcp` })
  expect(exchange?.form).not.toHaveProperty('scope')
  const [sent] = asked
  expect(sent?.authorization).toMatch(/^Basic /)
  const form = new URLSearchParams(sent?.body)
  expect([form.get('grant_type'), [...form.keys()].sort()]).toEqual([JWT_BEARER, ['assertion', 'grant_type']]) // prettier-ignore
})
