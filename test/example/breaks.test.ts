import { beforeAll, describe, expect, it } from 'vitest'
import { judged, meet, unmetFor } from '../../examples/playground/goal.js'
import { answered, trying } from '../../examples/playground/flow.js'
import {
  keptToReturn,
  movedTo,
  newSession,
  type Outcome,
  type Session,
} from '../../examples/playground/session.js'
import {
  asItShouldBe,
  draftOfPreset,
  type School,
  type Situation,
} from '../../examples/playground/unmet.js'
import {
  PRESETS,
  type Preset,
  type StepId,
  type Track,
} from '../../examples/school/src/playground/presets.js'
import { nowSeconds } from '../../examples/walk/proof.js'
import { attribute } from '../support/http/forms.js'
import { createPageBrowser, type PageBrowser } from '../support/http/page-browser.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import { waitFor } from '../support/processes/wait.js'

let school: SharedExample
/** What the page tells its script. */
let schools: readonly School[]
let memberClient: string

beforeAll(async () => {
  school = await sharedExample()
  const text = await (await fetch(`${school.origin}/playground`)).text()
  const tag = /<div\s+class="playground"[^>]*>/.exec(text)![0]
  schools = JSON.parse(attribute(tag, 'data-schools')!) as readonly School[]
  memberClient = attribute(tag, 'data-member')!
  expect(schools.map(({ origin }) => origin)).toEqual([school.origin, school.kiln])
})

const MEI = 'mei-ling.chou@example.com'
const staffOf = (origin: string): string =>
  origin === school.kiln ? 'hao-yu.lin@example.com' : 'ines.duarte@example.com'

const breaksOn = (track: Track): readonly Preset[] =>
  PRESETS.filter(
    ({ refused, tracks }) => refused !== undefined && (tracks?.includes(track) ?? true),
  )

// A person has one browser for both schools, and each browser signs in once.
const browsers = new Map<string, PageBrowser>()
function browserOf(origin: string, email: string | null): PageBrowser {
  const fresh = (): PageBrowser =>
    createPageBrowser({
      origin,
      // The page that the code comes to is read by nobody here.
      fetch: async (request) =>
        new URL(request.url).pathname === '/playground'
          ? new Response()
          : fetch(request, { redirect: 'manual' }),
    })
  if (email === null) return fresh()
  const name = `${origin} ${email}`
  const known = browsers.get(name) ?? fresh()
  browsers.set(name, known)
  return known
}

/** A person follows the browser to a school, and presses a button there. Returns where it comes back to. */
async function follow(
  url: string,
  { email, answer }: { email: string | null; answer: 'Allow' | 'Cancel' },
): Promise<URL> {
  const { origin } = new URL(url)
  const name = `${origin} ${email}`
  const before = busy.get(name)
  const done = (async () => {
    await before
    return followIn(browserOf(origin, email), url, { email, answer })
  })()
  busy.set(
    name,
    done.catch(() => null),
  )
  return done
}
// A person does one thing after the other.
const busy = new Map<string, Promise<unknown>>()

async function followIn(
  browser: PageBrowser,
  url: string,
  { email, answer }: { email: string | null; answer: 'Allow' | 'Cancel' },
): Promise<URL> {
  let page = await browser.open(url)
  if (page.text.includes('name="password"'))
    page = await browser.press(page, 'Sign in', { email, password: 'hallpass-demo' })
  if (page.url.pathname !== '/playground') page = await browser.press(page, answer)
  return page.url
}

