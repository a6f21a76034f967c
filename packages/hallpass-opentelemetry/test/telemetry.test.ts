import { context, isSpanContextValid, trace, TraceFlags } from '@opentelemetry/api'
import { createHealthEndpoints, maintain } from 'hallpass/operations'
import { createRemoteGate, type SiteEvent } from 'hallpass'
import { createTelemetry, type Telemetry } from 'hallpass-opentelemetry'
import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { afterEach, describe, expect, it } from 'vitest'
import { startTelemetry } from '../../../examples/operations/telemetry.js'
import { METRICS } from '../src/names.js'
import {
  approve,
  post,
  redeem,
  refresh,
  signIn,
  tokensOf,
} from '../../../test/support/school/flow.js'
import { openReceiver, type Receiver } from '../../../test/support/processes/otlp-receiver.js'
import { createSchool, ISSUER, type School, STUDENT } from '../../../test/support/school/school.js'
import { readSource } from '../../../test/support/source/compile.js'
import { rowsOf } from '../../../test/support/docs/pages.js'

const POOL = { total: 10, idle: 3, waiting: 2 }
const SECRET = 'the password of the database is hunter2'

let closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  const last = closing
  closing = []
  for (const close of last) await close()
})

interface Measured {
  readonly school: School
  readonly telemetry: Telemetry
  readonly receiver: Receiver
  readonly events: SiteEvent[]
  /** Sends what was measured to the receiver. */
  readonly send: () => Promise<void>
}

/** Ends once all has run that is due by now. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** A school of which everything is measured, and each trace kept. */
async function openMeasured(store: Store = createMemoryStore()): Promise<Measured> {
  const receiver = await openReceiver()
  const sdk = startTelemetry({ url: receiver.url, sampled: 1 })
  let stopped: Promise<void> | null = null
  // A response waits for no watcher, so its span ends just after it.
  const send = (): Promise<void> => (stopped ??= turn().then(sdk.stop))
  closing.push(send, receiver.close)
  const events: SiteEvent[] = []
  const telemetry = createTelemetry({ site: 'lantern', pool: () => POOL })
  const { siteOptions } = await createSchool({ store })
  const school = await createSchool({
    options: telemetry.site({ ...siteOptions, onEvent: (event) => events.push(event) }),
  })
  await telemetry.maintain(async () => ({
    deletesBefore: school.clock.now - 4000,
    purged: 0,
    lagSeconds: 0,
    dueSince: school.clock.now - 4000,
  }))
  return { school, telemetry, receiver, events, send }
}

const METRIC_NAMES = Object.values(METRICS).map(({ name }) => name)

/** Something of everything that is measured. */
async function drive({ school }: Measured): Promise<readonly string[]> {
  const { access_token, refresh_token } = await signIn(school)
  const second = await tokensOf(await refresh(school, refresh_token))
  await redeem(school, 'no code')
  await post(school, '/api/oauth/revoke', { client_id: 'nobody', token: access_token })
  school.site.notifyFault('token', new RangeError(SECRET))
  return [access_token, refresh_token, second.access_token, second.refresh_token, SECRET]
}

