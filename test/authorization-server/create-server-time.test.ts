import { createServer } from 'hallpass'
import { testSite } from 'hallpass/testing'
import { expect, it, onTestFinished, vi } from 'vitest'

const page = (): Response => new Response('your page')

it('a server responds with 503 to a function that does not respond within 30 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { site, faults } = testSite()
  const server = createServer(site, {
    sealingSecret: 'use at least 32 random characters here',
    interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
    routes: { 'GET /slow': () => new Promise(() => {}) },
  })
  const request = new Request('https://school.example/slow', { headers: { accept: 'text/html' } })
  const asked = server(request)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(faults).toEqual([])
  await vi.advanceTimersByTimeAsync(2)
  const response = await asked
  // An outage has the error page of the host application.
  expect([response.status, await response.text()]).toEqual([200, 'your page'])
  const message = 'GET /slow did not respond within 30000 ms'
  expect(faults).toMatchObject([{ endpoint: '/slow', fault: { cause: { message } } }])
})
