import type { Handler } from 'hallpass-audit'
import type { Fault } from '../broken-server.js'
import { answers, type Broken, headers } from '../faults.js'

const TOKEN = '/api/oauth/token'
const AUTHORIZE = '/oauth/authorize'

/** What a limit says. It is longer than an audit waits. */
const limited = (): Response =>
  Response.json({ error: 'temporarily_unavailable' }, { status: 429, headers: { 'retry-after': '600' } }) // prettier-ignore

/** Locks a client out after so many requests in a row that did not succeed. */
const locks =
  (
    path: string,
    most: number,
    {
      isCounted = () => true,
      locked = limited,
    }: { isCounted?: (form: URLSearchParams) => boolean; locked?: () => Response } = {},
  ): Required<Pick<Fault, 'wrap'>>['wrap'] =>
  (next): Handler => {
    const failures = new Map<string, number>()
    return async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname !== path) return next(request)
      const form =
        request.method === 'POST' ? new URLSearchParams(await request.clone().text()) : searchParams
      const id = form.get('client_id')
      if (id === null || !isCounted(form)) return next(request)
      const count = failures.get(id) ?? 0
      if (count >= most) return locked()
      const answer = await next(request)
      failures.set(id, answer.status === 200 ? 0 : count + 1)
      return answer
    }
  }

export const budgets: readonly Broken[] = [
  {
    name: 'a stranger locks a client out with wrong codes',
    fault: { wrap: locks(TOKEN, 25) },
    violates: ['budgets/codes'],
    whole: true,
  },
  {
    name: 'a client is turned off after wrong codes',
    fault: {
      wrap: locks(TOKEN, 25, {
        locked: () => Response.json({ error: 'invalid_client' }, { status: 401 }),
      }),
    },
    violates: ['budgets/codes'],
  },
  {
    name: 'a stranger locks a client out with wrong refresh tokens',
    fault: {
      wrap: locks(TOKEN, 25, { isCounted: (form) => form.get('grant_type') === 'refresh_token' }),
    },
    violates: ['budgets/refresh-tokens'],
  },
  {
    name: 'a client has a number of open authorization requests',
    fault: { wrap: locks(AUTHORIZE, 25) },
    violates: ['budgets/authorization-requests'],
  },
  {
    name: 'a limited request gets a status and nothing else',
    fault: answers(TOKEN, (answer) =>
      answer.status === 429 ? new Response(null, { status: 429 }) : answer,
    ),
    violates: ['budgets/limit-explained', 'budgets/limit-as-json'],
  },
  {
    name: 'a proxy answers limited requests with a page',
    fault: answers(TOKEN, (answer) =>
      answer.status === 429
        ? new Response('<h1>Too many requests</h1>', {
            status: 429,
            headers: { 'content-type': 'text/html', 'retry-after': '60' },
          })
        : answer,
    ),
    violates: ['budgets/limit-as-json'],
  },
  {
    name: 'Retry-After is a word',
    fault: headers(TOKEN, (all, { status }) => {
      if (status === 429) all.set('retry-after', 'one minute')
    }),
    violates: ['budgets/retry-after'],
  },
  {
    name: 'a gateway answers limited requests with JSON of its own',
    fault: answers(TOKEN, (answer) =>
      answer.status === 429
        ? Response.json({ message: 'Too many requests' }, { status: 429 })
        : answer,
    ),
    violates: ['budgets/limit-as-json'],
  },
  {
    name: 'JSON of a limited request is plain text',
    fault: headers(TOKEN, (all, { status }) => {
      if (status === 429) all.set('content-type', 'text/plain')
    }),
    violates: ['budgets/limit-as-json'],
  },
]
