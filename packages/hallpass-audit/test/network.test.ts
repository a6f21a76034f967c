import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendOverNetwork } from '../src/engine/network.js'
import { startChild } from '../../../test/support/processes/child.js'
import { openPort } from '../../../test/support/processes/ports.js'

const MEGABYTE = 1024 * 1024
const post = async (url: string, length: number): Promise<string> => {
  const answer = await sendOverNetwork(new Request(url, { method: 'POST', body: 'a'.repeat(length) })) // prettier-ignore
  return `${answer.status} ${await answer.text()}`
}

describe('a large body', () => {
  it('is answered also if the server closes the connection before it is sent', async () => {
    const program = 'test/support/processes/refusing-process.ts'
    const refusing = startChild(process.execPath, ['--import=tsx', program], { input: 'ipc' })
    onTestFinished(() => refusing.stop())
    const port = Number(await refusing.message())
    const answers = new Set<string>()
    for (const limit of [0, MEGABYTE])
      for (let again = 0; again < 10; again++)
        answers.add(await post(`http://127.0.0.1:${port}/?limit=${limit}`, 4 * MEGABYTE))
    expect([...answers]).toEqual(['413 too large'])
  })

  it('is sent until it is refused, and otherwise whole', async () => {
    let length = 0
    const server = createServer((request, response) => {
      length = 0
      request.on('data', (chunk: Buffer) => (length += chunk.length))
      if (request.url === '/refuses') response.writeHead(413).end('too large')
      else request.on('end', () => response.end('read'))
    })
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${await openPort(server)}`
    expect(await post(`${origin}/refuses`, 4 * MEGABYTE)).toBe('413 too large')
    expect(length).toBeLessThan(MEGABYTE)
    expect(await post(`${origin}/reads`, 4 * MEGABYTE)).toBe('200 read')
    expect(length).toBe(4 * MEGABYTE)
  })
})
