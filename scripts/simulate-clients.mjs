/**
 * Simulates real clients for thirty days against hallpass with several refresh policies, and against the rules
 * of other servers. Prints a table for docs/understand/refresh-retry.md; `--write` puts it there.
 *
 * `npm run simulate:clients -- --seeds 3 --from 1`. It fails if the default signs someone out, or does not
 * refuse a thief at the first use whom the protocol can tell from an honest copy.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { REFRESH_POLICIES, REFRESH_POLICY } from 'hallpass/policy'
import { CLIENT_BEHAVIOURS, createTokenServer, simulateClients } from 'hallpass-lab'

const PAGE = 'docs/understand/refresh-retry.md'
const [BEGIN, END] = ['<!-- begin of simulation -->', '<!-- end of simulation -->']
const DAY = 86_400

const every = (policy) => ({ confidential: policy, native: policy, public: policy })
const hallpass = (refreshPolicies) => (world) => createTokenServer({ ...world, refreshPolicies })
const aDay = { ...REFRESH_POLICY.severalProcesses, catchUpSeconds: DAY }

/**
 * `rotateRefreshToken` of its defaults, and its refresh_token grant: a public client rotates each time, a
 * confidential one after 70 % of 14 days; a consumed token revokes the grant.
 */
const oidcProvider = {
  again: () => null,
  keeps: ({ clientSecret }, { issuedAt }, at) =>
    clientSecret !== undefined && at - issuedAt < 0.7 * 14 * DAY,
}

/**
 * Its OAuth provider: every client rotates each time, and a used token ends every token of the client and the
 * person. Within `refreshTokenReuseInterval`, which is 0 by default, the successor is sent again (its issue 8512).
 */
function betterAuth(intervalSeconds) {
  return {
    again: ({ usedAt, successor }, next, at) =>
      at - usedAt < intervalSeconds && next.usedAt === null ? successor : null,
    keeps: () => false,
  }
}

/** @type {readonly [string, import('hallpass-lab').ClientSimulationOptions['createServer']][]} */
const SERVERS = [
  ['the default', hallpass(REFRESH_POLICIES)],
  ['`native` catches up for 1 day', hallpass({ ...REFRESH_POLICIES, native: aDay })],
  ['`oneHolder` for all', hallpass(every(REFRESH_POLICY.oneHolder))],
  ['`lostResponse` for all, the earlier default', hallpass(every(REFRESH_POLICY.lostResponse))],
  ['`strict` for all', hallpass(every(REFRESH_POLICY.strict))],
  ['rules of oidc-provider 9', (world) => ruleServer(world, oidcProvider)],
  ['rules of better-auth 1.7', (world) => ruleServer(world, betterAuth(0))],
  ['the same, reuse interval 30 s', (world) => ruleServer(world, betterAuth(30))],
]

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3' },
    from: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
})
const [seeds, from] = [Number(values.seeds), Number(values.from)]
if (!Number.isInteger(seeds) || seeds < 1 || !Number.isInteger(from) || from < 0)
  throw new RangeError('--seeds must be a whole number of at least 1, and --from of at least 0')

const rows = []
for (const [name, createServer] of SERVERS) {
  const reports = []
  for (let seed = from; seed < from + seeds; seed++)
    reports.push(await simulateClients({ seed, createServer }))
  rows.push(rowOf(name, reports))
  console.error(`${name}: done`)
}
const table = [
  `Sign-outs without theft, and thieves who were refused, in 30 days of ${CLIENT_BEHAVIOURS.length} installations and ${seeds} seeds:`,
  '',
  `| server | Codex | clients that read a shared file | its copy | mobile app | hosted platform | thieves who send other bytes, refused at the first use | copies and yesterday's tokens, refused sooner or later |`,
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
  ...rows.map(({ cells }) => `| ${cells.join(' | ')} |`),
].join('\n')
console.log(table)
if (values.write) {
  const page = readFileSync(PAGE, 'utf8')
  const [before, rest] = page.split(BEGIN)
  const [, after] = rest.split(END)
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`)
}
const [standard] = rows
if (standard.signOuts > 0 || standard.missed > 0) {
  console.error(`the default: ${standard.signOuts} sign-outs, ${standard.missed} thieves missed`)
  process.exitCode = 1
}

function rowOf(name, reports) {
  const clients = reports.flatMap((report) => report.clients)
  const thefts = reports.flatMap((report) => report.thefts)
  const signOuts = (isMeant) =>
    clients.filter(isMeant).reduce((sum, client) => sum + client.signOuts, 0)
  const isShared = ({ name, holder }) =>
    holder === 'native' && !name.startsWith('Codex') && !name.includes('copied')
  const distinct = thefts.filter(isDistinct)
  const others = thefts.filter((theft) => !isDistinct(theft))
  const atOnce = distinct.filter(({ served, isSeen }) => isSeen && served === 0).length
  const seen = others.filter(({ isSeen }) => isSeen).length
  return {
    signOuts: signOuts(() => true),
    missed: distinct.length - atOnce,
    cells: [
      name,
      signOuts(({ name }) => name.startsWith('Codex')),
      signOuts(isShared),
      signOuts(({ name }) => name.includes('copied')),
      signOuts(({ holder }) => holder === 'public'),
      signOuts(({ holder }) => holder === 'confidential'),
      `${atOnce} of ${distinct.length}`,
      `${seen} of ${others.length}`,
    ],
  }
}

/** Whether the request of the thief differs from those of an honest copy or of a slower process. */
function isDistinct({ theft, holder }) {
  if (theft === 'yesterday') return holder === 'public'
  return theft !== 'copy'
}

/**
 * A server that has only the rules of a refresh: `again` decides about a token that was used, and `keeps` whether
 * a token is returned unchanged.
 */
function ruleServer({ now, randomBytes }, { again, keeps }) {
  const clients = {
    confidential: { clientId: 'confidential', clientSecret: 'secret' },
    native: { clientId: 'native' },
    public: { clientId: 'public' },
  }
  const tokens = new Map()
  const issue = (grant) => {
    const refreshToken = Buffer.from(randomBytes(16)).toString('hex')
    tokens.set(refreshToken, { grant, issuedAt: now(), usedAt: null, successor: null })
    return refreshToken
  }
  const answer = (status, body) => Response.json(body, { status })
  const refused = (error = 'invalid_grant', status = 400) => answer(status, { error })
  const granted = (refreshToken) => answer(200, { refresh_token: refreshToken, expires_in: 3600 })
  return {
    clients,
    async signIn(holder) {
      const grant = { clientId: clients[holder].clientId, isEnded: false }
      return { refreshToken: issue(grant), expiresIn: 3600 }
    },
    async disconnect(refreshToken) {
      tokens.get(refreshToken).grant.isEnded = true
    },
    async token(request) {
      const form = new URLSearchParams(await request.text())
      const client = Object.values(clients).find(
        ({ clientId }) => clientId === form.get('client_id'),
      )
      if ((client?.clientSecret ?? null) !== form.get('client_secret'))
        return refused('invalid_client', 401)
      const presented = form.get('refresh_token')
      const token = tokens.get(presented)
      if (token === undefined || token.grant.clientId !== client.clientId) return refused()
      if (token.grant.isEnded) return refused()
      if (token.usedAt !== null) {
        const pair = again(token, tokens.get(token.successor), now())
        if (pair !== null) return granted(pair)
        token.grant.isEnded = true
        return refused()
      }
      if (keeps(client, token, now())) return granted(presented)
      token.usedAt = now()
      token.successor = issue(token.grant)
      return granted(token.successor)
    },
  }
}
