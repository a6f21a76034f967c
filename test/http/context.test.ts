import {
  type Attempt,
  type AttemptStep,
  createMemoryAttempts,
  recordAttempts,
} from 'hallpass/clients'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/http/context.js'
import { type Answer, createEndpoint, type Failure } from '../../src/http/frame.js'
import { json } from '../../src/http/respond.js'
import { refuse } from '../../src/policy/decision.js'
import type { Refusal } from '../../src/policy/decision.js'
import { ClockSkew, StorageFailure } from '../../src/store/guard.js'
import { recorderOf } from '../attempts/support.js'

const errors = {
  refusal: ({ error }: Refusal) => json(400, { error }),
  failure: ({ status }: Failure) => json(status, {}),
}

/** A site that keeps attempts of the networks that the header `x-network` names, and its endpoints. */
function watched() {
  const { site } = testSite({
    watchers: [recordAttempts(createMemoryAttempts())],
    networkOf: (request) => request.headers.get('x-network'),
  })
  const attempts = async (): Promise<readonly Attempt[]> => {
    await recorderOf(site).settled()
    const query = { search: null, clientId: null, outcome: null, before: null, limit: 100 }
    return (await recorderOf(site).store.list({ ...query, now: site.now() })).attempts
  }
  return {
    attempts,
    /** Calls an endpoint of this name, which does what `serve` does. */
    async call(
      name: string,
      serve: (context: Context) => Answer | Promise<Answer>,
      { network = 'home', path = '/x', isPublic = false } = {},
    ): Promise<void> {
      const frame = { name, methods: ['GET'], cors: null, errors, isPublic } as const
      const headers = { 'x-network': network }
      const endpoint = createEndpoint(site, frame, async (context) => serve(context))
      await endpoint(new Request(`https://school.example${path}`, { headers }))
    },
    /** The steps of the only attempt, without their times and networks. */
    async steps(): Promise<readonly Omit<AttemptStep, 'at' | 'requestId' | 'network'>[]> {
      const found = await attempts()
      expect(found).toHaveLength(1)
      return found[0]!.steps.map(({ stage, ok, error, reason, detail }) => ({
        stage, ok, error, reason, detail,
      })) // prettier-ignore
    },
  }
}
type Watched = ReturnType<typeof watched>

const read = (school: Watched, path: string): Promise<void> =>
  school.call('document', () => json(200, {}), { path, isPublic: true })
const METADATA = '/.well-known/oauth-authorization-server'
const CHALLENGE = refuse('invalid_token', 'access_token_missing')
const FOUND = { ok: true, error: null, reason: null } as const

