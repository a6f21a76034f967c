import { erasePerson, type Moment, type Visit, type Watcher } from 'hallpass/operations'
import { createProtectedResource, OptionsError, type SiteOptions } from 'hallpass'
import { createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { Context } from '../../src/http/context.js'
import { createEndpoint, PUBLIC } from '../../src/http/frame.js'
import { json } from '../../src/http/respond.js'
import { refuse } from '../../src/policy/decision.js'
import {
  approve,
  authorizationUrl,
  codeForm,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  redeem,
  refresh,
  REDIRECT,
  STATE,
  tokensOf,
  userinfo,
  VERIFIER,
} from '../support/school/flow.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'
import { waitFor } from '../support/processes/wait.js'

const watched = (...watchers: readonly Watcher[]): Pick<SiteOptions, 'watchers'> => ({
  watchers: watchers.map((watcher) => () => watcher),
})

/** An endpoint of a site with these watchers, and what it reports. */
function open(
  watchers: readonly Watcher[],
  serve: Parameters<typeof createEndpoint>[2] = async () => json(200, {}),
) {
  const { site, faults, events, refusals } = testSite(watched(...watchers))
  const errors = { refusal: () => json(400, {}), failure: () => json(500, {}) }
  const endpoint = createEndpoint(site, { ...PUBLIC, name: 'a', errors }, serve)
  const call = (): Promise<Response> => endpoint(new Request(`${site.issuer}/a?b=c`))
  return { site, faults, events, refusals, call }
}

/** Every text that can be reached from a value, by its own members and those of its class. */
function textsIn(value: unknown, seen = new Set<unknown>()): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const names = new Set<PropertyKey>()
  for (
    let one: object | null = value;
    one !== null;
    one = Object.getPrototypeOf(one) as object | null
  )
    if (one !== Object.prototype) for (const name of Reflect.ownKeys(one)) names.add(name)
  return [...names].flatMap((name) => {
    const member: unknown = Reflect.get(value, name)
    return typeof member === 'function' ? [] : textsIn(member, seen)
  })
}

/** Does what a client does, right and wrong, and returns what is secret in it. */
async function useAll(school: School): Promise<readonly string[]> {
  const browser = createBrowser(school)
  await browser.open(authorizationUrl())
  const { view } = school.view as { view: { returnTo: string } }
  await browser.open(authorizationUrl({ redirect_uri: `${REDIRECT}?hidden-path` }))
  const code = await approve(school, PORTFOLIO_REQUEST)
  const form = codeForm(code, { ...PORTFOLIO_FORM, client_id: 'portfolio-hub' })
  await post(school, '/api/oauth/token', { ...form, grant_type: 'hidden-grant' })
  await post(school, '/api/oauth/token', { ...form, client_secret: 'hidden-secret' })
  await post(school, '/api/oauth/token', { ...form, code_verifier: `${VERIFIER}-hidden` })
  const tokens = await tokensOf(await post(school, '/api/oauth/token', form))
  await refresh(school, tokens.refresh_token, PORTFOLIO_FORM)
  await refresh(school, 'hpr_hidden-token', PORTFOLIO_FORM)
  await userinfo(school, tokens.access_token)
  await userinfo(school, 'hpa_hidden-token')
  await post(school, '/api/oauth/token', form, { 'content-type': 'text/hidden' })
  const interaction = view.returnTo.slice(view.returnTo.lastIndexOf('/') + 1)
  const { access_token, refresh_token, id_token } = tokens
  const secrets = [
    code,
    VERIFIER,
    STATE,
    PORTFOLIO_SECRET,
    interaction,
    'hidden',
    'sha256',
    REDIRECT,
  ]
  return [...secrets, access_token, refresh_token, id_token!]
}

