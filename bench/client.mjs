import { connect } from 'node:net'

/**
 * A child process that sends prepared requests over keep-alive connections, one at a time on each, and
 * checks every answer. Hand-made, since a client from a library costs more than the fastest subject.
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
        for (const name of expect)
          if (typeof answer[name] !== 'string') throw new Error(`no ${name} in ${body}`)
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

function encode({ path, form, accessToken }, port) {
  const head = [
    `${form === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Accept: application/json',
    'User-Agent: bench',
    ...(accessToken === undefined ? [] : [`Authorization: Bearer ${accessToken}`]),
    ...(form === undefined
      ? []
      : ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${form.length}`]),
  ]
  return `${head.join('\r\n')}\r\n\r\n${form ?? ''}`
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
    const length = /\r\ncontent-length: (\d+)/i.exec(text)
    if (length === null) return waiting.reject(new Error(`no length in ${text}`))
    const body = text.slice(end + 4)
    if (body.length < Number(length[1])) return
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