describe('a request of an attempt', () => {
  it.each<[string, Refusal, string]>([
    ['register', refuse('invalid_redirect_uri', 'redirect_uri_not_loopback'), 'registration'],
    ['authorize', refuse('invalid_request', 'state_missing'), 'authorize'],
    ['authorize', refuse('invalid_request', 'code_challenge_missing'), 'authorize'],
    ['authorize', refuse('invalid_client', 'document_unavailable'), 'document'],
    ['interaction', refuse('access_denied', 'person_denied'), 'consent'],
    ['interaction', refuse('temporarily_unavailable', 'code_paced'), 'code'],
    ['token', refuse('invalid_grant', 'code_expired'), 'token'],
  ])(
    'that %s refuses with %j is recorded at the stage %s [ATT-01]',
    async (name, refusal, stage) => {
      const school = watched()
      await school.call(name, () => refusal)
      const { error, reason } = refusal
      expect(await school.steps()).toEqual([{ stage, ok: false, error, reason, detail: null }])
    },
  )

  it.each<[Error, string, string]>([
    [new StorageFailure('away'), 'temporarily_unavailable', 'service_unavailable'],
    [new ClockSkew(90), 'temporarily_unavailable', 'clock_skewed'],
    [new Error('a fault'), 'server_error', 'internal_error'],
  ])('that fails with %s is recorded as %s, %s [ATT-05]', async (fault, error, reason) => {
    const school = watched()
    await school.call('token', () => Promise.reject(fault))
    expect(await school.steps()).toEqual([
      { stage: 'token', ok: false, error, reason, detail: null },
    ])
  })

  it.each([400, 413, 415] as const)('that cannot be read is recorded with its status, %i [ATT-05]', async (status) => {
    const school = watched()
    await school.call('token', () => ({ ok: false, status, description: 'send a form' }))
    const why = { error: 'invalid_request', reason: 'request_not_readable' }
    const detail = `${status}: send a form`
    expect(await school.steps()).toEqual([{ stage: 'token', ok: false, ...why, detail }])
  }) // prettier-ignore

  it.each<[string, string, () => Answer]>([
    ['with another method', 'token', () => ({ ok: false, status: 405, description: 'use POST' })],
    ['to another path', 'authorize', () => ({ ok: false, status: 404, description: 'nothing' })],
    [
      'that another endpoint cannot read',
      'revoke',
      () => ({ ok: false, status: 415, description: 'send a form' }),
    ],
    [
      'that another endpoint refuses',
      'revoke',
      () => refuse('invalid_client', 'client_secret_missing'),
    ],
    [
      'at which another endpoint fails',
      'revoke',
      () => {
        throw new Error('a fault')
      },
    ],
    [
      'that sends its token twice',
      'userinfo',
      () => refuse('invalid_request', 'access_token_sent_twice'),
    ],
  ])('is none %s', async (_, name, serve) => {
    const school = watched()
    await school.call(name, serve)
    expect(await school.attempts()).toEqual([])
  })

  it('keeps the name of the client, the scopes and the grant of what it completed [ATT-01]', async () => {
    const school = watched()
    const [clientId, at, scopes] = ['app_1', 1, ['openid']]
    await school.call('register', (context) => {
      context.flow = 'grant_1'
      context.clientId = clientId
      context.notifyEvent({ type: 'oauth.client.registered', at, clientId, clientName: 'Notes' })
      return json(201, {})
    })
    expect(await school.attempts()).toMatchObject([
      { clientId, clientName: 'Notes', grantId: null },
    ])
    await school.call('authorize', (context) => {
      context.flow = 'grant_1'
      context.client = { clientId, name: 'Notes 2', kind: 'vendor' }
      context.notifyEvent({ type: 'oauth.authorization.requested', at, clientId, scopes })
      return json(200, {})
    })
    expect(await school.attempts()).toMatchObject([{ clientName: 'Notes 2', scopes }])
    await school.call('token', (context) => {
      context.flow = 'grant_1'
      const grant = { subject: 'mem_mei', grantId: 'grant_1', scopes: ['openid', 'email'] }
      context.notifyEvent({ type: 'oauth.token.issued', at, clientId, ...grant })
      return json(200, {})
    })
    const known = { clientId, clientName: 'Notes 2', scopes: ['openid', 'email'] }
    expect(await school.attempts()).toMatchObject([{ ...known, grantId: 'grant_1' }])
    expect(await school.steps()).toEqual(
      ['registration', 'authorize', 'token'].map((stage) => ({ stage, ...FOUND, detail: null })),
    )
  })

  it('says that a metadata document was fetched, or why not, even if a copy was used [ATT-05]', async () => {
    const school = watched()
    const [clientId, at, clientName] = ['https://notes.example/client.json', 1, 'Notes']
    await school.call('authorize', (context) => {
      context.notifyEvent({ type: 'oauth.client.cimd.fetched', at, clientId, clientName })
      const reason = 'document_status_not_200'
      context.notifyEvent({ type: 'oauth.client.cimd.fetch_failed', at, clientId, reason })
      context.notifyEvent({ type: 'oauth.authorization.requested', at, clientId, scopes: [] })
      return json(200, {})
    })
    expect(await school.steps()).toEqual([
      { stage: 'document', ...FOUND, detail: null },
      { stage: 'authorize', ...FOUND, detail: 'document_status_not_200' },
    ])
  })
})

describe('discovery', () => {
  it.each(['account', 'admin', 'mcp', 'userinfo'])(
    'is a challenge of %s, and the metadata of the site [ATT-06]',
    async (name) => {
      const school = watched()
      await school.call(name, () => CHALLENGE)
      await read(school, `${METADATA}?x=1`)
      expect(await school.steps()).toEqual([
        { stage: 'discovery', ...FOUND, detail: `401 of ${name}` },
        { stage: 'discovery', ...FOUND, detail: METADATA },
      ])
    },
  )

  it('is no other document, and nothing of another network [ATT-06]', async () => {
    const school = watched()
    await school.call('mcp', () => CHALLENGE)
    await read(school, '/.well-known/jwks.json')
    await school.call('mcp', () => CHALLENGE, { network: 'away' })
    expect(await school.attempts()).toEqual([])
    await read(school, METADATA)
    expect(await school.attempts()).toHaveLength(1)
  })

  it('is seen after any number of requests that belong to none [ATT-06]', async () => {
    const school = watched()
    for (let request = 0; request < 30; request++)
      await school.call('userinfo', () => json(200, {}))
    await school.call('userinfo', () => CHALLENGE)
    await read(school, METADATA)
    expect(await school.steps()).toHaveLength(2)
  })

  it('is a token that no one knows, unless the attempt of its grant has the refusal [ATT-05]', async () => {
    const school = watched()
    const refusal = refuse('invalid_token', 'access_token_expired')
    await school.call('mcp', () => ({ ...refusal, clientId: 'app_1' }) as Refusal)
    expect(await school.attempts()).toEqual([])
    await school.call('mcp', () => refuse('invalid_token', 'access_token_unknown'))
    const why = { error: 'invalid_token', reason: 'access_token_unknown', detail: '401 of mcp' }
    expect(await school.steps()).toEqual([{ stage: 'first_call', ok: false, ...why }])
  })

  it('continues with an exchange of the same network only if no browser began it [ATT-06]', async () => {
    const school = watched()
    const late = refuse('invalid_grant', 'code_expired')
    await school.call('mcp', () => CHALLENGE)
    await school.call('token', (context) => {
      context.flow = 'grant_1'
      return late
    })
    expect((await school.steps()).map(({ stage }) => stage)).toEqual(['token'])
    await school.call('token', () => late)
    const stages = (await school.attempts()).map(({ steps }) => steps.map(({ stage }) => stage))
    expect(new Set(stages.map(String))).toEqual(new Set(['token', 'discovery,token']))
  })
})