describe('watchers', () => {
  it('see no header, parameter, body, token or secret [WATCH-01]', async () => {
    const texts: string[] = []
    const types = new Set<string>()
    const endpoints = new Set<string>()
    const look = (...values: readonly unknown[]): null => {
      texts.push(...values.flatMap((value) => textsIn(value)))
      return null
    }
    const school = await createSchool({
      options: watched({
        note(moment, visit) {
          types.add(moment.type)
          endpoints.add(visit.endpoint)
          look(moment, visit)
        },
        used: look,
        labels: look,
        around: async (visit, serve) => look(visit, await serve()),
      }),
    })
    const secrets = await useAll(school)
    expect([...types].toSorted()).toEqual(['failure', 'page', 'refusal', 'step'])
    expect([...endpoints].toSorted()).toEqual(['authorize', 'interaction', 'token', 'userinfo'])
    expect(texts).toContain('redirect_uri_not_registered')
    expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([])
  })

  it('learn what happens, of which request, and what it leads to', async () => {
    const told: unknown[] = []
    const school = await createSchool({
      options: {
        networkOf: () => '203.0.113.7',
        ...watched({
          note(moment, { endpoint, operation, client, resource }) {
            const what = moment.type === 'step' ? moment.step.type : moment.type
            told.push([endpoint, what, operation, client?.name ?? null, resource])
          },
        }),
      },
    })
    const code = await approve(school)
    const tokens = await tokensOf(await redeem(school, code))
    await refresh(school, tokens.refresh_token)
    expect(told).toEqual([
      ['authorize', 'oauth.authorization.requested', null, 'Study Buddy', ISSUER],
      ['interaction', 'page', null, 'Study Buddy', null],
      ['interaction', 'oauth.authorization.approved', null, 'Study Buddy', null],
      ['token', 'oauth.authorization.code_redeemed', 'authorization_code', null, null],
      ['token', 'oauth.grant.created', 'authorization_code', null, null],
      ['token', 'oauth.token.issued', 'authorization_code', null, null],
      ['token', 'oauth.token.refreshed', 'refresh_token', null, null],
    ])
  })

  it('have one object for one request', async () => {
    const visits: Visit[] = []
    const { call } = open([
      {
        note: (_, visit) => visits.push(visit),
        around: (visit, serve) => (visits.push(visit), serve()),
      },
    ])
    await call()
    await call()
    expect(visits).toHaveLength(4)
    expect(new Set(visits).size).toBe(2)
  })

  it('learn of a document its path without the query', async () => {
    const moments: Moment[] = []
    await open([{ note: (moment) => moments.push(moment) }]).call()
    expect(moments).toEqual([{ type: 'document', path: '/a' }])
  })

  it('learn once what a refusal is about, and only if one notes it [WATCH-02]', async () => {
    let asked = 0
    const details: unknown[] = []
    const refusing = async (context: Context) => {
      context.detail = () => `asked ${++asked}`
      context.notifyRefusal(refuse('invalid_request', 'state_missing'))
      return refuse('invalid_request', 'state_missing')
    }
    const note: Watcher['note'] = (moment) => {
      if (moment.type === 'refusal') details.push(moment.detail)
    }
    await open([{ labels: () => null, around: (_, serve) => serve() }], refusing).call()
    await open([], refusing).call()
    expect(asked).toBe(0)
    await open([{ note }], refusing).call()
    expect(details).toEqual(['asked 1', null])
  })

  it('cost no request a look-up unless one notes what happens [WATCH-02]', async () => {
    const found: string[] = []
    const store = createMemoryStore()
    const counting = {
      ...store,
      findCode: (hash: string) => {
        found.push(hash)
        return store.findCode(hash)
      },
    }
    const wrong = codeForm('hpc_a', { grant_type: 'password' })
    for (const options of [{}, watched({ around: (_, serve) => serve() })])
      await post(await createSchool({ store: counting, options }), '/api/oauth/token', wrong)
    expect(found).toEqual([])
    const told = await createSchool({ store: counting, options: watched({ note: () => {} }) })
    await post(told, '/api/oauth/token', wrong)
    expect(found).toHaveLength(1)
  })

  it('get the response of no request: what they return changes nothing [WATCH-03]', async () => {
    const statuses: number[] = []
    const { call } = open([{ around: async (_, serve) => (statuses.push(await serve()), 'mine') }])
    const response = await call()
    expect([response.status, await response.json(), statuses]).toEqual([200, {}, [200]])
  })

  const fault = new Error('watcher')
  const fail = (): never => {
    throw fault
  }
  const reject = (): Promise<never> => Promise.reject(fault)
  const never = (): Promise<never> => new Promise(() => {})

  it.each([
    ['throw', fail, true],
    ['reject', reject, true],
    ['never answer', never, false],
  ])('that %s change and delay no response [WATCH-03]', async (_, act, isReported) => {
    const broken: Readonly<Record<string, unknown>> = {
      note: act,
      used: act,
      labels: act,
      around: act,
    }
    const plain = await createSchool()
    const school = await createSchool({ options: watched(broken) })
    const answers = await Promise.all(
      [plain, school].map(async (one) => {
        const tokens = await tokensOf(await redeem(one, await approve(one)))
        const refused = await redeem(one, 'hpc_wrong')
        const { access_token } = tokens
        const gate = createProtectedResource(one.site).gate('account:read')
        const headers = new Headers({ authorization: `Bearer ${access_token}` })
        const admitted = await gate({ headers })
        const documented = await one.fetch(`${ISSUER}/.well-known/openid-configuration`)
        return [
          refused.status,
          await refused.json(),
          admitted instanceof Response,
          documented.status,
          (await userinfo(one, access_token)).status,
          one.events.map(({ type }) => type),
        ]
      }),
    )
    expect(answers[1]).toEqual(answers[0])
    const names = school.faults.map((one) => [one.endpoint, one.fault])
    expect(names.length > 0).toBe(isReported)
    expect(names.filter(([name, one]) => name !== 'watchers' || one !== fault)).toEqual([])
  })

  it('are served within, the first outermost, even if one waits before it serves [WATCH-03]', async () => {
    const order: string[] = []
    const around =
      (name: string): NonNullable<Watcher['around']> =>
      async (_, serve) => {
        order.push(`${name} begins`)
        await serve()
        order.push(`${name} ends`)
      }
    let [late, release] = [0, () => {}]
    const answered = new Promise<void>((resolve) => (release = resolve))
    const waiting: Watcher = {
      async around(_, serve) {
        await answered
        late = await serve()
        await serve()
        order.push('late')
      },
    }
    let served = 0
    const { call } = open(
      [{ around: around('one') }, { around: around('two') }, waiting],
      async () => {
        served++
        order.push('serves')
        return json(200, {})
      },
    )
    expect((await call()).status).toBe(200)
    release()
    await waitFor(async () => order.at(-1) === 'late')
    expect(late).toBe(200)
    expect(served).toBe(1)
    expect(order).toEqual(['one begins', 'two begins', 'serves', 'two ends', 'one ends', 'late'])
  })

  it('leave a client its refusal where the detail of it fails', async () => {
    const { call, faults, refusals } = open([{ note: () => {} }], async (context) => {
      context.detail = fail
      return refuse('invalid_request', 'state_missing')
    })
    expect((await call()).status).toBe(400)
    expect(refusals).toMatchObject([{ reason: 'state_missing' }])
    expect(faults).toMatchObject([{ endpoint: 'a', fault }])
  })
})

