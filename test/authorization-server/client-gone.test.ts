import { describe, expect, it } from 'vitest'
import { createMemoryStore, type Store } from 'hallpass/store'
import { endpointFrom, type Outgoing } from '../../src/http/exchange.js'
import { toNodeHandler } from '../../src/node.js'
import { listen, open } from '../node/support.js'
import {
  approve,
  codeForm,
  encode,
  type Fields,
  isAlive,
  redeem,
  refresh,
  signIn,
  tokensOf,
} from '../support/school/flow.js'
import { createSchool, ISSUER } from '../support/school/school.js'
import { waitFor } from '../support/processes/wait.js'

/** A school behind a port, whose store can hold back what the token endpoint reads. */
async function openSchool() {
  const memory = createMemoryStore()
  let held: Promise<void> | null = null
  const asked: string[] = []
  const late =
    <Found>(read: (hash: string) => Promise<Found>) =>
    async (hash: string): Promise<Found> => {
      asked.push(hash)
      await held
      return read(hash)
    }
  const store: Store = {
    ...memory,
    findCode: late((hash) => memory.findCode(hash)),
    findRefreshToken: late((hash) => memory.findRefreshToken(hash)),
  }
  const school = await createSchool({ store })
  const served: Outgoing[] = []
  const endpoint = endpointFrom(async (incoming) => {
    const answer = await school.router.handle(incoming)
    if (!(answer instanceof Response)) served.push(answer)
    return answer
  })
  const handler = toNodeHandler(endpoint, { origin: ISSUER })
  let closed = 0
  const port = await listen((request, response) => {
    response.once('close', () => closed++)
    handler(request, response)
  })

  /** Sends a form to the token endpoint, and hangs up while the store reads. */
  const hangUp = async (fields: Fields): Promise<void> => {
    let letGo = (): void => {}
    held = new Promise((resolve) => (letGo = resolve))
    const before = asked.length
    const body = String(encode(fields))
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const socket = await open(port)
    socket.write(
      `POST /api/oauth/token HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await waitFor(() => asked.length > before)
    socket.destroy()
    await waitFor(() => closed === 1)
    held = null
    letGo()
    await waitFor(() => served.length === 1)
  }
  return { school, hangUp, served, closed: () => closed }
}

/** What nobody receives, so that no status of a success is in a log either. */
const GONE = {
  error: 'invalid_request',
  error_description: 'the connection closed before the response',
}
const answersOf = (served: readonly Outgoing[]) =>
  served.map(({ status, body }) => [status, JSON.parse(String(body)) as unknown])

describe('a client that disconnects while its token request waits for the store', () => {
  it('keeps its code, because nobody would receive the tokens [F-40]', async () => {
    const { school, hangUp, served, closed } = await openSchool()
    const code = await approve(school)
    const events = school.events.length
    await hangUp(codeForm(code))
    expect([closed(), school.events.length]).toEqual([1, events])
    expect([school.faults, school.refusals]).toEqual([[], []])
    expect(answersOf(served)).toEqual([[400, GONE]])
    const { access_token } = await tokensOf(await redeem(school, code))
    expect(await isAlive(school, access_token)).toBe(true)
  })

  it('keeps its refresh token unused [F-40]', async () => {
    const { school, hangUp, served, closed } = await openSchool()
    const { refresh_token } = await signIn(school)
    const events = school.events.length
    await hangUp({ grant_type: 'refresh_token', refresh_token, client_id: 'study-buddy' })
    expect([closed(), school.events.length]).toEqual([1, events])
    expect([school.faults, school.refusals]).toEqual([[], []])
    expect(answersOf(served)).toEqual([[400, GONE]])
    await tokensOf(await refresh(school, refresh_token))
    expect(school.events.at(-1)?.type).toBe('oauth.token.refreshed')
  })
})
