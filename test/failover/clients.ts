import { Agent } from 'node:http'
import {
  authorizationFields,
  codeForm,
  refreshForm,
  type Reply,
  send,
} from '../support/http/code-load.js'
import {
  createFormBrowser,
  type FormBrowser,
  type Page,
  signInAndAllow,
} from '../support/http/form-browser.js'
import { passTime } from '../support/processes/wait.js'

/** One response of the load. */
export interface Sample {
  readonly name: 'authorize' | 'exchange' | 'refresh' | 'userinfo'
  /** Milliseconds of `performance.now()`. */
  readonly at: number
  readonly end: number
  readonly status: number
  readonly error: string | null
}

/** What a client was given and has not used up: it has to work. */
interface Held {
  readonly access: string
  readonly refresh: string
}

/** What clients have seen that must not happen, and what they hold. */
export interface Ledger {
  readonly samples: Sample[]
  /** One code, or one refresh token, that gave two different pairs. */
  readonly doubles: string[]
  /** Acknowledged, and refused afterwards. */
  readonly lost: string[]
  /** The last pair of each family. */
  readonly held: Held[]
  /** Exchanges without a response whose repetition was refused: the person signs in again. */
  codesUsedUp: number
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** How long a client repeats a request without a definite response. A refresh may be repeated for 60 seconds. */
const PATIENCE_MILLISECONDS = 55_000
const REFRESHES = 6

/** Whether a response says nothing about what was done: the client sends the request again. */
const isOpen = ({ status }: Reply): boolean => status === 0 || status === 429 || status >= 500

/** Waits as the response says, or half a second. */
async function waitAsTold({ headers }: Reply): Promise<void> {
  const seconds = Number(headers['retry-after'] ?? 0.5)
  await passTime(1000 * seconds * (1 + Math.random() / 10))
}

/**
 * A client of the school: it gets codes, exchanges each, reads who its person is, refreshes several times, and keeps
 * the last pair. It repeats what got no definite response, as the documentation tells it. Now and then it sends a
 * code or a refresh token twice at the same time.
 */
export async function runClient(
  origin: string,
  {
    number,
    ledger,
    nextCode,
    isOver,
  }: {
    number: number
    ledger: Ledger
    nextCode: () => Promise<string | null>
    isOver: () => boolean
  },
): Promise<void> {
  for (let family = 0; !isOver(); family++) {
    // The limits of an address are not what is tried: each family has one of its own.
    const address = `127.${80 + (number % 100)}.${family % 250}.1`
    const agent = new Agent({ keepAlive: true, localAddress: address })
    const ask = async (
      name: Sample['name'],
      options: Omit<Parameters<typeof send>[1], 'agent'>,
    ): Promise<Reply> => {
      const at = performance.now()
      const path = name === 'userinfo' ? '/api/oauth/userinfo' : '/api/oauth/token'
      const reply = await send(origin + path, { agent, ...options })
      const { status, error } = reply
      ledger.samples.push({ name, at, end: performance.now(), status, error })
      return reply
    }
    /** Sends a form, perhaps twice at the same time, until there is a definite response. */
    const insist = async (
      name: 'exchange' | 'refresh',
      form: Readonly<Record<string, string>>,
      copies: number,
    ): Promise<{
      readonly tokens: Tokens | null
      readonly wasOpen: boolean
      readonly last: Reply
    }> => {
      const end = performance.now() + PATIENCE_MILLISECONDS
      const pairs = new Map<string, Tokens>()
      for (let wasOpen = false; ;) {
        const replies = await Promise.all(Array.from({ length: copies }, () => ask(name, { form })))
        wasOpen ||= replies.some(isOpen)
        for (const { status, text } of replies)
          if (status === 200) {
            const tokens = JSON.parse(text) as Tokens
            pairs.set(tokens.refresh_token, tokens)
          }
        if (pairs.size > 1) ledger.doubles.push(`${name} of family ${number}/${family}`)
        const [tokens = null] = pairs.values()
        const last = replies.find((reply) => !isOpen(reply)) ?? replies[0]!
        if (tokens !== null || !isOpen(last) || performance.now() > end)
          return { tokens, wasOpen, last }
        await waitAsTold(last)
      }
    }
    try {
      const code = await nextCode()
      if (code === null) continue
      const exchanged = await insist('exchange', codeForm(code, origin), family % 4 === 0 ? 2 : 1)
      if (exchanged.tokens === null) {
        if (exchanged.wasOpen) ledger.codesUsedUp++
        else ledger.lost.push(`code of family ${number}/${family}: ${exchanged.last.text}`)
        continue
      }
      let { tokens } = exchanged
      for (let refreshes = 0; refreshes < REFRESHES && !isOver(); refreshes++) {
        const headers = { authorization: `Bearer ${tokens.access_token}` }
        const who = await ask('userinfo', { headers })
        if (!isOpen(who) && who.status !== 200)
          ledger.lost.push(`access token of family ${number}/${family}: ${who.status} ${who.text}`)
        const copies = refreshes % 2 === 0 ? 1 : 2
        const refreshed = await insist('refresh', refreshForm(tokens.refresh_token), copies)
        if (refreshed.tokens === null) {
          const { status, text, error } = refreshed.last
          ledger.lost.push(`family ${number}/${family}: ${status} ${error ?? text}`)
          break
        }
        tokens = refreshed.tokens
        await passTime(60)
      }
      ledger.held.push({ access: tokens.access_token, refresh: tokens.refresh_token })
    } finally {
      agent.destroy()
    }
  }
}

/** Gets codes as a person does in a browser: signs in, reads the page, allows. */
export function codesOfPerson(
  origin: string,
  { email, ledger, every }: { email: string; ledger: Ledger; every: number },
): () => Promise<string | null> {
  const { open, submit, cookies } = createFormBrowser(origin)
  let status = 0
  const seen = (page: Page): Page => {
    status = page.status
    return page
  }
  const browser: FormBrowser = {
    cookies,
    open: async (target) => seen(await open(target)),
    submit: async (...form) => seen(await submit(...form)),
  }
  const url = new URL('/oauth/authorize', origin)
  url.search = String(new URLSearchParams(authorizationFields(origin)))
  return async () => {
    await passTime(every)
    const at = performance.now()
    const sample = (result: Pick<Sample, 'status' | 'error'>): void =>
      void ledger.samples.push({ name: 'authorize', at, end: performance.now(), ...result })
    try {
      status = 0
      const back = await signInAndAllow(browser, url, { email })
      const code = back.searchParams.get('code')
      sample(code === null ? { status: 400, error: back.search } : { status: 200, error: null })
      return code
    } catch (fault) {
      // The error page, or none: the person tries again.
      sample({ status, error: status === 0 ? String(fault).slice(0, 120) : null })
      return null
    }
  }
}

/** Uses every pair that a client holds once more. Returns what is refused. */
export async function useAll(origin: string, held: readonly Held[]): Promise<readonly string[]> {
  const refused: string[] = []
  for (const [index, { access, refresh }] of held.entries()) {
    const localAddress = `127.${190 + (Math.floor(index / 200) % 50)}.${index % 200}.1`
    const agent = new Agent({ localAddress })
    const headers = { authorization: `Bearer ${access}` }
    const replies = [
      await send(`${origin}/api/oauth/userinfo`, { agent, headers }),
      await send(`${origin}/api/oauth/token`, { agent, form: refreshForm(refresh) }),
    ]
    for (const { status, text, error } of replies)
      if (status !== 200) refused.push(`pair ${index}: ${status} ${error ?? text}`)
    agent.destroy()
  }
  return refused
}