/** A session of the playground, as its page has it, with the same modules. */
function newPlayground(origin: string, track: Track) {
  let session: Session = newSession(origin, track, `${origin}/playground`)
  const around = { schools: schools.map((one) => one.origin), document: null, memberClient }
  const situation = (): Situation => ({ session, schools, document: null, now: nowSeconds() })

  async function send(step: StepId, preset: Preset | null = null): Promise<boolean> {
    const draft =
      preset === null ? asItShouldBe(step, situation()) : draftOfPreset(preset, situation())
    const one = { step, label: preset?.label ?? '', draft, answer: preset?.edit.answer ?? {} }
    const tried = await trying(session, one, around)
    session = tried.session
    if (tried.leaveTo !== null) {
      const reason = preset?.refused?.reason
      const isOut = reason === 'person_signed_out'
      const email = reason === 'person_not_staff' ? MEI : staffOf(new URL(tried.leaveTo).origin)
      const answer = preset?.note?.includes('Cancel') === true ? 'Cancel' : 'Allow'
      const { searchParams } = await follow(tried.leaveTo, { email: isOut ? null : email, answer })
      // The page is loaded again, with what it kept.
      const kept = JSON.parse(JSON.stringify(keptToReturn(session))) as Session
      session = await answered(kept, searchParams, around)
    }
    session = judged(session, preset, around.schools)
    return session.outcomes.at(-1)?.ok === true
  }

  return {
    unmet: (preset: Preset) => unmetFor({ preset: preset.id }, situation()),
    /** Whether a break offers to go to the other school. */
    isElsewhere(preset: Preset): boolean {
      const next = unmetFor({ preset: preset.id }, situation())?.next ?? null
      return next !== null && typeof next === 'object'
    },
    /** Does what a break needs, presses it, and returns what came of it. */
    async press(preset: Preset): Promise<Outcome | string> {
      const goal = { preset: preset.id }
      for (;;) {
        const end = await meet(goal, {
          situation,
          send: (step) => send(step),
          startAt: (one) => (session = movedTo(session, one.origin, track)),
          open: (one) => (session = newSession(one.origin, track, `${one.origin}/playground`)),
        })
        if (end === 'met') break
        if (end === 'left') continue
        if (end !== 'wait') {
          const unmet = unmetFor(goal, situation())
          const said = session.outcomes.at(-1)?.said
          return unmet?.next === null ? `off: ${unmet.says}` : `stopped after: ${said}`
        }
        await waitFor(() => unmetFor(goal, situation())?.next !== 'wait', {
          what: preset.id,
          everyMilliseconds: 250,
          patienceMilliseconds: 120_000,
        })
      }
      await send(preset.step, preset)
      return session.outcomes.at(-1)!
    },
  }
}

/** The reason of an outcome. The hook hears of one refusal once an hour for each client. */
function reasonOf(one: Outcome | string, { refused }: Preset): string {
  if (typeof one === 'string') return one
  if (one.strayed !== undefined) return one.strayed
  if (one.why !== null) return one.why.reason
  const isOnce = refused?.reason === 'grant_revoked' && one.error === 'invalid_grant'
  return isOnce ? 'grant_revoked' : `${one.ok ? 'passed' : 'refused'}: ${one.said}`
}

const SESSIONS = (['origin', 'kiln'] as const).flatMap((name) =>
  (['operator', 'member', 'mcp'] as const).map((track) => ({ name, track })),
)
/** The break whose need is a minute. */
const isSlow = ({ id }: Preset): boolean => id === 'exchange.code_expired'

/** Presses a break in a session that has not begun. Returns what is wrong with what came, or `null`. */
async function wrongWith(
  preset: Preset,
  { name, track }: (typeof SESSIONS)[number],
): Promise<string | null> {
  const playground = newPlayground(school[name], track)
  const unmet = playground.unmet(preset)
  if (unmet === null) return 'is on before anything was sent'
  if (unmet.next === null) return 'is off without an offer'
  const found = reasonOf(await playground.press(preset), preset)
  return found === preset.refused!.reason ? null : found
}

describe.concurrent('a break of the playground', () => {
  it('is off until its code has expired, in every kind of session', async () => {
    const sessions = SESSIONS.flatMap((one) =>
      breaksOn(one.track)
        .filter(isSlow)
        .map((preset) => wrongWith(preset, one)),
    )
    expect(await Promise.all(sessions)).toEqual(SESSIONS.map(() => null))
  })

  it.each(SESSIONS)(
    'is off before anything was sent, and refused for its own reason after what it offers, at $name as $track [DISC-31]',
    async (one) => {
      const wrong: Record<string, string> = {}
      for (const preset of breaksOn(one.track).filter((preset) => !isSlow(preset))) {
        const found = await wrongWith(preset, one)
        if (found !== null) wrong[preset.id] = found
      }
      expect(wrong).toEqual({})
    },
  )

  it.each(SESSIONS)(
    'is off or refused for its own reason after each other break, in any order, at $name as $track',
    async (one) => {
      const wrong: Record<string, string> = {}
      const playground = newPlayground(school[one.name], one.track)
      const presets = breaksOn(one.track).filter((preset) => !isSlow(preset))
      for (const preset of [...presets, ...presets.toReversed()]) {
        if (playground.isElsewhere(preset)) continue
        const found = reasonOf(await playground.press(preset), preset)
        if (found !== preset.refused!.reason) wrong[preset.id] = found
      }
      // No request of the page signs a person out.
      const isSignedIn = one.track !== 'member' || one.name === 'origin'
      expect(wrong).toEqual(
        isSignedIn
          ? { 'authorize.person_signed_out': 'off: you are signed out of the school' }
          : {},
      )
    },
  )
})