describe('labels', () => {
  const wrong = async (context: Context) => {
    context.notifyEvent({ type: 'oauth.client.registered', at: T, clientId: 'a', clientName: 'A' })
    return refuse('invalid_request', 'state_missing')
  }

  it('are those of the first watcher that has one, on events and notices', async () => {
    const labels = (attemptId: string) => () => ({ attemptId })
    const { call, events, refusals } = open(
      [{ labels: () => null }, { labels: labels('att_1') }, { labels: labels('att_2') }],
      wrong,
    )
    await call()
    expect(events).toMatchObject([{ attemptId: 'att_1' }])
    expect(refusals).toMatchObject([{ attemptId: 'att_1' }])
  })

  it.each([
    ['a member that is no label', { type: 'mine', at: 0, requestId: 'mine', reason: 'mine' }],
    ['a label of another type', { attemptId: 7 }],
  ])('that have %s change no event and no notice', async (_, labels) => {
    const reported = await Promise.all(
      [[], [{ labels: () => labels as object }]].map(async (watchers) => {
        const { call, events, refusals } = open(watchers, wrong)
        await call()
        return [...events, ...refusals].map((one) => ({ ...one, requestId: null }))
      }),
    )
    expect(reported[1]).toEqual(reported[0])
  })

  it('of a use are those of the refusal', async () => {
    const { site, refusals, tokenFor } = testSite(watched({ used: () => ({ attemptId: 'att_1' }) }))
    const authorization = `Bearer ${await tokenFor(STUDENT, 'account:read')}`
    await createProtectedResource(site).gate('courses:read')({
      headers: new Headers({ authorization }),
    })
    expect(refusals).toMatchObject([{ endpoint: 'gate', attemptId: 'att_1' }])
  })
})

