import { isIP } from 'node:net'
import { LOOPBACK_HOSTS } from 'hallpass/policy'
import * as z from 'zod'
import {
  BLOCK_NAMES,
  type BlockName,
  type IdentityProviderSetting,
  isBlockName,
  missingBlocks,
  nearestBlock,
} from '../blocks/names.js'

/** Browsers do not send the cookies of the school, nor may tokens be sent, without TLS. */
const isSecure = (origin: string): boolean =>
  origin.startsWith('https://') ||
  (origin.startsWith('http://') && LOOPBACK_HOSTS.includes(new URL(origin).hostname))

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && isSecure(text)

const isPort = (value: string): boolean => /^\d{1,5}$/.test(value) && Number(value) < 65_535

const isHost = (value: string): boolean =>
  isIP(value) !== 0 || /^(?=.{1,253}$)[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(value)

/** Drivers decode each part, and some of them throw for a percent sign without digits. */
function isUrl(text: string, protocols: RegExp): boolean {
  if (!protocols.test(text) || !URL.canParse(text)) return false
  const { username, password, pathname } = new URL(text)
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

const MAX_PREVIOUS_SECRETS = 4

const areSecrets = (secrets: readonly string[]): boolean =>
  secrets.length <= MAX_PREVIOUS_SECRETS && secrets.every(({ length }) => length >= 32)

/** Reads the names of a list with commas. They are right if each is known, and there once. */
const namesOf = (list: string): readonly string[] => list.split(',').map((name) => name.trim())
const areBlocks = (names: readonly string[]): names is readonly BlockName[] =>
  names.every(isBlockName) && new Set(names).size === names.length

/** Reads the issuer of an identity provider and the address of its keys: https, or on this computer. */
function identityProviderOf(value: string): IdentityProviderSetting | null {
  const [issuer = '', jwksUri = '', ...more] = value.trim().split(/\s+/)
  const isUsable = [issuer, jwksUri].every((url) => URL.canParse(url) && isSecure(url))
  return isUsable && more.length === 0 ? { issuer, jwksUri } : null
}

const text = z.string()
const origin = {
  shape:
    'must be an origin such as https://school.example, without a path, and with http only on a loopback host',
  advice: 'Set the one that browsers see, or unset it for a port of 127.0.0.1',
  schema: text.refine(isOrigin).optional(),
}
const isSwitch = z.enum(['0', '1']).default('0')

interface Setting {
  /** Which values it takes. */
  readonly shape: string
  /** The advice to who has set another value. */
  readonly advice: string
  /** Returns the value that was probably meant by a wrong one, if there is one. */
  readonly meant?: (value: string) => string | null
  readonly schema: z.ZodType
}

/** Every variable that the demo reads. Where one is wrong, its name, shape and advice are shown, never its value. */
export const SETTINGS = {
  PORT: {
    shape: 'must be a port from 0 to 65534; the second school uses the next port',
    advice: 'Set another, or unset it for 3000',
    schema: text.refine(isPort).default('3000').transform(Number),
  },
  HOST: {
    shape: 'must be an address or a name of this computer, such as 127.0.0.1',
    advice: 'Set one, or unset it for 127.0.0.1',
    schema: text.refine(isHost).default('127.0.0.1'),
  },
  LANTERN_ORIGIN: origin,
  KILN_ORIGIN: origin,
  DATABASE_URL: {
    shape:
      'must be a URL such as postgres://user:password@127.0.0.1:5432/school, with special characters percent-encoded',
    advice: 'Set that of a PostgreSQL that runs, or unset it for the embedded database',
    schema: text.refine((url) => isUrl(url, /^postgres(?:ql)?:\/\//)).optional(),
  },
  DATABASE_SECONDS: {
    shape: 'must be 1 to 60 seconds',
    advice: 'Set more where the database is far away, or unset it for 1',
    schema: text
      .regex(/^(?:(?:[1-9]|[1-5]\d)(?:\.\d+)?|60)$/)
      .default('1')
      .transform(Number),
  },
  REDIS_URL: {
    shape:
      'must be a URL that begins with redis:// or rediss://, or those of several nodes with commas between them',
    advice: 'Set that of a Redis that runs, or unset it to count requests in each process',
    schema: text
      .refine((urls) => urls.split(',').every((url) => isUrl(url, /^rediss?:\/\/[^/]/)))
      .optional(),
  },
  HALLPASS_DATA_DIR: {
    shape: 'must be a folder that this user can create, read and write',
    advice: 'Set another, or unset it for .data',
    schema: text.refine((path) => !path.includes('\0')).default('.data'),
  },
  HALLPASS_SECRET: {
    shape: 'must have 32 characters or more',
    advice: 'Set the secret of this database, or unset it for the one in HALLPASS_DATA_DIR',
    schema: text.min(32).optional(),
  },
  HALLPASS_PREVIOUS_SECRETS: {
    shape: `must be at most ${MAX_PREVIOUS_SECRETS} secrets of 32 characters or more, separated by spaces`,
    advice: 'Set those of the rotation, or unset it for none',
    schema: text
      .transform((secrets) => secrets.split(/\s+/).filter((secret) => secret !== ''))
      .refine(areSecrets)
      .optional(),
  },
  HALLPASS_DEMO: {
    shape: 'must be 0 or 1',
    advice: 'Set 1 for the people and apps of the demo, or unset it for 0',
    schema: isSwitch,
  },
  HALLPASS_SCHOOLS: {
    shape: 'must be a whole number from 0 to 100000',
    advice: 'Set how many more schools there are, or unset it for none',
    schema: text
      .regex(/^(?:\d{1,5}|100000)$/)
      .default('0')
      .transform(Number),
  },
  HALLPASS_RATE_LIMITS: {
    shape: 'must be on or off',
    advice: 'Set off for a load test only, or unset it for on',
    schema: z.enum(['on', 'off']).default('on'),
  },
  HALLPASS_TRUST_PROXY: {
    shape: 'must be 0 or 1',
    advice: 'Set 1 behind a proxy that sets X-Forwarded-For, or unset it for 0',
    schema: isSwitch,
  },
  HALLPASS_LEAD_SECONDS: {
    shape: 'must be 0 to 60 seconds',
    advice: 'Set the seconds that the load balancer needs, or unset it for 0',
    schema: text
      .regex(/^(?:[1-5]?\d(?:\.\d+)?|60)$/)
      .default('0')
      .transform(Number),
  },
  SCHOOL_BLOCKS: {
    shape: `must be names with commas between them, each at most once: ${BLOCK_NAMES.join(', ')}`,
    advice: 'Set those of the blocks to switch on, or unset it for none',
    meant(value) {
      const strange = namesOf(value).find((name) => !isBlockName(name))
      return strange === undefined ? null : nearestBlock(strange)
    },
    schema: text.transform(namesOf).refine(areBlocks).optional(),
  },
  SCHOOL_IDENTITY_PROVIDER: {
    shape:
      'must be an issuer and the address of its keys, with a space between them, such as https://idp.example https://idp.example/jwks',
    advice: 'Set those of the provider that id-jag trusts, or unset it for none',
    schema: text
      .transform(identityProviderOf)
      .refine((provider) => provider !== null)
      .optional(),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    shape: 'must be a URL that begins with http:// or https://',
    advice: 'Set that of an OTLP receiver, or unset it to measure nothing',
    schema: text.refine((url) => isUrl(url, /^https?:\/\//)).optional(),
  },
  OTEL_SDK_DISABLED: {
    shape: 'must be true or false',
    advice: 'Set true to measure nothing, or unset it for false',
    schema: text.regex(/^(?:true|false)$/i).optional(),
  },
  OTEL_SERVICE_NAME: {
    shape: 'must be a name of at most 255 printable characters',
    advice: 'Set another, or unset it for school',
    schema: text.regex(/^\P{C}{1,255}$/u).default('school'),
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    shape: 'must be 100 to 9999999 milliseconds',
    advice: 'Set another, or unset it for 30000',
    schema: text
      .regex(/^[1-9]\d{2,6}$/)
      .default('30000')
      .transform(Number),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    shape: 'must be a share from 0 to 1, such as 0.05',
    advice: 'Set another, or unset it for 0.05',
    schema: text
      .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/)
      .default('0.05')
      .transform(Number),
  },
} as const satisfies Readonly<Record<string, Setting>>

/** The name of a setting. */
export type SettingName = keyof typeof SETTINGS

const schemas = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema]),
) as { readonly [Name in SettingName]: (typeof SETTINGS)[Name]['schema'] }

// An empty variable is treated as unset, because shells and compose files unset variables that way.
const variables = z.preprocess(
  (all) => Object.fromEntries(Object.entries(all as object).filter(([, value]) => value !== '')),
  z.object(schemas),
)

/** The validated environment. */
export interface Environment {
  readonly port: number
  readonly host: string
  readonly lanternOrigin: string
  readonly kilnOrigin: string
  /** URL of PostgreSQL, or `null` for the embedded database in {@link Environment.dataFolder}. */
  readonly databaseUrl: string | null
  /** How long a statement may take on {@link Environment.databaseUrl}. */
  readonly databaseSeconds: number
  readonly dataFolder: string
  /** URL of the Redis server for rate limits, those of a cluster's nodes, or `null` to keep them in this process. */
  readonly redisUrl: string | null
  /** The sealing secret, or `null` to create one and store it in {@link Environment.dataFolder}. */
  readonly secret: string | null
  /** Further sealing secrets, newest first, for a rotation: those before {@link Environment.secret}, or the next. */
  readonly previousSecrets: readonly string[]
  /** Whether to create the demo's people and clients. */
  readonly demo: boolean
  /** How many schools there are in addition to those that visitors of the demo open. */
  readonly numbered: number
  /** Whether requests are rate-limited. Sign-in attempts always are. */
  readonly rateLimits: boolean
  /** Whether a proxy sets `X-Forwarded-For`, so that its last address is the client's. */
  readonly trustProxy: boolean
  /** How long the health checks fail before a process stops to listen. */
  readonly leadSeconds: number
  /** The opt-in blocks that are switched on. */
  readonly blocks: readonly BlockName[]
  /** The identity provider of the block `id-jag`; `null` if it is not set. */
  readonly identityProvider: IdentityProviderSetting | null
  /** The receiver of metrics and traces; `null` if nothing is measured. */
  readonly telemetry: TelemetryEnvironment | null
}

/** The validated variables of OpenTelemetry. */
export interface TelemetryEnvironment {
  /** The OTLP receiver, without `/v1/metrics`. */
  readonly url: string
  readonly serviceName: string
  /** Time between two exports of the metrics. */
  readonly exportSeconds: number
  /** The share of traces that are kept, from 0 to 1. */
  readonly sampled: number
}

/**
 * Reads and validates the environment.
 *
 * @param options - `kilnAt`: returns the second school's origin for the port of the first, if
 *   `KILN_ORIGIN` is not set. Default: the next port
 * @throws Error that names every invalid variable with its shape and what to do, but never its value
 */
export function readEnvironment(
  values: Readonly<Record<string, string | undefined>>,
  { kilnAt = nextPort }: { kilnAt?: (port: number) => string } = {},
): Environment {
  const parsed = variables.safeParse(values)
  if (!parsed.success) {
    const names = new Set(parsed.error.issues.map(({ path }) => path[0] as SettingName))
    const faults = [...names].map((name) => {
      const { shape, advice, meant }: Setting = SETTINGS[name]
      const close = meant?.(values[name] ?? '') ?? null
      return `  ${name} ${shape}. ${advice}${close === null ? '' : `. Did you mean ${close}?`}`
    })
    throw new Error(`${INVALID}\n${faults.join('\n')}`)
  }
  const { PORT, HOST, DATABASE_URL, HALLPASS_SECRET } = parsed.data
  const lanternOrigin = parsed.data.LANTERN_ORIGIN ?? `http://127.0.0.1:${PORT}`
  const kilnOrigin = parsed.data.KILN_ORIGIN ?? kilnAt(PORT)
  if (lanternOrigin === kilnOrigin)
    throw new Error(
      `${INVALID}\n  KILN_ORIGIN must not be LANTERN_ORIGIN: each school needs its own. ${origin.advice}`,
    )
  const { SCHOOL_BLOCKS: blocks = [], SCHOOL_IDENTITY_PROVIDER: identityProvider = null } =
    parsed.data
  const missing = missingBlocks(blocks)
  if (missing.length > 0)
    throw new Error(
      `${INVALID}\n  SCHOOL_BLOCKS must name ${missing.join(', ')} too: fapi2 is made of them. Add what is missing, or leave fapi2 out`,
    )
  if (blocks.includes('id-jag') && identityProvider === null)
    throw new Error(
      `${INVALID}\n  SCHOOL_IDENTITY_PROVIDER must be set for id-jag. Set the provider that it trusts, or leave id-jag out`,
    )
  return {
    port: PORT,
    host: HOST,
    lanternOrigin,
    kilnOrigin,
    databaseUrl: DATABASE_URL ?? null,
    databaseSeconds: parsed.data.DATABASE_SECONDS,
    redisUrl: parsed.data.REDIS_URL ?? null,
    dataFolder: parsed.data.HALLPASS_DATA_DIR,
    secret: HALLPASS_SECRET ?? null,
    previousSecrets: parsed.data.HALLPASS_PREVIOUS_SECRETS ?? [],
    demo: parsed.data.HALLPASS_DEMO === '1',
    numbered: parsed.data.HALLPASS_SCHOOLS,
    rateLimits: parsed.data.HALLPASS_RATE_LIMITS === 'on',
    trustProxy: parsed.data.HALLPASS_TRUST_PROXY === '1',
    leadSeconds: parsed.data.HALLPASS_LEAD_SECONDS,
    blocks,
    identityProvider,
    telemetry: telemetryOf(parsed.data),
  }
}

function telemetryOf(values: z.infer<typeof variables>): TelemetryEnvironment | null {
  const url = values.OTEL_EXPORTER_OTLP_ENDPOINT
  if (url === undefined || values.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null
  return {
    url: url.replace(/\/+$/, ''),
    serviceName: values.OTEL_SERVICE_NAME,
    exportSeconds: values.OTEL_METRIC_EXPORT_INTERVAL / 1000,
    sampled: values.OTEL_TRACES_SAMPLER_ARG,
  }
}

const INVALID = 'Invalid environment variables:'

const nextPort = (port: number): string => `http://127.0.0.1:${port + 1}`
