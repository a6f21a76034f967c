import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { METRICS } from '../../packages/hallpass-opentelemetry/src/names.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { openReceiver, type Receiver } from '../support/processes/otlp-receiver.js'
import { waitFor } from '../support/processes/wait.js'
import { sharedService } from '../support/run/shared-service.js'

/** The Express example with a receiver for what it measures. */
async function startMeasured(
  environment: Readonly<Record<string, string>> = {},
): Promise<{ example: RunningExample; receiver: Receiver }> {
  const receiver = await openReceiver()
  onTestFinished(() => receiver.close())
  const example = await startExpressExample({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
      OTEL_SERVICE_NAME: 'lantern-street',
      OTEL_TRACES_SAMPLER_ARG: '1',
      ...environment,
    },
  })
  onTestFinished(async () => {
    if (example.exitCode() === null) await example.stop('SIGKILL')
  })
  return { example, receiver }
}

describe('npm start with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('sends each metric of both schools, and spans, before it ends [TEL-06]', async () => {
    const { example, receiver } = await startMeasured()
    const { origin, kiln } = example
    const refused = await fetch(`${origin}/api/oauth/token`, { method: 'POST' })
    for (const path of ['/account/graphql', '/mcp', '/api/v1/courses'])
      expect((await fetch(origin + path)).status).toBeGreaterThanOrEqual(400)
    expect((await fetch(`${kiln}/.well-known/jwks.json`)).status).toBe(200)
    await example.stop('SIGTERM')
    expect(example.exitCode()).toBe(0)

    const metrics = receiver.metrics()
    expect(metrics.map(({ name }) => name).sort()).toEqual(
      Object.values(METRICS)
        .map(({ name }) => name)
        // No call threw.
        .filter((name) => name !== METRICS.faults.name)
        .sort(),
    )
    const pointsOf = (name: string) => metrics.find((metric) => metric.name === name)!.points
    const measured = pointsOf(METRICS.endpointDuration.name).map(({ attributes }) =>
      ['site', 'endpoint'].map((of) => attributes[`hallpass.${of}`]),
    )
    expect(measured).toEqual(
      expect.arrayContaining([
        ['site_lantern', 'token'],
        ['site_lantern', 'account'],
        ['site_lantern', 'mcp'],
        ['site_lantern', 'admin'],
        ['site_kiln', 'jwks'],
      ]),
    )
    const pools = pointsOf(METRICS.poolConnections.name).map(({ attributes }) => attributes)
    expect(pools.map((of) => [of['hallpass.site'], of['hallpass.pool.state']])).toEqual([
      ['site_lantern', 'used'],
      ['site_lantern', 'idle'],
    ])
    const spans = receiver.spans()
    expect(spans).toContainEqual(
      expect.objectContaining({
        name: 'hallpass.endpoint.token',
        attributes: expect.objectContaining({
          'http.response.status_code': refused.status,
          'hallpass.request_id': refused.headers.get('x-request-id'),
        }),
      }),
    )
    const maintained = spans.find(({ name }) => name === 'hallpass.maintain')
    const below = spans.filter(({ parentSpanId }) => parentSpanId === maintained?.spanId)
    expect(below.map(({ name }) => name)).toContain('hallpass.store.findClock')
    expect(receiver.text()).toContain('"lantern-street"')
  })

  it('sends while it runs, as often as OTEL_METRIC_EXPORT_INTERVAL says [TEL-06]', async () => {
    const { receiver } = await startMeasured({ OTEL_METRIC_EXPORT_INTERVAL: '200' })
    await waitFor(() => receiver.metrics().some(({ name }) => name === METRICS.purgeLag.name))
  })

  it('serves and ends without a receiver, and says that nothing arrived [TEL-06]', async () => {
    const { example, receiver } = await startMeasured()
    await receiver.close()
    expect((await fetch(`${example.origin}/.well-known/jwks.json`)).status).toBe(200)
    await example.stop('SIGTERM')
    expect(example.exitCode()).toBe(0)
    const lines = example.output().split('\n')
    expect(lines.filter((line) => line.includes('"endpoint":"telemetry"'))).toHaveLength(1)
  })

  it('sends nothing where the SDK is disabled [TEL-06]', async () => {
    const { example, receiver } = await startMeasured({ OTEL_SDK_DISABLED: 'true' })
    await example.stop('SIGTERM')
    expect([example.exitCode(), receiver.text()]).toEqual([0, ''])
  })
})

describe('npm start without it', () => {
  it('loads nothing of OpenTelemetry [TEL-06]', async () => {
    const { program } = await sharedService('express')
    const loaded = new Map<string, string>()
    const load = (path: string): void => {
      if (loaded.has(path)) return
      const text = readFileSync(path, 'utf8')
      loaded.set(path, text)
      for (const [, name] of text.matchAll(/^(?:import|export)\b[^;]*?"(\.\/[^"]+)";$/gm))
        load(join(dirname(path), name!))
    }
    load(program)
    const other = [...loaded.values()].join('\n')
    expect(loaded.size).toBeGreaterThan(1)
    expect(other).toMatch(/import\("\.\/telemetry-\w+\.mjs"\)/)
    expect(other).not.toContain('node_modules/@opentelemetry')
    expect(other).not.toContain('hallpass-opentelemetry')
  })
})
