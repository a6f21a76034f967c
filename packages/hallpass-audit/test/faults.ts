import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from 'hallpass/store'
import type { AuditRow, Handler } from 'hallpass-audit'
import type { Fault } from './broken-server.js'

/** A server with one fault, and what an audit has to say of it. */
export interface Broken {
  /** What is wrong, such as `PKCE is not checked`. */
  readonly name: string
  readonly fault: Fault
  /** Every check that the fault breaks: those of its own subject, and what follows from it elsewhere. */
  readonly violates: readonly string[]
  /** Deviations of this server that the fault mends, as any other server may hold them. */
  readonly holds?: readonly string[]
  /** What cannot be found out, where that is what the fault is about: a server that fails has not refused. */
  readonly unknown?: readonly string[]
  /** Whether `whole.test.ts` runs all checks against it, and not only those of its subject. One of each subject is. */
  readonly whole?: boolean
}

/** What hallpass breaks on purpose, as "Deviations" of docs/look-up/standards.md says. Every server here does, too. */
export const DEVIATIONS: readonly string[] = [
  'authorization/errors-to-client',
  'authorization/without-state',
  'scope/unknown-ignored',
  'client-authentication/challenge',
  'id-token/rs256-offered',
  'openid/made-up-hint',
]

/** Rows whose clause is not held, whatever its level. Deviations count where a fault breaks them. */
export const unheld = (
  rows: readonly AuditRow[],
  broken: readonly string[] = [],
): readonly AuditRow[] =>
  rows.filter(
    ({ check, verdict }) =>
      (verdict === 'violated' || verdict === 'advice') &&
      (!DEVIATIONS.includes(check) || broken.includes(check)),
  )

/** With what was found, so that a red test says why. */
export const worded = (rows: readonly AuditRow[]): readonly string[] =>
  rows.map(({ check, found }) => `${check}: ${found}`)

const isAt = (request: Request, path: string): boolean => new URL(request.url).pathname === path

/** Changes the answers of one path. */
export const answers =
  (path: string, change: (answer: Response, request: Request) => Response | Promise<Response>): Required<Pick<Fault, 'wrap'>> => ({
    wrap: (next) => async (request) => {
      const kept = request.clone()
      const answer = await next(request)
      return isAt(kept, path) ? change(answer, kept) : answer
    },
  }) // prettier-ignore

/** Changes the JSON of one path, where its status is one of these. */
export const json = (
  path: string,
  change: (body: Record<string, unknown>) => unknown,
  status = 200,
): Required<Pick<Fault, 'wrap'>> =>
  answers(path, async (answer) => {
    if (answer.status !== status) return answer
    const headers = new Headers(answer.headers)
    headers.delete('content-length')
    const body = change((await answer.json()) as Record<string, unknown>)
    return new Response(JSON.stringify(body), { status: answer.status, headers })
  })

/** Changes the headers of the answers of one path. */
export const headers = (
  path: string,
  change: (headers: Headers, answer: Response) => void,
): Required<Pick<Fault, 'wrap'>> =>
  answers(path, (answer) => {
    const changed = new Headers(answer.headers)
    change(changed, answer)
    return new Response(answer.body, { status: answer.status, headers: changed })
  })

/** Changes the form that one path receives, before the server reads it. */
export const received = (
  path: string,
  change: (form: URLSearchParams, request: Request) => void | Promise<void>,
): Required<Pick<Fault, 'wrap'>> => ({
  wrap: (next) => async (request) => {
    if (!isAt(request, path) || request.method !== 'POST') return next(request)
    const form = new URLSearchParams(await request.clone().text())
    await change(form, request)
    return next(new Request(request.url, { method: 'POST', headers: request.headers, body: form.toString() })) // prettier-ignore
  },
})

