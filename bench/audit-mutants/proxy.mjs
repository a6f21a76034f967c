// A proxy in front of the demo school, which breaks one thing of a server.
import { once } from 'node:events'
import { Agent, createServer, request as send } from 'node:http'

export const AUTHORIZE = '/oauth/authorize'
export const TOKEN = '/api/oauth/token'
export const REGISTER = '/api/oauth/register'
export const REVOKE = '/api/oauth/revoke'
export const INTROSPECT = '/api/oauth/introspect'
export const USERINFO = '/api/oauth/userinfo'
export const DEVICE = '/api/oauth/device_authorization'
export const PUSH = '/api/oauth/par'
export const KEYS = '/.well-known/jwks.json'

/** A request to the school. A fault may change each part of it before the school gets it. */
class Call {
  #sent
  constructor({ method, url, headers, from }, body) {
    this.path = url.split('?')[0]
    const query = new URLSearchParams(url.slice(this.path.length))
    const isForm = /urlencoded/.test(headers['content-type'] ?? '')
    const form = new URLSearchParams(isForm ? body : '')
    Object.assign(this, { method, url, headers, body, from, query, form })
    /** The parameters: those of the form if it has one, otherwise those of the query. */
    this.params = isForm ? form : query
    this.#sent = [String(query), String(form)]
  }
  /** The value of a parameter that was sent once, otherwise `null`: one that is repeated stays for the school to refuse. */
  single(name) {
    return this.params.getAll(name).length === 1 ? this.params.get(name) : null
  }
  get json() {
    return jsonOf(this.body)
  }
  get basic() {
    const [, text] = /^basic (.+)$/i.exec(this.headers.authorization ?? '') ?? []
    return Buffer.from(text ?? '', 'base64')
      .toString()
      .split(':')
      .map(decodeURIComponent)
  }
  get clientId() {
    return this.params.get('client_id') ?? this.basic[0]
  }
  get token() {
    return /^(?:bearer|dpop) (.+)$/i.exec(this.headers.authorization ?? '')?.[1]
  }
  /** The request that the school gets: byte for byte as it came, unless a fault has changed something. */
  get line() {
    const { method, url, path, headers, body, query, form } = this
    const [before, sent] = this.#sent
    const isAsked = String(query) === before && url.startsWith(path)
    const text = String(query) === '' ? '' : `?${query}`
    return { method, path: isAsked ? url : path + text, headers, body: String(form) === sent ? body : String(form) } // prettier-ignore
  }
  /** Returns a copy, which is changed and sent by itself. */
  copy() {
    const { method, path, headers, body } = this.line
    return new Call({ method, url: path, headers: { ...headers }, from: this.from }, body)
  }
}

/** An answer of the school, or of a fault in its place. */
export class Answer {
  constructor({ status = 200, headers = {}, body = '' }) {
    Object.assign(this, { status, headers: { ...headers }, body })
  }
  static json(value, status = 200) {
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    return new Answer({ status, headers, body: JSON.stringify(value) })
  }
  static redirect(location, status = 303) {
    return new Answer({ status, headers: { location: String(location) } })
  }
  get json() {
    return jsonOf(this.body)
  }
  set json(value) {
    this.body = JSON.stringify(value)
  }
  /** The address to which it redirects; `null` if to none. A change counts once it is assigned. */
  get location() {
    const { location } = this.headers
    return location === undefined ? null : new URL(location, 'http://here.invalid')
  }
  set location(url) {
    this.headers.location = url.href.replace('http://here.invalid', '')
  }
}

