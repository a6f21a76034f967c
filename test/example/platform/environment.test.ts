import { describe, expect, it } from 'vitest'
import {
  readEnvironment,
  SETTINGS,
  type SettingName,
} from '../../../examples/school/src/platform/environment.js'

/** Values that are wrong for each setting. A new setting does not compile without. */
const WRONG: Readonly<Record<SettingName, readonly [string, ...string[]]>> = {
  PORT: ['eighty', '65535', '-1', '80.5', '3000 '],
  HOST: ['no host', 'http://127.0.0.1', '[::1]', '-a', '127.0.0.1:80', 'a/b'],
  LANTERN_ORIGIN: [
    'school.example',
    'https://school.example/',
    'http://school.example',
    'https://',
  ],
  KILN_ORIGIN: ['kiln', 'https://kiln.example/path', 'ftp://127.0.0.1'],
  DATABASE_URL: [
    'mysql://root:hunter2@db',
    'postgres//db',
    'postgres://user:pa#ss@db/school',
    'postgres://user:pa%ss@db/school',
    'db:5432',
  ],
  DATABASE_SECONDS: ['0', '0.9', '60.1', '-1', '1s', 'none'],
  REDIS_URL: ['http://redis', 'redis://', 'redis://one,two', 'redis://:%zz@one', 'localhost:6379'],
  HALLPASS_DATA_DIR: ['a\0b'],
  HALLPASS_SECRET: ['hunter2', 'x'.repeat(31)],
  HALLPASS_PREVIOUS_SECRETS: ['hunter2', `${'x'.repeat(32)},`.repeat(5).replaceAll(',', ' ')],
  HALLPASS_DEMO: ['yes', '2', 'true'],
  HALLPASS_SCHOOLS: ['-1', '1.5', '100001', 'many'],
  HALLPASS_RATE_LIMITS: ['0', 'ON'],
  HALLPASS_TRUST_PROXY: ['true', '10.0.0.1'],
  HALLPASS_LEAD_SECONDS: ['61', '-1', '10s'],
  SCHOOL_BLOCKS: ['all', ',', 'private-key-jwt,', 'private-key-jwt,private-key-jwt', 'a\0b'],
  SCHOOL_IDENTITY_PROVIDER: [
    'https://idp.example',
    'http://idp.example http://idp.example/jwks',
    'https://idp.example jwks',
    'https://idp.example https://idp.example/jwks https://idp.example/more',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['otlp.example:4318', 'http://', 'grpc://otlp.example'],
  OTEL_SDK_DISABLED: ['yes', '1'],
  OTEL_SERVICE_NAME: ['a\u001b[2J', 'n'.repeat(256)],
  OTEL_METRIC_EXPORT_INTERVAL: ['30s', '0', '99'],
  OTEL_TRACES_SAMPLER_ARG: ['5%', '1.5', '-0.1'],
}

describe('every setting', () => {
  const names = Object.keys(SETTINGS) as SettingName[]

  it.each(names.flatMap((name) => WRONG[name].map((value) => [name, value] as const)))(
    'that is wrong is named, with its shape and what to do, without its value: %s=%j [F-62]',
    (name, value) => {
      const { shape, advice } = SETTINGS[name]
      const expected = `Invalid environment variables:\n  ${name} ${shape}. ${advice}`
      expect(() => readEnvironment({ [name]: value })).toThrow(new Error(expected))
      expect(shape).toMatch(/^must /)
      expect(advice).toMatch(/^Set .*unset it/)
    },
  )

  it('that is wrong is named at once with all others [F-62]', () => {
    const values = Object.fromEntries(names.map((name) => [name, WRONG[name][0]]))
    const lines = names.map((name) => `  ${name} ${SETTINGS[name].shape}. ${SETTINGS[name].advice}`)
    expect(() => readEnvironment(values)).toThrow(
      new Error(['Invalid environment variables:', ...lines].join('\n')),
    )
  })

  it.each(['127.0.0.1', '::1', '0.0.0.0', 'localhost', 'school-1.internal.example', 'a'])(
    'HOST takes an address or a name: %s',
    (HOST) => {
      expect(readEnvironment({ HOST }).host).toBe(HOST)
    },
  )

  it.each([
    'postgres://user:p%23ss@db:5432/school?sslmode=require',
    'postgresql:///school?host=/var/run/postgresql',
    'postgres://%2Fvar%2Frun%2Fpostgresql/school',
  ])('DATABASE_URL takes each form that drivers take: %s', (DATABASE_URL) => {
    expect(readEnvironment({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL)
  })
})

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
          'Invalid environment variables:\n  HALLPASS_PREVIOUS_SECRETS must be at most 4 secrets of 32 characters or more, separated by spaces. Set those of the rotation, or unset it for none',
        ),
      )
    },
  )
})

describe('SCHOOL_BLOCKS', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['private-key-jwt', ['private-key-jwt']],
    [' private-key-jwt, client-secret-basic', ['private-key-jwt', 'client-secret-basic']],
  ])('is a list of names with commas: %j', (value, blocks) => {
    expect(readEnvironment({ SCHOOL_BLOCKS: value }).blocks).toEqual(blocks)
  })

  it.each([
    ['private_key_jwt', 'private-key-jwt'],
    ['ClientSecretBasic', 'client-secret-basic'],
    ['private-key-jwt;', 'private-key-jwt'],
    ['client-secret-basic,privat-key-jwt', 'private-key-jwt'],
  ])('does not start with %j, and says which block was meant', (value, meant) => {
    const { shape, advice } = SETTINGS.SCHOOL_BLOCKS
    expect(() => readEnvironment({ SCHOOL_BLOCKS: value })).toThrow(
      new Error(
        `Invalid environment variables:\n  SCHOOL_BLOCKS ${shape}. ${advice}. Did you mean ${meant}?`,
      ),
    )
  })
})

describe('blocks that need more', () => {
  const PROVIDER = 'https://idp.example https://idp.example/jwks'

  it('are named with what lacks', () => {
    const parts = 'private-key-jwt,dpop,par'
    expect(readEnvironment({ SCHOOL_BLOCKS: `fapi2,${parts}` }).blocks).toHaveLength(4)
    expect(() => readEnvironment({ SCHOOL_BLOCKS: 'fapi2,dpop' })).toThrow(
      new Error(
        'Invalid environment variables:\n  SCHOOL_BLOCKS must name private-key-jwt, par too: fapi2 is made of them. Add what is missing, or leave fapi2 out',
      ),
    )
    expect(() => readEnvironment({ SCHOOL_BLOCKS: 'id-jag' })).toThrow(
      new Error(
        'Invalid environment variables:\n  SCHOOL_IDENTITY_PROVIDER must be set for id-jag. Set the provider that it trusts, or leave id-jag out',
      ),
    )
  })

  it('read the identity provider', () => {
    expect(
      readEnvironment({ SCHOOL_BLOCKS: 'id-jag', SCHOOL_IDENTITY_PROVIDER: PROVIDER })
        .identityProvider,
    ).toEqual({ issuer: 'https://idp.example', jwksUri: 'https://idp.example/jwks' })
    expect(readEnvironment({}).identityProvider).toBeNull()
  })
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
  ] as const)('stop the start if they are wrong: %s=%s', (name, value, rule) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(
      new Error(`Invalid environment variables:\n  ${name} ${rule}. ${SETTINGS[name].advice}`),
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
  ] as const)('stop the start if they are wrong: %s=%s', (name, value, rule) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(
      new Error(`Invalid environment variables:\n  ${name} ${rule}. ${SETTINGS[name].advice}`),
    )
  })
})