/** Changes the query of an authorization request, before the server reads it. */
export const requested = (change: (query: URLSearchParams) => void): Required<Pick<Fault, 'wrap'>> => ({
  wrap: (next) => (request) => {
    // A form is redirected to the same query, which comes here too.
    if (!isAt(request, '/oauth/authorize') || request.method !== 'GET') return next(request)
    const url = new URL(request.url)
    change(url.searchParams)
    return next(new Request(url, { method: request.method, headers: request.headers }))
  },
}) // prettier-ignore

/** Changes where the browser is sent, if it is sent to the client. */
export const returned = (change: (to: URL) => void): Required<Pick<Fault, 'wrap'>> => ({
  wrap: (next) => async (request) => {
    const answer = await next(request)
    const location = answer.headers.get('location')
    if (location === null || !/[?&](?:code|error)=/.test(location)) return answer
    const to = new URL(location)
    change(to)
    const changed = new Headers(answer.headers)
    changed.set('location', to.href)
    return new Response(answer.body, { status: answer.status, headers: changed })
  },
})

/** Answers one path by itself. */
export const replaced = (path: string, handler: Handler): Required<Pick<Fault, 'wrap'>> => ({
  wrap: (next) => (request) => (isAt(request, path) ? handler(request) : next(request)),
})

/** Several faults of the wire at once: the last one is outermost. */
export const both = (...faults: readonly Fault[]): Fault => ({
  ...Object.assign({}, ...faults),
  wrap: (next, parts) => faults.reduce((inner, { wrap }) => wrap?.(inner, parts) ?? inner, next),
})

/** Changes what the store does for one path. `form` returns what the request sent. */
export function storeAt(
  path: string,
  change: (store: Store, form: () => URLSearchParams) => Partial<Store>,
): Fault {
  const asked = new AsyncLocalStorage<URLSearchParams>()
  return {
    store(store) {
      const changed = change(store, () => asked.getStore() ?? new URLSearchParams())
      const atPath = Object.entries(changed).map(([name, method]) => [
        name,
        (...values: unknown[]) =>
          Reflect.apply((asked.getStore() ? method : store[name as keyof Store]) as () => unknown, store, values),
      ])
      return Object.fromEntries(atPath) as Partial<Store>
    },
    wrap: (next) => async (request) => {
      if (!isAt(request, path)) return next(request)
      return asked.run(new URLSearchParams(await request.clone().text()), () => next(request))
    },
  } // prettier-ignore
}

/** Stores tokens of a grant, without the rules of codes and of refresh tokens. */
export async function issueAnyway(
  store: Store,
  issue: Pick<Parameters<Store['redeemCode']>[0], 'grant' | 'accessToken' | 'refreshToken'>,
): Promise<void> {
  const { grant, refreshToken } = issue
  const codeHash = `code of ${refreshToken.tokenHash}`
  const { createdAt: issuedAt, expiresAt } = grant
  await store.issueCode({
    code: { ...grant, codeHash, issuedAt, expiresAt, resourceSent: false, codeChallenge: '', nonce: null, grantEndsAt: null, authTime: null, redeemedAt: null },
    pendingIdHash: null,
    consentKey: null,
  }) // prettier-ignore
  await store.redeemCode({ ...issue, codeHash, redeemedAt: issuedAt })
}

/** Changes the JSON that one path receives, before the server reads it. */
export const sent = (
  path: string,
  change: (body: Record<string, unknown>) => object,
): Required<Pick<Fault, 'wrap'>> => ({
  wrap: (next) => async (request) => {
    const body: unknown = isAt(request, path) ? await request.clone().json().catch(() => null) : null
    if (typeof body !== 'object' || body === null) return next(request)
    const { method, headers } = request
    return next(new Request(request.url, { method, headers, body: JSON.stringify(change(body as Record<string, unknown>)) }))
  },
}) // prettier-ignore

/** Fails where it should refuse. */
export const failing = (path: string): Required<Pick<Fault, 'wrap'>> =>
  answers(path, (answer) =>
    answer.status < 400 ? answer : new Response('TypeError: undefined is not an object', { status: 500 }),
  ) // prettier-ignore
