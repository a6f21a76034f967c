/** Requests and responses as text: what a client writes to a connection, and how it reads the answer. */

/** Writes a request that a subject prepared. */
export function encode({ path, form, json, accessToken, headers = {} }, port) {
  const [type, body] =
    json === undefined ? ['application/x-www-form-urlencoded', form] : ['application/json', json]
  const head = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...Object.entries({ Accept: 'application/json', 'User-Agent': 'bench', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    ...(accessToken === undefined ? [] : [`Authorization: Bearer ${accessToken}`]),
    ...(body === undefined ? [] : [`Content-Type: ${type}`, `Content-Length: ${body.length}`]),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`
}

/** Returns the body of a response, or `null` if the text is not a whole response yet. */
export function bodyIn(text) {
  const end = text.indexOf('\r\n\r\n')
  return end === -1 ? null : bodyOf(text.slice(0, end), text.slice(end + 4))
}

function bodyOf(head, rest) {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)
  if (length !== null) return rest.length < Number(length[1]) ? null : rest
  if (!rest.endsWith('0\r\n\r\n')) return null
  let body = ''
  for (let from = 0; ;) {
    const start = rest.indexOf('\r\n', from) + 2
    const size = Number.parseInt(rest.slice(from, start), 16)
    if (size === 0 || Number.isNaN(size)) return body
    body += rest.slice(start, start + size)
    from = start + size + 2
  }
}

/**
 * Reads a whole response as JSON, which must have a text at each of the paths. It must be a success, or have an `error`. Where
 * a `location` is expected, it is a redirect.
 */
export function answerIn(text, expect) {
  if (expect[0] === 'location') {
    const [, location] = /^HTTP\/1\.1 303 [^]*?\r\nlocation: (\S+)/i.exec(text) ?? []
    if (location === undefined) throw new Error(text)
    return { location }
  }
  const status = expect.includes('error') ? 400 : 200
  if (!text.startsWith(`HTTP/1.1 ${status} `)) throw new Error(text)
  const body = bodyIn(text)
  const answer = JSON.parse(body)
  for (const path of expect)
    if (typeof at(answer, path) !== 'string') throw new Error(`no ${path} in ${body}`)
  return answer
}

const at = (value, path) => path.split('.').reduce((inner, name) => inner?.[name], value)
