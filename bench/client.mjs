import { connect } from 'node:net'

/**
 * A child process that sends prepared requests over keep-alive connections, one at a time on each, and
 * checks every response. It is written on sockets, because the client of a library uses more CPU time than
 * the fastest subject.
 */
const CONNECTIONS = 16

process.on('message', async ({ port, requests, expect }) => {
  try {
    const wire = requests.map((request) => encode(request, port))
    const began = process.hrtime.bigint()
    let next = 0
    let sample = null
    const work = async () => {
      const connection = await open(port)
      while (next < wire.length) {
        const body = await connection.exchange(wire[next++])
        const answer = JSON.parse(body)
        for (const path of expect)
          if (typeof at(answer, path) !== 'string') throw new Error(`no ${path} in ${body}`)
        sample ??= answer
      }
      connection.close()
    }
    await Promise.all(Array.from({ length: Math.min(CONNECTIONS, wire.length) }, work))
    process.send({ seconds: Number(process.hrtime.bigint() - began) / 1e9, sample })
  } catch (error) {
    process.send({ error: error.message })
  }
})
process.on('disconnect', () => process.exit())

/** Returns the body of a response, or `null` if the response is not complete. */
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

const at = (value, path) => path.split('.').reduce((inner, name) => inner?.[name], value)

function encode({ path, form, json, accessToken, headers = {} }, port) {
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

async function open(port) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let text = ''
  let waiting
  socket.on('data', (chunk) => {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) return
    const body = bodyOf(text.slice(0, end), text.slice(end + 4))
    if (body === null) return
    const ok = text.startsWith('HTTP/1.1 200 ')
    const whole = text
    text = ''
    if (ok) waiting.resolve(body)
    else waiting.reject(new Error(whole))
  })
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))
  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}
