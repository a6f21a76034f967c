import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import type pg from 'pg'
import { hashToken } from '../../../src/token/opaque.js'

/** What came back. `status` is 0 if nothing did, and `error` then says why. */
export interface Reply {
  readonly status: number
  readonly error: string | null
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Keeps connections, as programs and proxies do that send many requests. */
export const keepingAgent = (maxSockets = Infinity): Agent =>
  new Agent({ keepAlive: true, scheduling: 'lifo', maxSockets, maxFreeSockets: 1000 })

/** Sends a form or JSON, or GET without either. Never rejects. */
export function send(
  url: string,
  {
    agent,
    form = null,
    json = null,
    headers = {},
    giveUpMilliseconds = 30_000,
  }: {
    agent: Agent
    form?: Readonly<Record<string, string>> | null
    json?: object | null
    headers?: Readonly<Record<string, string>>
    giveUpMilliseconds?: number
  },
): Promise<Reply> {
  return new Promise((resolve) => {
    const body =
      json !== null
        ? JSON.stringify(json)
        : form === null
          ? ''
          : new URLSearchParams(form).toString()
    const type = json === null ? 'application/x-www-form-urlencoded' : 'application/json'
    const sent = request(url, {
      agent,
      method: body === '' ? 'GET' : 'POST',
      headers: {
        ...headers,
        ...(body !== '' && { 'content-type': type, 'content-length': String(body.length) }),
      },
    })
    // A reply that has arrived is read first: a busy machine is late with both.
    const giveUp = (): void => void setImmediate(() => sent.destroy(new Error('gave up')))
    // oxlint-disable-next-line no-restricted-globals -- a client that gives up is what is tested
    const timer = setTimeout(giveUp, giveUpMilliseconds)
    const end = (reply: Reply): void => {
      clearTimeout(timer)
      resolve(reply)
    }
    const fail = (fault: NodeJS.ErrnoException): void =>
      end({ status: 0, error: fault.code ?? fault.message, headers: {}, text: '' })
    sent.once('error', fail)
    sent.once('response', (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.once('error', fail)
      response.once('end', () =>
        end({ status: response.statusCode ?? 0, error: null, headers: response.headers, text }),
      )
    })
    sent.end(body)
  })
}

const VERIFIER = 'a-verifier-of-forty-three-characters-or-more'
const CALLBACK = 'http://127.0.0.1:7777/callback'
const random = (): string => randomBytes(32).toString('base64url')

/** Writes authorization codes into the database of the example, as consent does. */
export async function writeCodes(
  database: pg.Client,
  { origin, count }: { origin: string; count: number },
): Promise<string[]> {
  const codes = Array.from({ length: count }, () => `hpc_${random()}`)
  // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
  const now = Math.floor(Date.now() / 1000)
  const rows = codes.map((code) => ({
    hash: hashToken(code),
    record: codeRecord({ origin, at: now, grantId: `grant_${random()}` }),
  }))
  await database.query(
    `insert into hallpass_code (site, code_hash, client_id, subject, issued_at, due_at, record)
     select 'site_lantern', row->>'hash', 'study-buddy', 'mem_l05', $2::bigint, $2::bigint + 600 + 86400,
       row->>'record'
     from jsonb_array_elements($1::text::jsonb) row`,
    [JSON.stringify(rows), now],
  )
  return codes
}

/** The record of a code of {@link writeCodes}, as a person's consent puts it there. */
export const codeRecord = ({
  origin,
  at,
  grantId,
}: {
  origin: string
  at: number
  grantId: string
}): string =>
  JSON.stringify({
    grantEndsAt: null,
    grantId,
    scopes: ['openid', 'account:read'],
    resource: origin,
    resourceSent: true,
    redirectUri: CALLBACK,
    codeChallenge: hashToken(VERIFIER),
    nonce: null,
    authTime: at,
  })

/** How many of these codes were redeemed. */
export async function countRedeemed(
  database: pg.Client,
  codes: readonly string[],
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int from hallpass_code where code_hash = any($1) and redeemed_at is not null`,
    [codes.map((code) => hashToken(code))],
  )
  return rows[0]!.count
}

/** The parameters of an authorization request whose code {@link codeForm} exchanges. */
export const authorizationFields = (origin: string): Readonly<Record<string, string>> => ({
  response_type: 'code',
  client_id: 'study-buddy',
  redirect_uri: CALLBACK,
  scope: 'openid account:read',
  code_challenge: hashToken(VERIFIER),
  code_challenge_method: 'S256',
  state: 's',
  resource: origin,
})

/** The form that exchanges a code of {@link writeCodes}. */
export const codeForm = (code: string, origin: string): Readonly<Record<string, string>> => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: CALLBACK,
  client_id: 'study-buddy',
  code_verifier: VERIFIER,
  resource: origin,
})

export const refreshForm = (token: string): Readonly<Record<string, string>> => ({
  grant_type: 'refresh_token',
  refresh_token: token,
  client_id: 'study-buddy',
})

/** How many replies there are of each kind. */
export function tally(replies: readonly Reply[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, error } of replies) {
    const kind = error ?? String(status)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** Prints what a test of a fault measured, on one line. */
export function print(title: string, figures: unknown): void {
  process.stdout.write(`${title}: ${JSON.stringify(figures)}\n`)
}
