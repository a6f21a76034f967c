import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { createRouter } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { createTelemetry } from 'hallpass-opentelemetry'
import { createHallpass } from '../subjects/hallpass-core.mjs'
import { openStore } from './store.mjs'

/**
 * hallpass with the SDK, which exports metrics every five seconds and this share of the traces. With a share of 0 there is
 * no tracer.
 */
export async function createMeasured({ origin, sampled }) {
  const child = fork(fileURLToPath(new URL('receiver.mjs', import.meta.url)))
  const [port] = await once(child, 'message')
  const url = `http://127.0.0.1:${port}/v1`
  const exporter = new OTLPMetricExporter({ url: `${url}/metrics` })
  const timing = { exportIntervalMillis: 5000, exportTimeoutMillis: 5000 }
  const meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, ...timing })],
  })
  const telemetry = createTelemetry({
    meter: meters.getMeter('hallpass'),
    ...(sampled > 0 && { tracer: startTracer({ url: `${url}/traces`, sampled }) }),
  })
  const { server, ...rest } = await createHallpass({
    origin,
    telemetry,
    store: await openStore(),
  })
  return { listener: toNodeHandler(createRouter(server), { origin }), ...rest }
}

function startTracer({ url, sampled }) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracers = new BasicTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampled) }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  })
  return tracers.getTracer('hallpass')
}
