import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import fc from 'fast-check'
import {
  type Attempt,
  type AttemptExplanation,
  type AttemptStore,
  createMemoryAttempts,
  recordAttempts,
} from 'hallpass/clients'
import { createPostgresAttempts, migratePostgres } from 'hallpass/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rounds } from '../support/run/rounds.js'
import { authorizationUrl, codeForm, post, tokensOf, userinfo } from '../support/school/flow.js'
import { createBrowser, ISSUER, OWNER, T } from '../support/school/school.js'
import { recorderOf, register, stagesOf, type Watched, watchedSchool } from './support.js'

const HOME = '203.0.113.7'
const REDIRECT = 'http://127.0.0.1:5000/cb'

/** What others can know of an attempt: all that is in the address bar of the browser. */
interface Known {
  clientId: string
  interaction: string
}

type Explained = Attempt & { readonly explanation: AttemptExplanation }

/** What a stranger does at another network. */
type Hostile = (school: Watched, known: Known) => Promise<unknown>

const requestOf = ({ clientId }: Known, changes = {}): URL =>
  authorizationUrl({
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: 'openid courses:read',
    ...changes,
  })

const HOSTILE: Readonly<Record<string, Hostile>> = {
  'a refused request of the client': (school, known) =>
    school.fetch(requestOf(known, { scope: 'Your account is locked' })),
  'a request of the client that waits': (school, known) => school.fetch(requestOf(known)),
  'a request that reaches the sign-in page': (school, known) =>
    createBrowser(school).open(requestOf(known)),
  'the page of the person': (school, { interaction }) => school.fetch(`${ISSUER}${interaction}`),
  'a form for the page of the person': (school, { interaction }) =>
    post(school, interaction, { decision: 'deny', csrf_token: 'guessed' }),
  'a form that is not readable': (school, { interaction }) =>
    school.fetch(`${ISSUER}${interaction}`, { method: 'POST', body: 'x' }),
  'a code that is made up': (school, { clientId }) =>
    post(school, '/api/oauth/token', codeForm('hpc_made-up', { client_id: clientId })),
  'a registration of the same name': (school) =>
    register(school, { client_name: 'Desk', redirect_uris: [REDIRECT] }),
  'a request of nobody': (school) => school.fetch(authorizationUrl({ client_id: 'nobody' })),
}

/**
 * Lets a client register and a person connect it, with what strangers do before each step.
 *
 * @param upTo - how many of the steps the person and the client take
 * @returns the records of their network, and what is said about them
 */
async function connect(
  attempts: AttemptStore,
  upTo: number,
  strangers: readonly { readonly before: number; readonly what: string; readonly times: number }[],
): Promise<readonly object[]> {
  const school = await watchedSchool({ options: { watchers: [recordAttempts(attempts)] } })
  const known: Known = { clientId: 'study-buddy', interaction: '/oauth/interaction/unknown' }
  const browser = createBrowser(school)
  let [code, token] = ['', '']
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => {
      const answer = await register(school, { client_name: 'Desk', redirect_uris: [REDIRECT] })
      known.clientId = ((await answer.json()) as { client_id: string }).client_id
    },
    async () => {
      await browser.open(requestOf(known))
      if (school.view?.page !== 'signIn') throw new Error(JSON.stringify(school.view))
      known.interaction = school.view.view.returnTo
    },
    async () => {
      school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
      await browser.open(known.interaction)
    },
    async () => {
      const view = school.view
      if (view?.page !== 'consent') throw new Error(JSON.stringify(view))
      const { action, csrfToken } = view.view
      const answer = await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
      code = new URL(answer.headers.get('location')!).searchParams.get('code')!
    },
    async () => {
      const form = codeForm(code, { client_id: known.clientId, redirect_uri: REDIRECT })
      token = (await tokensOf(await post(school, '/api/oauth/token', form))).access_token
    },
    () => userinfo(school, token),
  ]
  for (const [index, step] of [...steps.slice(0, upTo), async () => {}].entries()) {
    for (const { what, times } of strangers.filter(({ before }) => before === index)) {
      const { signedIn, view } = school
      school.network = '198.51.100.9'
      school.signedIn = null
      for (let time = 0; time < times; time++) await HOSTILE[what]!(school, known)
      Object.assign(school, { network: HOME, signedIn, view })
    }
    await step()
    school.clock.now += 1
  }
  const found: Explained[] = []
  for (let before: string | null | undefined; before !== null;) {
    const page = await school.attempts.list(school.manager, { limit: 100, before: before ?? null })
    found.push(...page.attempts)
    before = page.next
  }
  const home = recorderOf(school.site).hashOf(HOME)
  return found
    .filter(({ network }) => network === home)
    .map((attempt) => ({
      startedAt: attempt.startedAt - T,
      clientName: attempt.clientName,
      scopes: attempt.scopes,
      steps: stagesOf(attempt),
      times: attempt.steps.map(({ at }) => at - T),
      isAllFromHome: attempt.steps.every(({ network }) => network === home || network === null),
      ...attempt.explanation,
      id: null,
    }))
}

let sites = 0

describe.each(['memory', 'PGlite'])(
  'an attempt that strangers know, with attempts in %s',
  (kind) => {
    let database: PGlite | null = null
    beforeAll(async () => {
      if (kind === 'memory') return
      database = await PGlite.create({ loadDataDir: await emptyCluster() })
      await migratePostgres({ execute: (sql, parameters) => database!.query(sql, parameters) })
    })
    afterAll(() => database?.close())
    const open = (): AttemptStore =>
      database === null
        ? createMemoryAttempts()
        : createPostgresAttempts({
            execute: (sql, parameters) => database!.query(sql, parameters),
            site: `site ${++sites}`,
          })

    it('has the same record and explanation as without them [ATT-13]', async () => {
      const undisturbed = new Map<number, readonly object[]>()
      const stranger = fc.record({
        before: fc.nat(6),
        what: fc.constantFrom(...Object.keys(HOSTILE)),
        times: fc.constantFrom(1, 1, 1, 2, 33),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 6 }),
          fc.array(stranger, { minLength: 1, maxLength: 6 }),
          async (upTo, strangers) => {
            const alone = undisturbed.get(upTo) ?? (await connect(open(), upTo, []))
            undisturbed.set(upTo, alone)
            expect(alone).toHaveLength(1)
            expect(await connect(open(), upTo, strangers)).toEqual(alone)
          },
        ),
        { numRuns: rounds(kind === 'memory' ? 40 : 8, { soak: 2000 }) },
      )
    })

    it.each(Object.keys(HOSTILE))(
      'is not changed by %s before each step [ATT-13]',
      async (what) => {
        const strangers = [0, 1, 2, 3, 4, 5, 6].map((before) => ({ before, what, times: 2 }))
        expect(await connect(open(), 6, strangers)).toEqual(await connect(open(), 6, []))
      },
    )
  },
)
