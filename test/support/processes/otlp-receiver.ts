import { createServer } from 'node:http'
import { once } from 'node:events'
import { openPort } from './ports.js'

/** The values of attributes, by name. */
type Attributes = Readonly<Record<string, string | number>>

/** A metric as the receiver has it, with what each of its points says. */
interface ReceivedMetric {
  readonly name: string
  readonly unit: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly points: readonly { readonly attributes: Attributes; readonly value: number }[]
}

interface ReceivedSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId: string | null
  /** 2 is an error. */
  readonly status: number
  readonly attributes: Attributes
}

/** A receiver of OTLP over HTTP, in this process. */
export interface Receiver {
  readonly url: string
  /** The last state of each metric. */
  readonly metrics: () => readonly ReceivedMetric[]
  readonly spans: () => readonly ReceivedSpan[]
  /** Everything that arrived, as text. */
  readonly text: () => string
  readonly close: () => Promise<void>
}

interface WirePoint {
  attributes?: WireAttribute[]
  asInt?: string | number
  asDouble?: number
  count?: string | number
}
interface WireAttribute {
  key: string
  value: { stringValue?: string; intValue?: string | number }
}
interface WireMetric {
  name: string
  unit: string
  sum?: { dataPoints: WirePoint[] }
  gauge?: { dataPoints: WirePoint[] }
  histogram?: { dataPoints: WirePoint[] }
}
interface WireSpan {
  name: string
  spanId: string
  parentSpanId?: string
  status: { code: number }
  attributes?: WireAttribute[]
}
interface Wire {
  resourceMetrics?: { scopeMetrics: { metrics: WireMetric[] }[] }[]
  resourceSpans?: { scopeSpans: { spans: WireSpan[] }[] }[]
}

const attributesOf = (list: readonly WireAttribute[] = []): Attributes =>
  Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  )

function metricOf({ name, unit, sum, gauge, histogram }: WireMetric): ReceivedMetric {
  const points = (sum ?? gauge ?? histogram)!.dataPoints
  return {
    name,
    unit,
    kind: sum ? 'counter' : gauge ? 'gauge' : 'histogram',
    points: points.map(({ attributes, asInt, asDouble, count }) => ({
      attributes: attributesOf(attributes),
      value: Number(asInt ?? asDouble ?? count),
    })),
  }
}

/** Opens a receiver on loopback, for what exporters send as JSON. */
export async function openReceiver(): Promise<Receiver> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString())
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  const port = await openPort(server)
  const wires = (): readonly Wire[] => bodies.map((body) => JSON.parse(body) as Wire)
  return {
    url: `http://127.0.0.1:${port}`,
    metrics() {
      const all = wires()
        .flatMap(({ resourceMetrics = [] }) => resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
      return [...new Map(all.map((metric) => [metric.name, metricOf(metric)])).values()]
    },
    spans: () =>
      wires()
        .flatMap(({ resourceSpans = [] }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map(({ name, spanId, parentSpanId = '', status, attributes }) => ({
          name,
          spanId,
          parentSpanId: parentSpanId === '' ? null : parentSpanId,
          status: status.code,
          attributes: attributesOf(attributes),
        })),
    text: () => bodies.join('\n'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
