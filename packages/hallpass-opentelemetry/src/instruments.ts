import type { Attributes, Histogram, Meter, Span, Tracer } from '@opentelemetry/api'
import { context, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import { ATTRIBUTES, type MetricName } from './names.js'

/** A class of exceptions: a word of a program, never a message. */
const CLASS = /^\w{1,64}$/

/** Returns the class of an exception. Its message may hold a secret, and is not used. */
export function classOf(fault: unknown): string {
  const name = fault instanceof Error ? fault.name : typeof fault
  return CLASS.test(name) ? name : 'Error'
}

export const histogramOf = (
  meter: Meter,
  { name, unit, description, buckets = [] }: MetricName,
): Histogram =>
  meter.createHistogram(name, {
    unit,
    description,
    advice: { explicitBucketBoundaries: buckets },
  })

/** Adds to a counter. Each key has attributes of its own, which are created once. */
export type Count = (key: string, attributes: () => Attributes, by?: number) => void

/** Creates a counter that is read at each export, because one measurement of the SDK is expensive. */
export function counterOf(meter: Meter, { name, unit, description }: MetricName): Count {
  const counts = new Map<string, { readonly attributes: Attributes; count: number }>()
  meter.createObservableCounter(name, { unit, description }).addCallback((result) => {
    for (const { count, attributes } of counts.values()) result.observe(count, attributes)
  })
  return (key, attributes, by = 1) => {
    const counted = counts.get(key)
    if (counted === undefined) counts.set(key, { attributes: attributes(), count: by })
    else counted.count += by
  }
}

/**
 * Runs a call within a span, or without one if it is not kept: the caller's trace is not sampled, or the
 * sampler decides so now. Most requests are of that kind, so they do not pay for a span.
 */
export async function traced<Result>(
  { tracer, name, attributes }: { tracer: Tracer; name: string; attributes: Attributes },
  run: (span: Span | null) => Promise<Result>,
): Promise<Result> {
  const active = context.active()
  const parent = trace.getSpanContext(active)
  if (parent !== undefined && (parent.traceFlags & TraceFlags.SAMPLED) === 0) return run(null)
  const span = tracer.startSpan(name, { attributes }, active)
  if (!span.isRecording()) return run(null)
  try {
    return await context.with(trace.setSpan(active, span), run, undefined, span)
  } catch (fault) {
    failed(span, classOf(fault))
    throw fault
  } finally {
    span.end()
  }
}

/** Marks a span as failed, with the class of the exception. */
export function failed(span: Span, errorType: string): void {
  span.setAttribute(ATTRIBUTES.fault, errorType)
  span.setStatus({ code: SpanStatusCode.ERROR })
}