describe('what is sent to a receiver of OTLP', () => {
  it('has each metric, and no other [TEL-01]', async () => {
    const measured = await openMeasured()
    await drive(measured)
    await measured.send()
    const received = measured.receiver.metrics()
    expect(received.map(({ name }) => name).sort()).toEqual([...METRIC_NAMES].sort())
    const valuesOf = (name: string): unknown =>
      received
        .find((metric) => metric.name === name)!
        .points.map(({ attributes: { 'hallpass.site': site, ...rest }, value }) => {
          expect(site).toBe('lantern')
          return [...Object.values(rest), value]
        })
    expect(valuesOf('hallpass.endpoint.duration')).toEqual([
      ['authorize', 303, 1],
      ['interaction', 200, 1],
      ['interaction', 303, 1],
      ['token', 200, 2],
      ['token', 400, 1],
      ['revoke', 401, 1],
    ])
    expect(valuesOf('hallpass.refusals')).toEqual([
      ['token', 'invalid_grant', 'code_unknown', 1],
      ['revoke', 'invalid_client', 'client_unknown', 1],
    ])
    expect(valuesOf('hallpass.faults')).toEqual([['token', 'RangeError', 1]])
    expect(valuesOf('hallpass.events')).toEqual([
      ['oauth.authorization.code_replayed', 0],
      ['oauth.grant.reuse_detected', 0],
      ['oauth.key.none_active', 0],
      ['oauth.clock.skewed', 0],
      ['oauth.clock.leapt', 0],
      ['oauth.authorization.requested', 1],
      ['oauth.authorization.approved', 1],
      ['oauth.authorization.code_redeemed', 1],
      ['oauth.grant.created', 1],
      ['oauth.token.issued', 1],
      ['oauth.token.refreshed', 1],
    ])
    expect(valuesOf('hallpass.store.duration')).toContainEqual(['redeemCode', 1])
    expect(valuesOf('hallpass.pool.connections')).toEqual([
      ['used', 7],
      ['idle', 3],
    ])
    expect(valuesOf('hallpass.pool.waiting')).toEqual([[2]])
    expect(valuesOf('hallpass.key.age')).toEqual([[0]])
    expect(measured.events).toHaveLength(6)
  })

  it('has a span for each endpoint and for each method of the store within it [TEL-02]', async () => {
    const measured = await openMeasured()
    const { school } = measured
    const code = await approve(school)
    const redeemed = await redeem(school, code)
    const refused = await redeem(school, 'no code')
    await measured.telemetry.maintain(async () => {
      await school.site.store.findClock()
      return { deletesBefore: null, purged: 0, lagSeconds: null, dueSince: null }
    })
    await measured.send()
    const spans = measured.receiver.spans()
    const requestId = (response: Response): string => response.headers.get('x-request-id')!
    const within = (parent: string, id?: string): readonly string[] => {
      const { spanId } = spans.find(
        ({ name, attributes }) =>
          name === parent && (id === undefined || attributes['hallpass.request_id'] === id),
      )!
      return spans.filter((span) => span.parentSpanId === spanId).map(({ name }) => name)
    }
    expect(within('hallpass.endpoint.token', requestId(redeemed))).toEqual([
      'hallpass.store.findCode',
      'hallpass.store.listKeys',
      'hallpass.store.redeemCode',
    ])
    const span = spans.find(
      ({ attributes }) => attributes['hallpass.request_id'] === requestId(refused),
    )
    expect(span).toMatchObject({
      name: 'hallpass.endpoint.token',
      status: 0,
      attributes: {
        'hallpass.site': 'lantern',
        'hallpass.endpoint': 'token',
        'hallpass.reason': 'code_unknown',
        'http.response.status_code': 400,
      },
    })
    const maintained = spans.filter(({ name }) => name === 'hallpass.maintain').at(-1)!
    expect(
      spans
        .filter(({ parentSpanId }) => parentSpanId === maintained.spanId)
        .map(({ name }) => name),
    ).toEqual(['hallpass.store.findClock'])
  })

  it('has a span for each question of a remote gate, and for no answer that is kept [TEL-02]', async () => {
    const { school, telemetry, receiver, send } = await openMeasured()
    const { issuer, name, scopes, roles } = school.siteOptions
    const refused: string[] = []
    const options = telemetry.remoteGate({
      issuer,
      name,
      scopes,
      roles,
      clientId: 'grades',
      clientSecret: 'secret',
      send: async () => Response.json({ active: false }),
      onRefusal: ({ reason }) => refused.push(reason),
    })
    const gate = createRemoteGate(options).gate()
    const headers = { authorization: `Bearer hpa_${'A'.repeat(43)}` }
    const request = new Request(`${ISSUER}/grades`, { headers })
    // Without a span around it there is none.
    await createRemoteGate({ ...options }).gate()(request)
    await trace.getTracer('host').startActiveSpan('host', async (span) => {
      await gate(request)
      await gate(request)
      span.end()
    })
    await send()
    const spans = receiver.spans().filter(({ name: called }) => called.includes('introspect'))
    expect(spans.map(({ name: called }) => called)).toEqual(['hallpass.store.introspect'])
    expect(refused).toEqual([
      'access_token_unknown',
      'access_token_unknown',
      'access_token_unknown',
    ])
  })

  it('leaves what is no function for the remote gate to refuse [TEL-04]', () => {
    const telemetry = createTelemetry()
    expect(telemetry.remoteGate({ send: 1, watchers: 2 } as never)).toMatchObject({
      send: 1,
      watchers: 2,
    })
  })

  it('has no span of a request whose trace the caller does not keep, and its metrics [TEL-02]', async () => {
    const measured = await openMeasured()
    const parent = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), isRemote: true }
    for (const traceFlags of [TraceFlags.NONE, TraceFlags.SAMPLED]) {
      const within = trace.setSpanContext(context.active(), { ...parent, traceFlags })
      await context.with(within, () => redeem(measured.school, 'no code'))
    }
    await measured.send()
    const spans = measured.receiver.spans().filter(({ name }) => name === 'hallpass.endpoint.token')
    expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([parent.spanId])
    const durations = measured.receiver
      .metrics()
      .find(({ name }) => name === 'hallpass.endpoint.duration')
    expect(durations?.points.map(({ value }) => value)).toEqual([2])
  })

  it('has the methods of a store that is an instance of a class, and no group that it lacks [TEL-02]', async () => {
    const own = createMemoryStore()
    class Counted {
      calls = 0
      async findClock(): Promise<unknown> {
        this.calls++
        return own.findClock()
      }
    }
    class Kept extends Counted {}
    const kept = new Kept()
    const { store } = createTelemetry().site({ store: kept } as never) as unknown as { store: Kept }
    expect(await store.findClock()).toEqual(await own.findClock())
    expect(kept.calls).toBe(1)
    expect(Object.keys(store)).toEqual(['findClock'])
  })

  it('has the class of an exception, and marks what failed [TEL-02, TEL-03]', async () => {
    const own = createMemoryStore()
    let broken = false
    const store: Store = {
      ...own,
      findCode: (hash) => (broken ? Promise.reject(new RangeError(SECRET)) : own.findCode(hash)),
    }
    const measured = await openMeasured(store)
    broken = true
    expect((await redeem(measured.school, 'no code')).status).toBe(503)
    await measured.send()
    const failed = measured.receiver.spans().filter(({ status }) => status === 2)
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['hallpass.store.findCode', 'RangeError'],
      ['hallpass.endpoint.token', 'StorageFailure'],
    ])
    const points = measured.receiver.metrics().flatMap(({ points }) => points)
    expect(points.filter(({ attributes }) => 'error.type' in attributes)).toMatchObject([
      { attributes: { 'hallpass.verb': 'findCode', 'error.type': 'RangeError' } },
      { attributes: { 'hallpass.endpoint': 'token', 'error.type': 'StorageFailure' } },
    ])
    expect(measured.receiver.text()).not.toContain('hunter2')
  })

  it('holds no token, client, person, address or message [TEL-03]', async () => {
    const measured = await openMeasured()
    const secrets = await drive(measured)
    await measured.send()
    const text = measured.receiver.text()
    expect(text.length).toBeGreaterThan(1000)
    for (const secret of [...secrets, STUDENT.subject, STUDENT.name!, STUDENT.email!])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/study-buddy|"nobody"|grant_|127\.0\.0\.1|school\.example/)
  })

  it('has the names of docs/operations/telemetry.md, with unit and attributes [TEL-01]', async () => {
    const measured = await openMeasured()
    await drive(measured)
    const store = measured.school.siteOptions.store
    await store.findCode({} as never).catch(() => {})
    await measured.send()
    const rows = rowsOf(readSource('docs/operations/telemetry.md'))
      .map((row) => row.map((cell) => cell.replaceAll('`', '')))
      .filter(([first = '']) => first.startsWith('hallpass.'))
    const documented = rows.map(([name, kind, unit, attributes]) => ({
      name,
      kind,
      unit,
      attributes: new Set(attributes === 'none' ? [] : attributes!.split(', ')),
    }))
    expect(documented.map(({ name }) => name)).toEqual(METRIC_NAMES)
    for (const metric of measured.receiver.metrics()) {
      const found = documented.find(({ name }) => name === metric.name)!
      expect([found.kind, found.unit]).toEqual([metric.kind, metric.unit])
      for (const { attributes } of metric.points)
        for (const name of Object.keys(attributes).filter((one) => one !== 'hallpass.site'))
          expect([...found.attributes], metric.name).toContain(name)
    }
  })
})