describe('maintain', () => {
  it('lets each watcher delete, also behind one that fails or never ends [WATCH-04]', async () => {
    const asked: number[] = []
    const fault = new Error('away')
    const { site, faults } = testSite({
      callDeadlineMilliseconds: 1,
      ...watched(
        { maintain: () => Promise.reject(fault) },
        { maintain: () => new Promise(() => {}) },
        { maintain: async (now) => void asked.push(now) },
      ),
    })
    await site.watcher.maintain!(7)
    expect(asked).toEqual([7])
    expect(faults).toMatchObject([
      { endpoint: 'watchers', fault },
      {
        endpoint: 'watchers',
        fault: { cause: { message: 'maintain of a watcher did not respond within 20 ms' } },
      },
    ])
  })
})

describe('an erasure', () => {
  it('is that of each watcher too, and fails if one of theirs does [WATCH-04]', async () => {
    const asked: unknown[] = []
    const { site } = testSite(watched({ erase: async (texts) => void asked.push(texts) }))
    await erasePerson(site, { subject: 'mem_mei', loginHints: ['mei@school.example'] })
    expect(asked).toEqual([['mei@school.example']])

    const fault = new Error('away')
    const failing = testSite(watched({ erase: () => Promise.reject(fault) }))
    await expect(erasePerson(failing.site, { subject: 'mem_mei' })).rejects.toBe(fault)
  })
})

describe('the option watchers', () => {
  const mistakesOf = (watchers: unknown): readonly string[] => {
    try {
      testSite({ watchers: watchers as never })
    } catch (error) {
      if (error instanceof OptionsError) return error.mistakes
    }
    return []
  }
  const FUNCTION = 'a function such as recordAttempts(createMemoryAttempts())'
  const OBJECT = 'an object such as { note }'

  it.each([
    [42, `watchers must be an array in which each item is ${FUNCTION}, not a number`],
    [[42], `watchers[0] must be ${FUNCTION}, not a number`],
    [[() => ({ note() {} }), { note() {} }], `watchers[1] must be ${FUNCTION}, not an object`],
    [[() => 42], `watchers[0]() must be ${OBJECT}, not a number`],
    [[async () => ({ note() {} })], `watchers[0]() must be ${OBJECT}, not a Promise`],
    [[() => ({})], `watchers[0]() must be ${OBJECT}, not an object`],
    [[() => ({ notes() {} })], 'watchers[0]().notes is not an option: did you mean note?'],
    [
      [() => ({ around: 42 })],
      'watchers[0]().around must be a function such as (visit, serve) => serve(), not a number',
    ],
  ])('names what is wrong: %s [WATCH-05]', (watchers, mistake) => {
    expect(mistakesOf(watchers)).toEqual([mistake])
  })

  it('gives each watcher a few members of its site, once', () => {
    const given: unknown[] = []
    const { site, faults } = testSite({
      callDeadlineMilliseconds: 7,
      watchers: [
        (one) => {
          given.push(one.now(), one.callDeadlineMilliseconds, one.randomBytes(3).length)
          one.notifyFault('mine', 'fault')
          return { note() {} }
        },
      ],
    })
    expect(given).toEqual([site.now(), 7, 3])
    expect(faults).toMatchObject([{ endpoint: 'mine', fault: 'fault' }])
    expect(site.watchers).toHaveLength(1)
  })
})