function jsonOf(text) {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** Creates the memory of one audit: requests and answers of the school, of which faults swap parts. */
const createMemory = () => ({
  /** Answers to registrations, by `client_id`. */
  clients: new Map(),
  /** Pushed requests by `request_uri`, authorization requests by `state`, and those that led to a code by the code. */
  pushed: new Map(),
  asked: new Map(),
  codes: new Map(),
  /** Answers with tokens, by each token in them. */
  tokens: new Map(),
  devices: new Map(),
  /** The last answer to an access token, by path. */
  good: new Map(),
  /** For faults that keep something of their own. */
  kept: new Map(),
})

/** Remembers a request as it came, and its answer as the school gave it. */
function remember(call, answer, memory) {
  const { status, json, location } = answer
  if (call.token && status === 200) memory.good.set(call.path, new Answer(answer))
  const given = Object.fromEntries(call.params)
  if (call.path === REGISTER && status === 201) memory.clients.set(json.client_id, json)
  if (call.path === DEVICE && status === 200) memory.devices.set(json.device_code, { ...given, ...json, client_id: call.clientId }) // prettier-ignore
  if (call.path === PUSH && status === 201) memory.pushed.set(json.request_uri, { ...given, client_id: call.clientId, isPushed: true }) // prettier-ignore
  const code = location?.searchParams.get('code')
  if (code) memory.codes.set(code, memory.asked.get(location.searchParams.get('state')))
  if (call.path === TOKEN && status === 200) {
    const issued = { ...json, client_id: call.clientId }
    for (const kind of ['access_token', 'refresh_token', 'id_token'])
      if (json[kind]) memory.tokens.set(json[kind], issued)
  }
}

/** Remembers an authorization request before the school answers, since the answer may have a code. */
function rememberRequest(call, memory) {
  if (call.path !== AUTHORIZE || !call.params.has('client_id')) return
  const asked = memory.pushed.get(call.params.get('request_uri')) ?? Object.fromEntries(call.params)
  if (!memory.asked.has(asked.state)) memory.asked.set(asked.state, asked)
}

/**
 * Starts a proxy whose fault can be changed.
 *
 * @param options - `port`: where it listens. `school`: the port of the school behind it
 */
export async function startProxy({ port, school }) {
  const agent = new Agent({ keepAlive: true })
  let [fault, memory, acted, errors] = [{}, createMemory(), 0, []]

  /** Sends a request to the school. Its answer in parts is an answer at its end, but for a stream that stays open. */
  function forward(call, stream) {
    const { method, path, headers: given, body } = call.line
    const { 'accept-encoding': _, 'content-length': length, connection: __, ...headers } = given
    if (length !== undefined || body !== '') headers['content-length'] = Buffer.byteLength(body)
    return new Promise((resolve, reject) => {
      const options = { port: school, method, path, headers, agent, localAddress: call.from }
      const sent = send({ host: '127.0.0.1', ...options }, async (received) => {
        const { statusCode: status } = received
        const { connection: _____, 'keep-alive': ___, 'transfer-encoding': ____, ...kept } = received.headers // prettier-ignore
        if (stream !== undefined && method === 'GET' && /event-stream/.test(kept['content-type'])) {
          stream.writeHead(status, kept)
          return resolve(received.pipe(stream) && null)
        }
        try {
          resolve(new Answer({ status, headers: kept, body: Buffer.concat(await received.toArray()).toString() })) // prettier-ignore
        } catch (error) {
          reject(error)
        }
      })
      sent.on('error', reject).end(body)
    })
  }

  async function answerTo(call, response) {
    const [before, original] = [JSON.stringify(call.line), call.copy()]
    rememberRequest(call, memory)
    const own = await fault.request?.(call, memory, forward)
    if (own) return (acted += 1) && own
    const answer = await forward(call, response)
    if (answer === null) return null
    remember(original, answer, memory)
    const came = JSON.stringify(answer)
    const given = (await fault.answer?.(answer, call, memory, forward)) || answer
    if (JSON.stringify(call.line) !== before || JSON.stringify(given) !== came) acted += 1
    return given
  }

  const server = createServer(async (request, response) => {
    try {
      const { method, url, headers, socket } = request
      const body = Buffer.concat(await request.toArray()).toString()
      const call = new Call({ method, url, headers: { ...headers }, from: socket.remoteAddress }, body) // prettier-ignore
      const answer = await answerTo(call, response)
      if (answer === null) return
      const { 'content-length': _, ...rest } = answer.headers
      const isEmpty = method === 'HEAD' || answer.status === 204 || answer.status === 304
      if (!isEmpty) rest['content-length'] = Buffer.byteLength(answer.body)
      response.writeHead(answer.status, rest).end(isEmpty ? undefined : answer.body)
    } catch (error) {
      if (!response.destroyed) errors.push(`${request.method} ${request.url}: ${error.stack}`)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    use(next) {
      ;[fault, memory, acted, errors] = [next, createMemory(), 0, []]
    },
    /** How many exchanges the fault has changed. */
    acted: () => acted,
    /** Errors of the proxy itself, after which a result says nothing about the audit. */
    errors: () => errors,
    async stop() {
      server.closeAllConnections()
      server.close()
      agent.destroy()
      await once(server, 'close')
    },
  }
}
