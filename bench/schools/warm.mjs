import { createServer as createHttpServer } from 'node:http'
import { connect } from 'node:net'
import { createServer, defineSite } from 'hallpass'
import { defineClient, moveGrant } from 'hallpass/clients'
import { toNodeHandler } from 'hallpass/node'
import { createMemoryBudget } from 'hallpass/operations'
import { createPlatform } from 'hallpass/platform'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStorage } from 'hallpass/store'
import { machine, quantile, tableOf } from '../figures.mjs'

/**
 * CPU time of one UserInfo request of a school that is open, at a platform and at a server of its own. Both are in this
 * process, on one memory store, and take turns: the medians of both, and that of the differences of neighbours in time.
 */
const [TURNS, REQUESTS, PIPELINED] = [300, 1600, 16]
const [HOST, ISSUER] = ['art.example', 'https://art.example']
const [clientId, redirectUri, scopes] = ['study-app', 'https://study.example/callback', ['openid']]
const [storage, budget] = [createMemoryStorage(), createMemoryBudget()]
const page = () => new Response('page')
const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
const roles = ['student']
const siteOf = (given) =>
  defineSite({
    ...given, name: 'School', scopes: schoolScopes, roles: schoolRoles,
    findPerson: async (subject) => ({ subject, orgId: ISSUER, roles, name: null, email: null, picture: null }),
  }) // prettier-ignore
const secret = 'use at least 32 random characters here'

const site = siteOf({ issuer: ISSUER, store: storage.storeOf(ISSUER), budget })
const single = createServer(site, { sealingSecret: secret, interact })
const platform = createPlatform({
  find: async () => ({ issuer: ISSUER, revision: 1 }),
  open: (_, given) => createServer(siteOf(given.site), { ...given.server, interact }),
  storages: [storage],
  budget,
  secret,
})

const createdAt = site.now()
const client = { clientId, kind: 'member', name: 'App', redirectUris: [redirectUri], scopes }
await site.store.insertClient(defineClient({ ...client, createdAt }))
const refreshToken = 'the-first-refresh-token-of-the-person'
const expiresAt = createdAt + 86_400
await moveGrant(site, { clientId, subject: 'mem_mei', scopes, redirectUri, refreshToken, expiresAt }) // prettier-ignore
const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
const { access_token: token } = await (
  await platform(
    new Request(`${ISSUER}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) }),
  )
).json()

/** Listens, and returns a function that sends so many requests by one connection, and how to end. */
async function started(handler) {
  const server = createHttpServer(handler)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect(server.address().port, '127.0.0.1').setNoDelay(true)
  const one = `GET /api/oauth/userinfo HTTP/1.1\r\nhost: ${HOST}\r\nauthorization: Bearer ${token}\r\n\r\n`
  const some = one.repeat(PIPELINED)
  return {
    send: (requests) =>
      new Promise((resolve, reject) => {
        let answered = 0
        const read = (bytes) => {
          const text = bytes.toString('latin1')
          answered += text.split('HTTP/1.1 200').length - 1
          if (/HTTP\/1.1 [13-5]/.test(text)) reject(new Error(text))
          if (answered >= requests) socket.off('data', read)
          if (answered >= requests) resolve()
          else if (answered % PIPELINED === 0) socket.write(some)
        }
        socket.on('data', read)
        socket.write(some)
      }),
    end: () => [socket.destroy(), server.close()],
  }
}
async function measure({ send }) {
  const before = process.cpuUsage()
  await send(REQUESTS)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REQUESTS
}

const both = [
  await started(toNodeHandler(single, { origin: ISSUER })),
  await started(toNodeHandler(platform)),
]
const times = [[], []]
for (let turn = -TURNS / 4; turn < TURNS; turn++)
  for (const which of turn % 2 === 0 ? [0, 1] : [1, 0]) {
    const microseconds = await measure(both[which])
    // The first turns warm up.
    if (turn >= 0) times[which].push(microseconds)
  }
for (const { end } of both) end()

const [alone, among] = times.map((all) => quantile(all, 0.5))
const more = quantile(
  times[1].map((time, turn) => time - times[0][turn]),
  0.5,
)
console.log(
  `UserInfo on the memory store, ${TURNS} turns of ${REQUESTS} requests; ${machine()}\n\n${tableOf([
    ['a request, with its client', 'µs of CPU'],
    ['a server of its own', alone.toFixed(1)],
    ['an open school of a platform', among.toFixed(1)],
    ['the difference', `${more.toFixed(1)}, ${((100 * more) / alone).toFixed(1)} %`],
  ])}`,
)
