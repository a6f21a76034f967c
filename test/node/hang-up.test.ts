import { expect, it, onTestFinished, vi } from 'vitest'
import { endpointFrom, type Incoming } from '../../src/http/exchange.js'
import { toNodeHandler } from '../../src/node.js'
import {
  approve,
  codeForm,
  encode,
  isAlive,
  redeem,
  refresh,
  signIn,
  tokensOf,
} from '../support/school/flow.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, ISSUER } from '../support/school/school.js'
import { waitFor } from '../support/processes/wait.js'
import { listen, open } from './support.js'

/** A school behind a port, and how many of its requests are over. */
async function openSchool() {
  const unhandled = vi.fn<(reason: unknown) => void>()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const school = await createSchool()
  const served: unknown[] = []
  const endpoint = endpointFrom(async (incoming: Incoming) => {
    try {
      return await school.router.handle(incoming)
    } finally {
      served.push(incoming.target)
    }
  })
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const port = await listen(toNodeHandler(endpoint, { origin: ISSUER, onError }))

  /** Sends all but the last byte of a body, and then hangs up. */
  const hangUp = async (path: string, type: string, body: string, index: number): Promise<void> => {
    const socket = await open(port)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}`
    socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`, () => {
      if (index % 3 === 0) socket.resetAndDestroy()
      else socket.destroy()
    })
  }
  return { school, served, hangUp, errors, unhandled }
}

const FORM = 'application/x-www-form-urlencoded'

/** Of 100 requests each. */
const ROUNDS = rounds(10, { soak: 50 })

it('thousands of token requests that end in their body do nothing, and are no fault [F-17]', async () => {
  const { school, served, hangUp, errors, unhandled } = await openSchool()
  const code = await approve(school)
  const { refresh_token } = await signIn(school)
  const bodies = [
    encode(codeForm(code)),
    encode({
      grant_type: 'refresh_token',
      refresh_token: refresh_token,
      client_id: 'study-buddy',
    }),
  ].map(String)
  for (let round = 1; round <= ROUNDS; round++) {
    const sending = Array.from({ length: 100 }, (_, index) =>
      hangUp('/api/oauth/token', FORM, bodies[index % 2]!, index),
    )
    await Promise.all(sending)
    await waitFor(() => served.length === 100 * round)
  }
  const { faults, refusals } = school
  const counts = [served, faults, refusals, errors].map(({ length }) => length)
  expect(counts).toEqual([100 * ROUNDS, 0, 0, 0])
  expect(unhandled).not.toHaveBeenCalled()
  const { access_token } = await tokensOf(await redeem(school, code))
  expect(await isAlive(school, access_token)).toBe(true)
  expect((await refresh(school, refresh_token)).status).toBe(200)
})

it.each([
  ['/api/oauth/register', 'application/json'],
  ['/api/oauth/revoke', FORM],
  ['/api/oauth/introspect', FORM],
])('a client of %s that hangs up is no fault', async (path, type) => {
  const { school, served, hangUp, errors } = await openSchool()
  await hangUp(path, type, 'token=x', 1)
  await waitFor(() => served.length === 1)
  expect([served, school.faults, errors]).toEqual([[path], [], []])
})