describe('with a share of traces of 0', () => {
  it('there is no tracer, and metrics are sent [TEL-06]', async () => {
    const receiver = await openReceiver()
    const sdk = startTelemetry({ url: receiver.url, sampled: 0 })
    closing.push(receiver.close)
    createTelemetry({ pool: () => POOL })
    const span = trace.getTracer('hallpass').startSpan('none')
    await sdk.stop()
    expect(isSpanContextValid(span.spanContext())).toBe(false)
    expect(receiver.metrics().map(({ name }) => name)).toContain(METRICS.poolWaiting.name)
  })
})

describe('without an SDK', () => {
  it('everything works, and each hook of the host application is called [TEL-04]', async () => {
    const telemetry = createTelemetry()
    const { siteOptions } = await createSchool()
    const heard: string[] = []
    const school = await createSchool({
      options: telemetry.site({
        ...siteOptions,
        onEvent: ({ type }) => heard.push(type),
        onRefusal: ({ reason }) => heard.push(reason),
        onFault: ({ endpoint }) => heard.push(endpoint),
      }),
    })
    expect((await redeem(school, 'no code')).status).toBe(400)
    school.site.notifyFault('token', new Error(SECRET))
    expect(heard).toEqual(['code_unknown', 'token'])
  })

  it('a failure of maintenance is that of the call [TEL-04]', async () => {
    const { site, clock } = testSite()
    const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
    const telemetry = createTelemetry()
    const maintained = await telemetry.maintain(() => maintain(site, { keys }))
    expect(maintained).toEqual({
      deletesBefore: null,
      purged: 0,
      lagSeconds: null,
      dueSince: clock.now(),
    })
    const fault = new Error('away')
    await expect(telemetry.maintain(() => Promise.reject(fault))).rejects.toBe(fault)
  })

  it('wrong options are refused, here and by the site [TEL-04]', () => {
    expect(() => createTelemetry({ sites: 'x', pool: 1, meter: {} } as never)).toThrow(
      /sites is not an option.*pool must be a function.*meter lacks/s,
    )
    const options = createTelemetry().site({ store: 1, onEvent: 1, watchers: 1 } as never)
    expect(options).toMatchObject({ store: 1, onEvent: 1, watchers: 1 })
  })
})

