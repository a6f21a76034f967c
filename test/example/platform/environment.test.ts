import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../../examples/school/src/platform/environment.js'

const [ONE, OTHER] = ['o'.repeat(32), 'p'.repeat(44)]

describe('HALLPASS_PREVIOUS_SECRETS', () => {
  it.each([
    [undefined, []],
    ['', []],
    [ONE, [ONE]],
    [`${ONE} ${OTHER}`, [ONE, OTHER]],
    [`  ${ONE}\n${OTHER}\n`, [ONE, OTHER]],
  ])('is a list of secrets between spaces or lines: %j [KEY-06]', (value, secrets) => {
    const { previousSecrets } = readEnvironment({ HALLPASS_PREVIOUS_SECRETS: value })
    expect(previousSecrets).toEqual(secrets)
  })

  it.each([['short'], [`${ONE} short`], [`${ONE},short ${OTHER} x`], [`${ONE} `.repeat(5)]])(
    'does not start with %j, and shows no secret',
    (value) => {
      expect(() => readEnvironment({ HALLPASS_PREVIOUS_SECRETS: value })).toThrow(
        new Error(
          'Invalid environment variables:\n  HALLPASS_PREVIOUS_SECRETS must be at most 4 secrets of 32 characters or more, separated by spaces',
        ),
      )
    },
  )
})

describe('the variables of OpenTelemetry', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318/'

  it.each([
    [{}, null],
    [{ OTEL_SERVICE_NAME: 'lantern' }, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, null],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT },
      { url: 'http://127.0.0.1:4318', serviceName: 'school', exportSeconds: 30, sampled: 0.05 },
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example/tenant',
        OTEL_SDK_DISABLED: 'false',
        OTEL_SERVICE_NAME: 'lantern',
        OTEL_METRIC_EXPORT_INTERVAL: '1500',
        OTEL_TRACES_SAMPLER_ARG: '1.0',
      },
      {
        url: 'https://otlp.example/tenant',
        serviceName: 'lantern',
        exportSeconds: 1.5,
        sampled: 1,
      },
    ],
  ])('say what is measured, if anything: %j [TEL-06]', (values, telemetry) => {
    expect(readEnvironment(values).telemetry).toEqual(telemetry)
  })

  it.each([
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'otlp.example:4318',
      'must be a URL that begins with http:// or https://',
    ],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'http://',
      'must be a URL that begins with http:// or https://',
    ],
    ['OTEL_METRIC_EXPORT_INTERVAL', '30s', 'must be 100 to 9999999 milliseconds'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0', 'must be 100 to 9999999 milliseconds'],
    ['OTEL_TRACES_SAMPLER_ARG', '5%', 'must be a share from 0 to 1, such as 0.05'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'must be a share from 0 to 1, such as 0.05'],
  ])('stop the start if they are wrong: %s=%s', (name, value, rule) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(
      new Error(`Invalid environment variables:\n  ${name} ${rule}`),
    )
  })
})

describe('the origins', () => {
  const RULE =
    'must be an origin such as https://school.example, without a path, and with http only on a loopback host'

  it.each([
    ['LANTERN_ORIGIN', 'http://school.example', RULE],
    ['KILN_ORIGIN', 'https://kiln.example/', RULE],
    [
      'KILN_ORIGIN',
      'http://127.0.0.1:3000',
      'must not be LANTERN_ORIGIN: each school needs its own',
    ],
  ])('stop the start if they are wrong: %s=%s', (name, value, rule) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(
      new Error(`Invalid environment variables:\n  ${name} ${rule}`),
    )
  })
})
