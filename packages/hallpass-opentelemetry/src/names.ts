/** One metric. */
export interface MetricName {
  readonly name: string
  /** The unit, as OpenTelemetry writes it. */
  readonly unit: string
  readonly description: string
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: number[]
}

type Metric =
  | 'endpointDuration'
  | 'refusals'
  | 'faults'
  | 'events'
  | 'storeDuration'
  | 'poolConnections'
  | 'poolWaiting'
  | 'keyAge'
  | 'purgeLag'

/** Every metric. docs/operations/telemetry.md lists them, and a test compares the two. */
export const METRICS: Readonly<Record<Metric, MetricName>> = {
  endpointDuration: {
    name: 'hallpass.endpoint.duration',
    unit: 's',
    description: 'How long an endpoint took, until its response began.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  refusals: {
    name: 'hallpass.refusals',
    unit: '{refusal}',
    description: 'Requests that were refused.',
  },
  faults: {
    name: 'hallpass.faults',
    unit: '{fault}',
    description: 'Exceptions that were reported to `onFault`.',
  },
  events: {
    name: 'hallpass.events',
    unit: '{event}',
    description: 'Completed steps that were reported to `onEvent`.',
  },
  storeDuration: {
    name: 'hallpass.store.duration',
    unit: 's',
    description: 'How long a method of the store took, with the wait for a connection.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  poolConnections: {
    name: 'hallpass.pool.connections',
    unit: '{connection}',
    description: 'Open connections to the database.',
  },
  poolWaiting: {
    name: 'hallpass.pool.waiting',
    unit: '{request}',
    description: 'Calls that wait for a connection to the database.',
  },
  keyAge: {
    name: 'hallpass.key.age',
    unit: 's',
    description: 'Time since the key that signs was activated.',
  },
  purgeLag: {
    name: 'hallpass.purge.lag',
    unit: 's',
    description: 'Age of the time by which expired rows were deleted.',
  },
}

/** The names of spans, or what they begin with. */
export const SPANS = {
  /** Followed by the name of the endpoint. */
  endpoint: 'hallpass.endpoint.',
  /** Followed by the name of the method. */
  store: 'hallpass.store.',
  maintain: 'hallpass.maintain',
} as const

/** The attributes of metrics and spans. */
export const ATTRIBUTES = {
  site: 'hallpass.site',
  endpoint: 'hallpass.endpoint',
  status: 'http.response.status_code',
  error: 'hallpass.error',
  reason: 'hallpass.reason',
  event: 'hallpass.event',
  outcome: 'hallpass.outcome',
  verb: 'hallpass.verb',
  fault: 'error.type',
  poolState: 'hallpass.pool.state',
  /** Only spans have it, because each request has another. */
  requestId: 'hallpass.request_id',
} as const

/**
 * Events of which the first is already worth an alert. They begin at zero, because Prometheus sees no increase
 * in a counter that begins at one.
 */
export const ALARMING = [
  'oauth.authorization.code_replayed',
  'oauth.grant.reuse_detected',
  'oauth.key.none_active',
  'oauth.clock.skewed',
  'oauth.clock.leapt',
] as const
