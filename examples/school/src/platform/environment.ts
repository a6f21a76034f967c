import { LOOPBACK_HOSTS } from 'hallpass/policy'
import * as z from 'zod'

const origin = z
  .string()
  .refine((text) => URL.canParse(text) && new URL(text).origin === text && isSecure(text), {
    error:
      'must be an origin such as https://school.example, without a path, and with http only on a loopback host',
  })

/** Browsers do not send the cookies of the school, nor may tokens be sent, without TLS. */
const isSecure = (origin: string): boolean =>
  origin.startsWith('https://') || LOOPBACK_HOSTS.includes(new URL(origin).hostname)

const port = (value: string): boolean => /^\d{1,5}$/.test(value) && Number(value) < 65_535

const MAX_PREVIOUS_SECRETS = 4

const listOfSecrets = z
  .string()
  .transform((text) => text.split(/\s+/).filter((secret) => secret !== ''))
  .refine(
    (secrets) =>
      secrets.length <= MAX_PREVIOUS_SECRETS && secrets.every(({ length }) => length >= 32),
    {
      error: `must be at most ${MAX_PREVIOUS_SECRETS} secrets of 32 characters or more, separated by spaces`,
    },
  )

// An empty variable is treated as unset, because shells and compose files unset variables that way.
const variables = z.preprocess(
  (all) => Object.fromEntries(Object.entries(all as object).filter(([, value]) => value !== '')),
  z.object({
    PORT: z
      .string()
      .refine(port, {
        error: 'must be a port from 0 to 65534; the second school uses the next port',
      })
      .default('3000')
      .transform(Number),
    HOST: z.string().default('127.0.0.1'),
    LANTERN_ORIGIN: origin.optional(),
    KILN_ORIGIN: origin.optional(),
    DATABASE_URL: z
      .string()
      .regex(/^postgres(?:ql)?:\/\//, { error: 'must begin with postgres://' })
      .optional(),
    REDIS_URL: z
      .string()
      .refine(
        (text) => text.split(',').every((url) => /^rediss?:\/\//.test(url) && URL.canParse(url)),
        {
          error:
            'must be a URL that begins with redis:// or rediss://, or those of several nodes with commas between them',
        },
      )
      .optional(),
    HALLPASS_DATA_DIR: z.string().default('.data'),
    HALLPASS_SECRET: z.string().min(32, { error: 'must have 32 characters or more' }).optional(),
    HALLPASS_PREVIOUS_SECRETS: listOfSecrets.optional(),
    HALLPASS_DEMO: z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('0'),
    HALLPASS_RATE_LIMITS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
    HALLPASS_TRUST_PROXY: z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('0'),
    HALLPASS_LEAD_SECONDS: z
      .string()
      .regex(/^(?:[1-5]?\d(?:\.\d+)?|60)$/, { error: 'must be 0 to 60 seconds' })
      .default('0')
      .transform(Number),
    OTEL_EXPORTER_OTLP_ENDPOINT: z
      .string()
      .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), {
        error: 'must be a URL that begins with http:// or https://',
      })
      .optional(),
    OTEL_SDK_DISABLED: z.string().optional(),
    OTEL_SERVICE_NAME: z.string().default('school'),
    OTEL_METRIC_EXPORT_INTERVAL: z
      .string()
      .regex(/^[1-9]\d{2,6}$/, { error: 'must be 100 to 9999999 milliseconds' })
      .default('30000')
      .transform(Number),
    OTEL_TRACES_SAMPLER_ARG: z
      .string()
      .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, { error: 'must be a share from 0 to 1, such as 0.05' })
      .default('0.05')
      .transform(Number),
  }),
)

/** The validated environment. */
export interface Environment {
  readonly port: number
  readonly host: string
  readonly lanternOrigin: string
  readonly kilnOrigin: string
  /** URL of PostgreSQL, or `null` for the embedded database in {@link Environment.dataFolder}. */
  readonly databaseUrl: string | null
  readonly dataFolder: string
  /** URL of the Redis server for rate limits, those of a cluster's nodes, or `null` to keep them in this process. */
  readonly redisUrl: string | null
  /** The sealing secret, or `null` to create one and store it in {@link Environment.dataFolder}. */
  readonly secret: string | null
  /** Further sealing secrets, newest first, for a rotation: those before {@link Environment.secret}, or the next. */
  readonly previousSecrets: readonly string[]
  /** Whether to create the demo's people and clients. */
  readonly demo: boolean
  /** Whether requests are rate-limited. Sign-in attempts always are. */
  readonly rateLimits: boolean
  /** Whether a proxy sets `X-Forwarded-For`, so that its last address is the client's. */
  readonly trustProxy: boolean
  /** How long the health checks fail before a process stops to listen. */
  readonly leadSeconds: number
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
 * @throws Error that names every invalid variable, but never its value
 */
export function readEnvironment(
  values: Readonly<Record<string, string | undefined>>,
  { kilnAt = nextPort }: { kilnAt?: (port: number) => string } = {},
): Environment {
  const parsed = variables.safeParse(values)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')} ${message}`)
    throw new Error(`${INVALID}\n${faults.join('\n')}`)
  }
  const { PORT, HOST, DATABASE_URL, HALLPASS_SECRET } = parsed.data
  const lanternOrigin = parsed.data.LANTERN_ORIGIN ?? `http://127.0.0.1:${PORT}`
  const kilnOrigin = parsed.data.KILN_ORIGIN ?? kilnAt(PORT)
  if (lanternOrigin === kilnOrigin)
    throw new Error(
      `${INVALID}\n  KILN_ORIGIN must not be LANTERN_ORIGIN: each school needs its own`,
    )
  return {
    port: PORT,
    host: HOST,
    lanternOrigin,
    kilnOrigin,
    databaseUrl: DATABASE_URL ?? null,
    redisUrl: parsed.data.REDIS_URL ?? null,
    dataFolder: parsed.data.HALLPASS_DATA_DIR,
    secret: HALLPASS_SECRET ?? null,
    previousSecrets: parsed.data.HALLPASS_PREVIOUS_SECRETS ?? [],
    demo: parsed.data.HALLPASS_DEMO === '1',
    rateLimits: parsed.data.HALLPASS_RATE_LIMITS === 'on',
    trustProxy: parsed.data.HALLPASS_TRUST_PROXY === '1',
    leadSeconds: parsed.data.HALLPASS_LEAD_SECONDS,
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
