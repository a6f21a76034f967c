import {
  type Attributes,
  type Meter,
  metrics,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import {
  type createRemoteGate,
  type FaultNotice,
  OptionsError,
  type RefusalNotice,
  type SiteEvent,
  type SiteOptions,
} from 'hallpass'
import type { Maintained, Watcher } from 'hallpass/operations'
import type { Store, StoreWith } from 'hallpass/store'
import { classOf, counterOf, failed, histogramOf, traced } from './instruments.js'
import { ALARMING, ATTRIBUTES, METRICS, SPANS } from './names.js'

/**
 * The connections of a pool, as one moment has them.
 *
 * @group Telemetry
 */
export interface PoolState {
  /** Open connections. */
  readonly total: number
  /** Open connections that no call uses. */
  readonly idle: number
  /** Calls that wait for a connection. */
  readonly waiting: number
}

/**
 * The options of {@link createTelemetry}; all are optional.
 *
 * @group Telemetry
 */
export interface TelemetryOptions {
  /**
   * Name of the site, as the attribute `hallpass.site` of every metric and span. Default: no attribute, for a
   * process with one site.
   */
  readonly site?: string
  /**
   * Returns the state of the pool of connections. Called at each export; must not wait. Default: no metric of
   * the pool.
   */
  readonly pool?: () => PoolState
  /** Creates the metrics. Default: `metrics.getMeter('hallpass')` of the global meter provider. */
  readonly meter?: Meter
  /** Creates the spans. Default: `trace.getTracer('hallpass')` of the global tracer provider. */
  readonly tracer?: Tracer
  /** The clock: whole epoch seconds. Default: the system clock. */
  readonly now?: () => number
}

/**
 * Measures one site. Created by {@link createTelemetry}.
 *
 * @group Telemetry
 */
export interface Telemetry {
  /**
   * Returns options for `defineSite` that also measure: endpoints, each method of the store, events, refusals, faults,
   * and the age of the signing key. `/livez` and `/readyz` are not measured. Your own hooks and watchers are called as
   * before.
   */
  readonly site: <
    Scope extends string,
    Kept extends StoreWith = Store,
    More extends string = never,
  >(
    options: SiteOptions<Scope, Kept, More>,
  ) => SiteOptions<Scope, Kept, More>
  /**
   * Returns options for `createRemoteGate` that also measure: endpoints of its site, events, refusals, faults, and
   * each question to the introspection endpoint, as the method `introspect` of the store.
   */
  readonly remoteGate: <Scope extends string>(
    options: Parameters<typeof createRemoteGate<Scope>>[0],
  ) => Parameters<typeof createRemoteGate<Scope>>[0]
  /** Calls `maintain` within a span, and remembers by which time rows were deleted. */
  readonly maintain: (maintain: () => Promise<Maintained>) => Promise<Maintained>
}

/**
 * Creates metrics and spans of a site for OpenTelemetry. They never contain a token, a secret, a client, a
 * person or an address, and no message of an exception.
 *
 * Start the SDK first: metrics created earlier are never exported. Without an SDK everything works, and
 * nothing is measured.
 *
 * Spans of the store need an endpoint or `maintain` around them that is sampled, and the context manager that
 * the SDK for Node.js registers.
 *
 * @throws OptionsError if an option is unknown or of a wrong type
 * @see [OpenTelemetry](https://opentelemetry.io/docs/specs/otel/)
 * @group Telemetry
 * @example
 * ```ts
 * import { createAuthorizationServer, defineSite } from 'hallpass'
 * import { createTelemetry } from 'hallpass-opentelemetry'
 * import { maintain } from 'hallpass/operations'
 * import { schoolRoles, schoolScopes } from 'hallpass/scope'
 * import { createMemoryStore } from 'hallpass/store'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const telemetry = createTelemetry()
 * const site = defineSite(
 *   telemetry.site({
 *     issuer: 'https://school.example',
 *     name: 'My School',
 *     store: createMemoryStore(),
 *     scopes: schoolScopes,
 *     roles: schoolRoles,
 *     findPerson: async () => null,
 *   }),
 * )
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * await telemetry.maintain(() => maintain(site, { keys }))
 *
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 * const response = await server.jwks(new Request('https://school.example/.well-known/jwks.json'))
 * response.status // => 200
 * ```
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const mistakes = mistakesOf(options)
  if (mistakes.length > 0) throw new OptionsError('telemetry', mistakes)
  const { site, pool, now = () => Math.floor(Date.now() / 1000) } = options
  const { meter = metrics.getMeter('hallpass'), tracer = trace.getTracer('hallpass') } = options
  const common: Attributes = site === undefined ? {} : { [ATTRIBUTES.site]: site }
  if (pool !== undefined) observePool({ meter, common, pool })
  const watching = { meter, tracer, common }
  const requests = requestWatcher(watching)
  const watchStore = storeWatcher(watching)
  const watchHooks = hookWatcher(watching)

  // Until a maintenance has said by which time rows are deleted.
  let deletedBefore = now()
  meter.createObservableGauge(METRICS.purgeLag.name, METRICS.purgeLag).addCallback((result) => {
    result.observe(Math.max(0, now() - deletedBefore), common)
  })

  type Watchers = NonNullable<SiteOptions['watchers']>
  const withRequests = (watchers: Watchers = []): Watchers =>
    // The site names what is wrong with others.
    Array.isArray(watchers) ? [() => requests, ...watchers] : watchers

  return {
    site<Scope extends string, Kept extends StoreWith, More extends string>(
      given: SiteOptions<Scope, Kept, More>,
    ) {
      const { store, watchers } = given
      if (isObject(store)) observeKeys({ meter, common, store, now: given.now ?? now })
      return {
        ...given,
        ...watchHooks<More>(given),
        watchers: withRequests(watchers),
        store: isObject(store) ? watchStore(store) : store,
      }
    },
    remoteGate(given) {
      const { watchers, send = (url, init) => fetch(url, init) } = given
      const { introspect } = watchStore({ introspect: send })
      return {
        ...given,
        ...watchHooks<never>(given),
        watchers: withRequests(watchers),
        send: typeof send === 'function' ? introspect : send,
      }
    },
    maintain: (maintain) =>
      traced({ tracer, name: SPANS.maintain, attributes: common }, async () => {
        const maintained = await maintain()
        deletedBefore = maintained.dueSince ?? deletedBefore
        return maintained
      }),
  }
}

/** The members that are used of a meter and of a tracer. */
const METER = ['createHistogram', 'createObservableCounter', 'createObservableGauge']
const TRACER = ['startSpan']

/** Returns every mistake in the options, which a program without types may pass. */
function mistakesOf(options: unknown): readonly string[] {
  if (!isObject(options)) return ['options must be an object such as { site: "my-school" }']
  const { site, pool, meter, tracer, now, ...others } = options
  const isText = typeof site === 'string' && site !== ''
  return [
    ...Object.keys(others).map((other) => `${other} is not an option`),
    ...(site === undefined || isText ? [] : ['site must be a string such as "my-school"']),
    ...unlike('pool', pool, 'a function such as () => ({ total, idle, waiting })'),
    ...unlike('meter', meter, "metrics.getMeter('hallpass')", METER),
    ...unlike('tracer', tracer, "trace.getTracer('hallpass')", TRACER),
    ...unlike('now', now, 'a function such as () => Math.floor(Date.now() / 1000)'),
  ]
}

/** Returns the mistake in an option that is a function or, with `members`, has such functions. */
function unlike(
  name: string,
  value: unknown,
  wanted: string,
  members?: readonly string[],
): readonly string[] {
  if (value === undefined) return []
  if (members === undefined || !isObject(value))
    return typeof value === 'function' && members === undefined ? [] : [`${name} must be ${wanted}`]
  const lacking = members.filter((member) => typeof value[member] !== 'function')
  return lacking.length === 0 ? [] : [`${name} lacks ${lacking.join(', ')}: ${wanted}`]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Watching {
  readonly meter: Meter
  readonly tracer: Tracer
  /** The attributes of everything. */
  readonly common: Attributes
}

/** Endpoints that a load balancer asks all the time: measured, they would hide what happens to people. */
const PROBES: ReadonlySet<string> = new Set(['livez', 'readyz'])

function requestWatcher({ meter, tracer, common }: Watching): Watcher {
  const duration = histogramOf(meter, METRICS.endpointDuration)
  const ofEndpoint = remembered((name: string) => {
    const attributes = { ...common, [ATTRIBUTES.endpoint]: name }
    const ofStatus = remembered((status: number) => ({
      ...attributes,
      [ATTRIBUTES.status]: status,
    }))
    return { about: { tracer, name: SPANS.endpoint + name, attributes }, ofStatus }
  })
  return {
    async around(visit, serve) {
      if (PROBES.has(visit.endpoint)) return
      const since = performance.now()
      const { about, ofStatus } = ofEndpoint(visit.endpoint)
      const status = await traced(about, async (span) => {
        const answered = await serve()
        if (span !== null) {
          span.setAttribute(ATTRIBUTES.status, answered)
          span.setAttribute(ATTRIBUTES.requestId, visit.requestId)
          if (answered >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        }
        return answered
      })
      duration.record((performance.now() - since) / 1000, ofStatus(status))
    },
  }
}

function storeWatcher({
  meter,
  tracer,
  common,
}: Watching): <Kept extends object>(store: Kept) => Kept {
  type Verb = (...parameters: readonly unknown[]) => Promise<unknown>
  const duration = histogramOf(meter, METRICS.storeDuration)

  function watched(own: Readonly<Record<string, Verb>>, verb: string): Verb {
    const attributes = { ...common, [ATTRIBUTES.verb]: verb }
    const about = { tracer, name: SPANS.store + verb, attributes }
    return async (...parameters) => {
      const since = performance.now()
      try {
        const result = await (isRecorded()
          ? traced(about, async () => own[verb]!(...parameters))
          : own[verb]!(...parameters))
        duration.record((performance.now() - since) / 1000, attributes)
        return result
      } catch (fault) {
        duration.record((performance.now() - since) / 1000, {
          ...attributes,
          [ATTRIBUTES.fault]: classOf(fault),
        })
        throw fault
      }
    }
  }

  return <Kept extends object>(store: Kept): Kept => {
    const own = store as unknown as Readonly<Record<string, Verb>>
    return {
      ...('guarantees' in store && { guarantees: store.guarantees }),
      ...Object.fromEntries(methodsOf(store).map((verb) => [verb, watched(own, verb)])),
    } as unknown as Kept
  }
}

/** Returns the names of the methods of a store, which may be those of its class. */
function methodsOf(store: object): readonly string[] {
  const names = new Set<string>()
  let at: object | null = store
  while (at !== null && at !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
    at = Object.getPrototypeOf(at) as object | null
  }
  names.delete('constructor')
  return [...names].filter((name) => typeof (store as Record<string, unknown>)[name] === 'function')
}

/** Creates attributes once for each of a few values: most of what a measurement costs is to create them. */
function remembered<Value, Made>(create: (value: Value) => Made): (value: Value) => Made {
  const known = new Map<Value, Made>()
  return (value) => {
    const found = known.get(value) ?? create(value)
    known.set(value, found)
    return found
  }
}

/** Whether there is a span around the current call that is recorded. */
const isRecorded = (): boolean => trace.getActiveSpan()?.isRecording() === true

type Hooks<More extends string> = Pick<
  SiteOptions<string, Store, More>,
  'onEvent' | 'onRefusal' | 'onFault'
>

function hookWatcher({
  meter,
  common,
}: Watching): <More extends string>(own: Hooks<More>) => Required<Hooks<More>> {
  const refusals = counterOf(meter, METRICS.refusals)
  const faults = counterOf(meter, METRICS.faults)
  const events = counterOf(meter, METRICS.events)
  const countType = (type: SiteEvent['type'], outcome: string | null, by?: number): void =>
    events(
      outcome === null ? type : `${type} ${outcome}`,
      () => ({
        ...common,
        [ATTRIBUTES.event]: type,
        ...(outcome !== null && { [ATTRIBUTES.outcome]: outcome }),
      }),
      by,
    )
  for (const type of ALARMING) countType(type, null, 0)

  const countEvent = (event: SiteEvent): void => {
    const outcome = 'outcome' in event ? event.outcome : 'operation' in event ? event.reason : null
    countType(event.type, outcome)
  }
  const countRefusal = ({ endpoint, error, reason }: RefusalNotice<string>): void => {
    refusals(`${endpoint} ${error} ${reason}`, () => ({
      ...common,
      [ATTRIBUTES.endpoint]: endpoint,
      [ATTRIBUTES.error]: error,
      [ATTRIBUTES.reason]: reason,
    }))
    trace.getActiveSpan()?.setAttribute(ATTRIBUTES.reason, reason)
  }
  const countFault = ({ endpoint, fault }: FaultNotice): void => {
    const name = classOf(fault)
    faults(`${endpoint} ${name}`, () => ({
      ...common,
      [ATTRIBUTES.endpoint]: endpoint,
      [ATTRIBUTES.fault]: name,
    }))
    const span = trace.getActiveSpan()
    if (span !== undefined) failed(span, name)
  }
  return ({ onEvent, onRefusal, onFault }) => ({
    onEvent: before(countEvent, onEvent),
    onRefusal: before(countRefusal, onRefusal),
    onFault: before(countFault, onFault),
  })
}

/** Calls `count` before the hook. Anything but a function is left for `defineSite` to refuse. */
function before<Notice>(
  count: (notice: Notice) => void,
  hook: ((notice: Notice) => unknown) | undefined,
): (notice: Notice) => unknown {
  if (hook !== undefined && typeof hook !== 'function') return hook
  return (notice) => {
    count(notice)
    return hook?.(notice)
  }
}

function observePool({
  meter,
  common,
  pool,
}: Pick<Watching, 'meter' | 'common'> & { pool: () => PoolState }): void {
  const { poolConnections, poolWaiting } = METRICS
  const connections = meter.createObservableGauge(poolConnections.name, poolConnections)
  const waiting = meter.createObservableGauge(poolWaiting.name, poolWaiting)
  meter.addBatchObservableCallback(
    (result) => {
      const { total, idle, waiting: inLine } = pool()
      result.observe(connections, total - idle, { ...common, [ATTRIBUTES.poolState]: 'used' })
      result.observe(connections, idle, { ...common, [ATTRIBUTES.poolState]: 'idle' })
      result.observe(waiting, inLine, common)
    },
    [connections, waiting],
  )
}

function observeKeys({
  meter,
  common,
  store,
  now,
}: Pick<Watching, 'meter' | 'common'> & { store: StoreWith; now: () => number }): void {
  const { keyAge } = METRICS
  meter.createObservableGauge(keyAge.name, keyAge).addCallback(async (result) => {
    // A store that fails has been counted by the requests that needed it.
    const keys = await store.listKeys().catch(() => [])
    const active = keys.find(({ state }) => state === 'active')
    if (active?.activatedAt != null) result.observe(Math.max(0, now() - active.activatedAt), common)
  })
}
