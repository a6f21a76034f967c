import { randomUUID } from 'node:crypto'
import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'

/** The SDK, while it runs. */
export interface RunningTelemetry {
  /** Sends what has been measured, and stops. Rejects if the receiver did not take it. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the SDK of OpenTelemetry for this process. Call it before `createTelemetry`.
 *
 * @param options - `url`: the OTLP receiver, such as `http://127.0.0.1:4318`. `serviceName`: the label `job` in
 *   Prometheus. `exportSeconds`: time between two exports of the metrics. `sampled`: the share of traces that
 *   are kept, from 0 to 1. With 0 there is no tracer: one that keeps no trace still decides on each
 */
export function startTelemetry({
  url,
  serviceName = 'school',
  exportSeconds = 30,
  sampled = 0.05,
}: {
  url: string
  serviceName?: string
  exportSeconds?: number
  sampled?: number
}): RunningTelemetry {
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    // Processes that send under one name would overwrite each other's counters.
    'service.instance.id': randomUUID(),
  })
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${url}/v1/metrics` }),
        exportIntervalMillis: exportSeconds * 1000,
        exportTimeoutMillis: Math.min(exportSeconds, 10) * 1000,
      }),
    ],
  })
  metrics.setGlobalMeterProvider(meters)
  const tracers = sampled === 0 ? null : startTracers(resource, { url, sampled })
  return {
    async stop() {
      for (const api of [context, metrics, trace]) api.disable()
      await Promise.all([meters.shutdown(), tracers?.shutdown()])
    },
  }
}

function startTracers(
  resource: Resource,
  { url, sampled }: { url: string; sampled: number },
): BasicTracerProvider {
  const tracers = new BasicTracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampled) }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))],
  })
  // It gives the spans of the store their parent.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(tracers)
  return tracers
}
