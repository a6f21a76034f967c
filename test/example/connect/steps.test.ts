import { readFileSync } from 'node:fs'
import { type Attempt, type AttemptStep, explanationOf } from 'hallpass/clients'
import { describe, expect, it } from 'vitest'
import { CONNECT_CLIENTS } from '../../../examples/school/src/connect/clients.js'
import {
  HOMEPAGE,
  liveBox,
  type LiveView,
  pauseOf,
  stateOf,
} from '../../../examples/school/src/connect/steps.js'
import { T } from '../../support/school/school.js'

const step = (stage: AttemptStep['stage'], more: Partial<AttemptStep> = {}): AttemptStep => ({
  at: T,
  stage,
  ok: true,
  error: null,
  reason: null,
  requestId: null,
  detail: null,
  network: null,
  ...more,
})

const attemptOf = (steps: readonly AttemptStep[], more: Partial<Attempt> = {}): Attempt => ({
  id: 'att_qTo0UaDHr9Zv7dRk',
  startedAt: T,
  lastAt: T,
  clientId: 'app_1',
  clientName: 'Notes',
  resource: null,
  scopes: [],
  network: null,
  grantId: null,
  steps,
  ...more,
})

type Changes = Partial<Omit<LiveView, 'watch' | 'found'>> & {
  readonly watch?: Partial<LiveView['watch']>
  readonly attempt?: Attempt
}

function view({ watch, attempt, ...more }: Changes = {}): LiveView {
  const now = more.now ?? T
  const seen = { since: T, changedAt: null, isLocal: true, asked: false, discovered: false }
  return {
    client: CONNECT_CLIENTS[0],
    waits: false,
    now,
    ...more,
    watch: { ...seen, attempts: [], ...watch },
    found: attempt ? { attempt, explanation: explanationOf(attempt, now) } : null,
  }
}

const textOf = (of: LiveView): string =>
  liveBox(of)
    .toString()
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
const stepsOf = (of: LiveView): readonly string[] =>
  [
    ...liveBox(of)
      .toString()
      .matchAll(/<li class="live-step"[^]*?<\/li>/g),
  ].map(([one]) =>
    one
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )

const refusal = {
  ok: false,
  error: 'invalid_redirect_uri',
  reason: 'redirect_uri_not_loopback',
} as const

