import { type ClientRecorder, type RealClient, realClients, recordClient } from 'hallpass-lab'
import { toNodeHandler } from 'hallpass/node'
import { createServer, request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import { startExpressExample } from '../support/processes/example.js'
import type { Environment } from '../support/processes/example-process.js'
import { openPort } from '../support/processes/ports.js'
import { RAN_ON, type RealLibrary } from './clients.js'
import { packageOf } from './life.js'

/** The entry of `realClients` that describes a client of the run, which is what it was recorded to do. */
export const entryOf = ({ name, family }: RealLibrary): RealClient | undefined =>
  family === 'agents' || family === 'browser'
    ? realClients.find((entry) => entry.name === name)
    : undefined

/** The school at an address of its own, which records what one client sends there. */
interface RecordedSchool {
  readonly origin: string
  readonly client: ClientRecorder['client']
  /** A client that is not this one, although the same program uses it: that of a member. */
  readonly leaveOut: (clientId: string) => void
  readonly close: () => Promise<void>
}

export async function startRecordedSchool(
  name: string,
  environment: Environment,
): Promise<RecordedSchool> {
  const server = createServer()
  const origin = `http://127.0.0.1:${await openPort(server)}`
  const example = await startExpressExample({
    environment: { ...environment, LANTERN_ORIGIN: origin },
  })
  const leftOut = new Set<string>()
  const recorder = recordClient({ issuer: origin, name })
  const forward = forwardTo(example.origin)
  const watched = recorder.watch(forward)
  server.on(
    'request',
    toNodeHandler(
      async (request) => ((await names(request, leftOut)) ? forward(request) : watched(request)),
      { origin },
    ),
  )
  return {
    origin,
    client: recorder.client,
    leaveOut: (clientId) => leftOut.add(clientId),
    async close() {
      server.closeAllConnections()
      server.close()
      await example.stop()
    },
  }
}

/** Whether a request of the protocol is that of one of these clients. */
async function names(request: Request, clientIds: ReadonlySet<string>): Promise<boolean> {
  const { pathname, searchParams } = new URL(request.url)
  const isForm = request.method === 'POST' && pathname.startsWith('/api/oauth/')
  const sent = isForm ? new URLSearchParams(await request.clone().text()) : searchParams
  return clientIds.has(sent.get('client_id') ?? '')
}

const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding'])

function forwardTo(target: string): (request: Request) => Promise<Response> {
  return ({ url, method, headers, body }) =>
    new Promise((resolve, reject) => {
      const { pathname, search, host } = new URL(url)
      const sent = httpRequest(
        `${target}${pathname}${search}`,
        { method, headers: { ...Object.fromEntries(headers), host }, agent: false },
        (answer) => {
          const { statusCode: status = 502, rawHeaders } = answer
          const answered = new Headers()
          for (let at = 0; at < rawHeaders.length; at += 2)
            if (!OF_THE_CONNECTION.has(rawHeaders[at]!.toLowerCase()))
              answered.append(rawHeaders[at]!, rawHeaders[at + 1]!)
          const hasBody = status !== 204 && status !== 304
          const content = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null
          resolve(new Response(content, { status, headers: answered }))
        },
      )
      sent.once('error', reject)
      if (body === null) sent.end()
      else Readable.from(body).pipe(sent)
    })
}

/** As text, whatever the order of names. A port that a client chose is any port. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  ).replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')

const sorted = (fields: readonly string[] = []): readonly string[] => [...fields].sort()

/** The scopes of a registration are those of this school. */
const withoutScope = (body: Readonly<Record<string, unknown>>): object => ({
  ...body,
  scope: undefined,
})

/** What the entry of a client says that the client did not do: a line each. */
export function unlike(
  entry: RealClient,
  recorded: RealClient,
  { steps }: RealLibrary,
): readonly string[] {
  // With a setting that names scopes it does not only what it does by itself.
  const { scopes = [] } = recorded.authorize ?? {}
  const isSet = steps.signIn === 'setting'
  const own = isSet ? scopes.filter((one) => entry.authorize?.scopes.includes(one)) : scopes
  const facts: (readonly [what: string, ofEntry: unknown, seen: unknown])[] = [
    ['document', entry.document?.url ?? null, recorded.document?.url ?? null],
    ['exchange', sorted(entry.token?.exchange), sorted(recorded.token?.exchange)],
    ['needsCors', entry.needsCors, recorded.needsCors],
    // How its people choose the scopes is in no request.
    [
      'authorize',
      { ...entry.authorize, scopeSetting: null },
      { ...recorded.authorize, scopes: own },
    ],
    ['registrations', entry.document === null, recorded.registrations.length > 0],
    // A client with a document registers only where it is of no use, and some try again with less.
    ...recorded.registrations
      .slice(0, 1)
      .map(
        (body) =>
          ['registration', withoutScope(entry.registrations[0] ?? {}), withoutScope(body)] as const,
      ),
  ]
  // The run of some ends before their access token does.
  const refresh = sorted(recorded.token?.refresh)
  if (refresh.length > 0) facts.push(['refresh', sorted(entry.token?.refresh), refresh])
  return facts.flatMap(([what, ofEntry, seen]) =>
    textOf(ofEntry) === textOf(seen)
      ? []
      : [`${what}: ${textOf(ofEntry)} in realClients, ${textOf(seen)} was sent`],
  )
}

/** What an entry has to say of the day and the version that it was recorded with. */
export const recordedWith = (
  library: RealLibrary,
): { readonly asOf: string; readonly note: string } => ({
  asOf: RAN_ON,
  note: `recorded from version ${packageOf(library).version} of its npm package`,
})
