import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { expectUnchanged } from '../support/docs/digests.js'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  encode,
  type Fields,
  PORTFOLIO_REQUEST,
} from '../support/school/flow.js'
import { createSchool, type School, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'

const END = { id: 'term', endsAt: T + 90 * 86_400, label: 'End of the term' }
const AUTHORIZED = { subject: STUDENT.subject, authTime: T }

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> }

interface State {
  readonly request?: Fields
  /** Before the app sends the person. */
  readonly before?: (school: School) => unknown
  /** While the page is open. */
  readonly after?: (school: School, open: () => Promise<unknown>) => unknown
}

const STATES: Readonly<Record<string, State>> = {
  'signed out': { after: (school) => (school.signedIn = null) },
  'signed out again and again': {
    async after(school, open) {
      school.signedIn = null
      for (let visit = 0; visit < 30; visit++) await open()
    },
  },
  suspended: { after: (school) => school.people.delete(STUDENT.subject) },
  'a new sign-in is required': {
    request: { prompt: 'login' },
    before: (school) => (school.signedIn = { subject: STUDENT.subject, authTime: T - 10 }),
  },
  'a person without the role': { request: DESK_REQUEST },
  'a person may decide': { request: { ui_locales: 'pt' } },
  'a person may decide on more': { request: PORTFOLIO_REQUEST },
  'a consent is remembered': {
    request: PORTFOLIO_REQUEST,
    after: (school) => approve(school, PORTFOLIO_REQUEST),
  },
  'the request has expired': { after: (school) => (school.clock.now += 601) },
  'the client is turned off': {
    after: ({ store }) => store.replaceClient({ ...STUDY_BUDDY, revision: 2, disabled: true }),
  },
}

const FORMS: Readonly<Record<string, Fields>> = {
  allow: { decision: 'allow' },
  'allow, without a token': { csrf_token: null, decision: 'allow' },
  'allow and paste': { decision: 'allow_and_paste' },
  'allow until the end': { decision: 'allow', until: END.id },
  'allow until another end': { decision: 'allow', until: 'never' },
  'allow nothing': { decision: 'allow', access: 'choose' },
  'allow one': { decision: 'allow', access: 'choose', scope: 'account:read' },
  deny: { decision: 'deny' },
  neither: {},
}

/** Opens a page in a state, and returns a function that asks for it in the same browser. */
async function open({ request = {}, before, after }: State) {
  let drawn = 0
  const school = await createSchool({
    options: {
      grantEnds: () => [END],
      randomBytes: (length) => new Uint8Array(length).fill(++drawn),
    },
  })
  await school.store.insertClient(DESK_CLI)
  school.signedIn = AUTHORIZED
  await before?.(school)
  const asked = await school.fetch(authorizationUrl(request))
  const path = asked.headers.get('location')
  if (path === null) throw new Error(`no page: ${asked.status} ${await asked.text()}`)
  const cookie = asked.headers.getSetCookie()[0]!.split(';', 1)[0]!
  const ask = (init: Init = {}) =>
    school.fetch(new URL(path, school.site.issuer), {
      ...init,
      headers: { cookie, ...init.headers },
    })
  await ask()
  const token = school.view?.page === 'consent' ? school.view.view.csrfToken : 'none'
  await after?.(school, () => ask())
  for (const heard of [school.events, school.refusals, school.faults]) heard.length = 0
  school.view = null
  return { school, ask, token }
}

it('answers each state of a request by GET, HEAD and each form as it did', async () => {
  const all = new Map<string, string>()
  for (const [state, made] of Object.entries(STATES)) {
    const requests: Readonly<Record<string, (token: string) => Init>> = {
      GET: () => ({}),
      HEAD: () => ({ method: 'HEAD' }),
      'a prefetch': () => ({ headers: { 'sec-purpose': 'prefetch' } }),
      'another browser': () => ({ headers: { cookie: '' } }),
      'a form from another site': (csrf_token) => ({
        method: 'POST',
        body: encode({ csrf_token, decision: 'allow' }),
        headers: { 'sec-fetch-site': 'cross-site' },
      }),
      ...Object.fromEntries(
        Object.entries(FORMS).map(([name, form]) => [
          `POST ${name}`,
          (csrf_token: string) => ({ method: 'POST', body: encode({ csrf_token, ...form }) }),
        ]),
      ),
    }
    for (const [what, init] of Object.entries(requests)) {
      const { school, ask, token } = await open(made)
      const answers = [await ask(init(token)), await ask(init(token))]
      const texts = await Promise.all(
        answers.map(async (answer) =>
          [
            answer.status,
            ...[...answer.headers].map(([name, value]) => `${name}: ${value}`).sort(),
            await answer.text(),
          ].join('\n'),
        ),
      )
      const { events, refusals, faults } = school
      all.set(
        `${state}: ${what}`,
        [...texts, JSON.stringify({ events, refusals, faults })].join('\n\n'),
      )
    }
  }
  expect(all.size).toBe(140)
  await expectUnchanged(all, fileURLToPath(new URL('interaction-outcomes.txt', import.meta.url)))
})