describe('the box of a visitor', () => {
  it('is ready, waits once the line was copied, and says what to check after a minute', () => {
    expect(stateOf(view())).toBe('ready')
    expect(textOf(view())).toContain('I have run it')
    const waits = view({ waits: true, now: T + 59 })
    expect(stateOf(waits)).toBe('waiting')
    expect(textOf(waits)).toContain('Waiting for your client')
    expect(textOf(waits)).not.toContain('Please check')
    const quiet = view({ waits: true, now: T + 60 })
    expect(stateOf(quiet)).toBe('waiting')
    expect(textOf(quiet)).toContain('Nothing has come yet. Please check:')
    expect(textOf(quiet)).toContain('claude mcp list')
    expect(liveBox(quiet).toString()).toContain(`href="${HOMEPAGE}do/client-cannot-connect.html"`)
  })

  it('looks every second, then more rarely, and no longer after ten minutes without anything [UX-24]', () => {
    const pauses = [0, 59, 60, 179, 180, 599, 600].map((later) =>
      pauseOf(view({ waits: true, now: T + later })),
    )
    expect(pauses).toEqual([1, 1, 2, 2, 5, 5, null])
    const late = view({ waits: true, now: T + 600 })
    expect(stateOf(late)).toBe('late')
    expect(liveBox(late).toString()).toContain('data-pause=""')
    expect(textOf(late)).toContain('Nothing came for ten minutes')
    expect(liveBox(late).toString()).toContain('href="/connect?with=claude-code&amp;again=1"')
    // A change begins the time anew.
    expect(pauseOf(view({ watch: { changedAt: T + 300, asked: true }, now: T + 310 }))).toBe(1)
  })

  it('looks for two seconds more after a connection, and for a new attempt after a refusal [UX-24]', () => {
    const at = (steps: readonly AttemptStep[], later: number): number | null =>
      pauseOf(view({ attempt: attemptOf(steps), now: T + later }))
    expect([30, 31].map((later) => at([step('token'), step('first_call')], later))).toEqual([
      2,
      null,
    ])
    expect([300, 301].map((later) => at([step('token')], later))).toEqual([2, null])
    expect([300, 301].map((later) => at([step('registration', refusal)], later))).toEqual([3, null])
  })

  it('writes each step as it comes, with what follows', () => {
    const asked = view({ watch: { asked: true, discovered: true } })
    expect(stateOf(asked)).toBe('moving')
    expect(textOf(asked)).toContain('Claude Code is connecting')
    expect(stepsOf(asked)).toEqual([
      'Done: Called the school, and was asked to sign in',
      'Done: Read the metadata',
    ])
    const attempt = attemptOf(
      [
        step('authorize'),
        step('sign_in'),
        step('discovery', { detail: '/.well-known/oauth-protected-resource' }),
        step('discovery', { detail: '/.well-known/oauth-authorization-server' }),
        step('registration'),
        step('sign_in', { at: T + 1 }),
        step('consent', { at: T + 2 }),
      ],
      { scopes: ['openid', 'profile', 'email', 'courses:read'] },
    )
    const shown = view({ attempt, watch: { asked: true, discovered: true }, now: T + 3 })
    expect(stateOf(shown)).toBe('moving')
    expect(textOf(shown)).toContain('Notes is connecting')
    expect(stepsOf(shown)).toEqual([
      'Done: Called the school, and was asked to sign in',
      'Done: Read the metadata',
      'Done: Registered',
      'Done: Asks for openid, profile, email and 1 more',
      'Done: Opened the sign-in page',
      'Done: Asked you for its permissions',
      'Now: You: allow it, or cancel',
    ])
  })

  it('ends with the first call', () => {
    const steps = [step('code'), step('token'), step('first_call')]
    const shown = view({ attempt: attemptOf(steps) })
    expect(stateOf(shown)).toBe('connected')
    expect(stepsOf(shown)).toEqual([
      'Done: You pressed Allow',
      'Done: Exchanged the code for tokens',
      'Done: Called the school with its token',
    ])
    expect(textOf(shown)).toContain('Notes is connected')
  })

  it('says why it was refused, what to change and whose turn it is, with a link to the reason [UX-24]', () => {
    const shown = view({ attempt: attemptOf([step('registration', refusal)]) })
    expect(stateOf(shown)).toBe('refused')
    expect(stepsOf(shown)).toEqual([
      'Failed: Could not register invalid_redirect_uri / redirect_uri_not_loopback',
    ])
    const text = textOf(shown)
    expect(text).toContain('Notes did not connect')
    expect(text).toContain('At its registration, “Notes” was refused.')
    expect(text).toContain('What to change:')
    expect(text).toContain('Whose turn it is: The people who make the app.')
    expect(liveBox(shown).toString()).toContain(
      `href="${HOMEPAGE}look-up/errors.html#redirect_uri_not_loopback"`,
    )
  })

  it('leads to the row of its error, and nowhere from a reason without a row', () => {
    const linkOf = (error: string, reason: AttemptStep['reason']): string | undefined => {
      const failed = step('token', { ok: false, error, reason })
      const [, hash] =
        /errors\.html#([^"]+)"/.exec(liveBox(view({ attempt: attemptOf([failed]) })).toString()) ??
        []
      return hash
    }
    expect(linkOf('invalid_client', 'client_disabled')).toBe('client_disabled')
    expect(linkOf('invalid_token', 'client_disabled')).toBe('invalid_token-client_disabled')
    expect(linkOf('server_error', 'internal_error')).toBeUndefined()
  })

  it('calls a client by its address only if nothing better is known, and escapes what it wrote', () => {
    const nameless = attemptOf([step('registration', refusal)], { clientName: null })
    expect(textOf(view({ attempt: nameless }))).toContain('Claude Code did not connect')
    expect(textOf(view({ attempt: nameless, client: CONNECT_CLIENTS.at(-1)! }))).toContain(
      'app_1 did not connect',
    )
    expect(textOf(view({ client: CONNECT_CLIENTS.at(-1)!, watch: { asked: true } }))).toContain(
      'Your client is connecting',
    )
    const hostile = attemptOf([step('token')], { clientName: '<script>alert(1)</script>' })
    expect(liveBox(view({ attempt: hostile })).toString()).not.toContain('<script')
  })
})

describe('the lines to copy', () => {
  it.each(CONNECT_CLIENTS)(
    'of $name have the address in quotation marks, for every shell',
    (client) => {
      expect(client.lines('lantern', 'https://a.example/mcp/signed-in?watch=x')).toContain(
        '"https://a.example/mcp/signed-in?watch=x"',
      )
    },
  )
  it('lead to the documentation of this package', () => {
    const { homepage } = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    ) as { homepage: string }
    expect(HOMEPAGE).toBe(homepage)
  })
})