describe('an endpoint', () => {
  it('is measured unless a load balancer asks it, and around the watchers of the host [TEL-07]', async () => {
    const receiver = await openReceiver()
    const sdk = startTelemetry({ url: receiver.url, sampled: 1 })
    closing.push(receiver.close)
    const isWithin: boolean[] = []
    const watchers = [
      () => ({ note: () => void isWithin.push(trace.getActiveSpan() !== undefined) }),
    ]
    const { siteOptions } = await createSchool()
    const options = createTelemetry().site({ ...siteOptions, watchers })
    const school = await createSchool({ options })
    const keys = createKeyRing(school.site, {
      sealingSecret: 'use at least 32 random characters here',
    })
    const { livez, readyz } = createHealthEndpoints(school.site, { keys })
    await livez(new Request(`${ISSUER}/livez`))
    await readyz(new Request(`${ISSUER}/readyz`))
    await redeem(school, 'no code')
    await turn()
    await sdk.stop()
    const durations = receiver.metrics().find(({ name }) => name === METRICS.endpointDuration.name)
    expect(durations!.points.map(({ attributes }) => attributes['hallpass.endpoint'])).toEqual([
      'token',
    ])
    expect(isWithin).toContain(true)
    expect(isWithin).not.toContain(false)
  })
})

describe('the lag of deletion', () => {
  /** What a process that started at 1000 sends at 2000. */
  async function lagAfter(...dueSince: readonly (number | null)[]): Promise<unknown> {
    const receiver = await openReceiver()
    const sdk = startTelemetry({ url: receiver.url })
    closing.push(receiver.close)
    let now = 1000
    const telemetry = createTelemetry({ now: () => now })
    for (const one of dueSince)
      await telemetry.maintain(async () => ({
        deletesBefore: null,
        purged: 0,
        lagSeconds: null,
        dueSince: one,
      }))
    now = 2000
    await sdk.stop()
    const { name } = METRICS.purgeLag
    return receiver.metrics().find((metric) => metric.name === name)?.points[0]?.value
  }

  it('is the age of the time by which rows were deleted, by whichever process [TEL-01]', async () => {
    expect(await lagAfter(900)).toBe(1100)
    expect(await lagAfter(100, 900)).toBe(1100)
    expect(await lagAfter(900, null)).toBe(1100)
  })

  it('does not begin again with a process that may delete nothing [TEL-01]', async () => {
    expect(await lagAfter(-500_000)).toBe(502_000)
  })

  it('is the time since the process started until a maintenance has said more [TEL-01]', async () => {
    expect(await lagAfter()).toBe(1000)
    expect(await lagAfter(null)).toBe(1000)
  })
})
