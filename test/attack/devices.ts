import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { addClient, addSigner, asserting, basic, DEVICE_GRANT, SECRET, withSecret } from '../support/attack/block-clients.js' // prettier-ignore
import { form } from '../support/attack/requests.js'
import {
  type Attack,
  type AttackClass,
  type Exchange,
  mutated,
  sampled,
} from '../support/attack/run.js'
import type { Service } from '../support/attack/service.js'
import type { Answer } from '../support/attack/wire.js'
import { attribute, filledIn } from '../support/http/forms.js'
import type { Fields } from '../support/school/flow.js'

const TOKEN = '/api/oauth/token'
const ASK = '/api/oauth/device_authorization'
const PAGE = '/oauth/device'
const CLIENT = 'attacks-device'
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
/** A browser that sends a form of the school's own page. */
const SAME = { 'sec-fetch-site': 'same-origin' } as const

interface Codes {
  readonly device_code: string
  readonly user_code: string
}

/** The browser of one of the staff, who is signed in. */
interface Browser {
  readonly cookie: string
  /** What the form for a code sends as `csrf_token`. */
  readonly csrfToken: string
}

async function begin(service: Service, changes: Fields = {}): Promise<Codes> {
  const { text } = await service.send(form(ASK, { client_id: CLIENT, scope: 'openid courses:read', ...changes })) // prettier-ignore
  const codes = JSON.parse(text) as Codes
  if (codes.device_code === undefined) throw new Error(`no code: ${text}`)
  service.secrets.add(codes.device_code)
  return codes
}

const poll = (service: Service, { device_code }: Codes, changes: Fields = {}): Promise<Answer> =>
  service.send(
    form(TOKEN, { grant_type: DEVICE_GRANT, client_id: CLIENT, device_code, ...changes }),
  )
const errorOf = ({ text }: Answer): string => (JSON.parse(text) as { error?: string }).error ?? 'tokens' // prettier-ignore

const formIn = ({ text }: Answer, part: string): string =>
  (text.match(/<form[^]*?<\/form>/g) ?? []).find((one) => one.includes(part)) ?? ''
const csrfIn = (form: string): string =>
  attribute(/<input[^>]*name="csrf_token"[^>]*>/.exec(form)?.[0] ?? '', 'value') ?? ''

/** Signs a manager in who is nobody else, because each may enter 20 codes. */
async function newBrowser(service: Service): Promise<Browser> {
  const id = `mem_attacks_${randomBytes(6).toString('hex')}`
  await service.execute(
    `insert into school_person (site, member_id, name, email, role) values ('site_lantern', $1, 'Manager', $2, 'manager')`,
    [id, `${id}@example.com`],
  )
  const { cookie } = await service.signIn(id)
  const page = await service.send({ path: PAGE, headers: { cookie } })
  const own = [page.headers['set-cookie'] ?? []].flat().map((one) => one.split(';', 1)[0]!).filter((one) => one.startsWith('hallpass=')) // prettier-ignore
  const csrfToken = csrfIn(formIn(page, 'name="user_code"'))
  if (own.length !== 1 || csrfToken === '') throw new Error(`no form: ${page.status} ${page.text}`)
  return { cookie: `${cookie}; ${own[0]}`, csrfToken }
}

const enter = (service: Service, { cookie, csrfToken }: Browser, user_code: string): Promise<Answer> =>
  service.send(form(PAGE, { csrf_token: csrfToken, user_code }, { cookie, ...SAME })) // prettier-ignore

/** Whether the page asks for the consent of a person. */
const isQuestion = ({ status, text }: Answer): boolean =>
  status === 200 && text.includes('name="decision"')

/** What the form of the question sends. */
const answerOf = (question: Answer, decision: string): Fields =>
  Object.fromEntries(
    [...filledIn(formIn(question, 'name="decision"'), { decision })].map(
      ([name], _, all) => [name, all.filter(([other]) => other === name).map(([, value]) => value)] as const,
    ),
  ) // prettier-ignore

const decide = (service: Service, { cookie }: Browser, fields: Fields, headers: Record<string, string> = SAME): Promise<Answer> =>
  service.send(form(PAGE, fields, { cookie, ...headers })) // prettier-ignore

/** Enters a code and decides, as a person does. */
async function settle(service: Service, browser: Browser, codes: Codes, decision: string): Promise<Fields> {
  const question = await enter(service, browser, codes.user_code)
  if (!isQuestion(question)) throw new Error(`no question: ${question.status} ${question.text.slice(0, 300)}`) // prettier-ignore
  const fields = answerOf(question, decision)
  const done = await decide(service, browser, fields)
  if (done.status !== 200) throw new Error(`not decided: ${done.status} ${done.text.slice(0, 300)}`)
  return fields
} // prettier-ignore

const exchange = (name: string, times: number, run: Exchange['run']): Exchange => ({ name, times, run }) // prettier-ignore
const unless = (isRight: boolean, fault: string): readonly string[] => (isRight ? [] : [fault])

/** Codes after a person has decided, and before; by the device, by others, and by everyone at a time. */
const EXCHANGES: readonly Exchange[] = [
  ...[0, 1, 2].map((turn) =>
    exchange(`eight polls of an allowed code, ${turn}`, 10, async (service) => {
      const codes = await begin(service)
      await settle(service, await newBrowser(service), codes, 'allow')
      const answers = await Promise.all(Array.from({ length: 8 }, () => poll(service, codes)))
      const given = answers.filter(({ status }) => status === 200).length
      return unless(given === 1, `${given} of 8 got tokens`)
    }),
  ),
  exchange('an allowed code in the hands of others', 14, async (service) => {
    const codes = await begin(service)
    await settle(service, await newBrowser(service), codes, 'allow')
    const faults: string[] = []
    for (const [name, changes] of [
      ['another device', { client_id: 'desk-cli' }],
      ['an app of members', { client_id: 'study-buddy' }],
      ['a vendor', { client_id: 'acme-agents' }],
      ['a document', { client_id: 'https://notes.example/client.json' }],
      ['a client with a secret', { client_id: 'attacks-device-secret', client_secret: SECRET }],
      ['no one', { client_id: null }],
      [
        'a code exchange',
        {
          grant_type: 'authorization_code',
          code: codes.device_code,
          code_verifier: codes.device_code,
          redirect_uri: DEVICE_GRANT,
        },
      ],
      [
        'a code exchange without redirect_uri',
        {
          grant_type: 'authorization_code',
          code: codes.device_code,
          code_verifier: codes.device_code,
        },
      ],
      ['a refresh', { grant_type: 'refresh_token', refresh_token: codes.device_code }],
      ['the user code', { device_code: codes.user_code }],
      ['another resource', { resource: service.origin.kiln }],
      ['the code twice', { device_code: [codes.device_code, codes.device_code] }],
    ] as readonly (readonly [string, Fields])[]) {
      const answer = await poll(service, codes, changes)
      // That nobody else can end it is what the last poll shows, except by the code itself.
      if (answer.status === 200) faults.push(`${name} got tokens`)
    }
    return faults
  }),
  exchange('an allowed code after others have polled', 6, async (service) => {
    const codes = await begin(service)
    await settle(service, await newBrowser(service), codes, 'allow')
    const others = ['desk-cli', 'study-buddy', 'acme-agents']
    const answers = await Promise.all(
      others.map((client_id) => poll(service, codes, { client_id })),
    )
    const own = await poll(service, codes)
    return [
      ...unless(answers.every(({ status }) => status >= 400), 'another client got tokens'),
      ...unless(own.status === 200, `its own: ${own.status} ${own.text}`),
    ] // prettier-ignore
  }),
  exchange('a code that was denied', 12, async (service) => {
    const codes = await begin(service)
    const browser = await newBrowser(service)
    const fields = await settle(service, browser, codes, 'deny')
    const faults: string[] = []
    const polled = errorOf(await poll(service, codes))
    if (polled !== 'access_denied') faults.push(`the poll: ${polled}`)
    // The same form with the other button, the code again, and the code by another person.
    const again = await decide(service, browser, { ...fields, decision: 'allow' })
    if (again.text.includes('Go back to your device')) faults.push('it was allowed after all')
    for (const one of [browser, await newBrowser(service)])
      if (isQuestion(await enter(service, one, codes.user_code))) faults.push('it is asked again')
    const end = errorOf(await poll(service, codes))
    return [...faults, ...unless(end === 'access_denied', `then: ${end}`)]
  }),
  exchange('a code that was allowed, entered again', 8, async (service) => {
    const codes = await begin(service)
    await settle(service, await newBrowser(service), codes, 'allow')
    const second = await newBrowser(service)
    const before = await enter(service, second, codes.user_code)
    const given = await poll(service, codes)
    const after = await enter(service, second, codes.user_code)
    const replayed = await poll(service, codes)
    return [
      ...unless(!isQuestion(before) && !isQuestion(after), 'another person is asked'),
      ...unless(given.status === 200, `the device: ${given.text}`),
      ...unless(replayed.status === 400, `the device, again: ${replayed.status}`),
    ]
  }),
  exchange('two people who decide at the same time', 8, async (service) => {
    const codes = await begin(service)
    const browsers = [await newBrowser(service), await newBrowser(service)] as const
    const forms = await Promise.all(
      browsers.map(async (one) => answerOf(await enter(service, one, codes.user_code), 'allow')),
    )
    const answers = await Promise.all(
      browsers.map((one, index) => decide(service, one, forms[index]!)),
    )
    const allowed = answers.filter(({ text }) => text.includes('Go back to your device')).length
    return unless(allowed === 1, `${allowed} of 2 people allowed it`)
  }),
  exchange('a client that is disabled meanwhile', 5, async (service) => {
    const clientId = 'attacks-device-ending'
    const codes = await begin(service, { client_id: clientId })
    await settle(service, await newBrowser(service), codes, 'allow')
    await service.execute(`update hallpass_client set record = (record::jsonb || '{"disabled":true}')::text where client_id = $1`, [clientId]) // prettier-ignore
    const answer = await poll(service, codes, { client_id: clientId })
    return unless(answer.status >= 400, `${answer.status} ${answer.text}`)
  }),
  exchange('polls without a pause', 12, async (service) => {
    const codes = await begin(service)
    const errors = new Set<string>()
    for (let turn = 0; turn < 12; turn++) errors.add(errorOf(await poll(service, codes)))
    return unless(errors.has('slow_down') && !errors.has('tokens'), [...errors].join())
  }),
  exchange('codes that one person guesses', 60, async (service) => {
    const codes = await begin(service)
    const browser = await newBrowser(service)
    const guesses = sampled(fc.array(fc.constantFrom(...LETTERS), { minLength: 8, maxLength: 8 }), 58) // prettier-ignore
    let paced = 0
    for (const letters of guesses) {
      const answer = await enter(service, browser, letters.join(''))
      if (isQuestion(answer)) return [`${letters.join('')} was found`]
      if (answer.status === 429) paced += 1
    }
    // Who guessed may not enter the right one either, and another person may.
    const own = await enter(service, browser, codes.user_code)
    const other = await enter(service, await newBrowser(service), codes.user_code)
    return [
      ...unless(paced >= 30, `${paced} guesses were refused`),
      ...unless(own.status === 429, `after the guesses: ${own.status}`),
      ...unless(isQuestion(other), `another person: ${other.status}`),
    ]
  }),
]

/** Only the person who reads a code on a device of their own lets it in, for its own client, once. */
export const devices: AttackClass = {
  name: 'devices',
  least: 470,
  async build(service) {
    const loopback = { kind: 'loopback', redirectUris: ['http://127.0.0.1/callback'] } as const
    await addClient(service, { clientId: CLIENT, ...loopback })
    await addClient(service, { clientId: 'attacks-device-ending', ...loopback })
    await addClient(service, { clientId: 'attacks-device-secret', ...loopback, ...withSecret() })
    await addClient(service, { clientId: 'attacks-device-off', ...loopback, disabled: true })
    await addClient(service, { clientId: 'attacks-device-member', ...withSecret() })
    const signer = await addSigner(service, { clientId: 'attacks-device-signer' })
    const waiting = await begin(service)
    const browser = await newBrowser(service)
    const victim = await newBrowser(service)
    const attacks: (Attack | Exchange)[] = [...EXCHANGES]
    const token = (name: string, fields: Fields, headers: Record<string, string> = {}): void =>
      void attacks.push({ name, request: form(TOKEN, { grant_type: DEVICE_GRANT, client_id: CLIENT, ...fields }, headers), statuses: [400, 401], without: ['"access_token"'] }) // prettier-ignore
    for (const device_code of mutated(waiting.device_code, 120)) token(`the device code ${device_code}`, { device_code }) // prettier-ignore
    for (const device_code of [waiting.user_code, '', `hpd_${'A'.repeat(43)}.9999999999`, `hpd_${'A'.repeat(43)}.0`, `hpd_${'A'.repeat(43)}.-1`, `hpd_${'A'.repeat(43)}`, 'x'.repeat(5000), '__proto__'])
      token(`the device code ${device_code.slice(0, 60)}`, { device_code }) // prettier-ignore

    // Who may not ask for a code, and what no one may ask for.
    const ask = (name: string, fields: Fields, headers: Record<string, string> = {}): void =>
      void attacks.push({ name: `asks: ${name}`, request: form(ASK, { client_id: CLIENT, scope: 'openid courses:read', ...fields }, headers), statuses: [400, 401, 403], without: ['"device_code"'] }) // prettier-ignore
    for (const client_id of ['study-buddy', 'acme-agents', 'claude', 'old-tracker', 'attacks-device-off', 'attacks-device-signer', 'attacks-device-secret', 'portfolio-hub', 'https://notes.example/client.json', 'https://desk.example/client.json', 'https://bad.example/client.json', 'https://evil.test/client.json', 'nobody', '', null, [CLIENT, CLIENT]])
      for (const scope of ['openid', 'courses:read', null]) ask(`${JSON.stringify(client_id)} for ${scope}`, { client_id, scope }) // prettier-ignore
    ask('a member client with its secret', { client_id: 'attacks-device-member', client_secret: SECRET }) // prettier-ignore
    ask('a client that signs', { client_id: signer.clientId, ...asserting(await signer.sign()) })
    ask('with a secret', { client_secret: SECRET })
    ask('with Basic of another', {}, basic('attacks-device-secret', SECRET))
    for (const fields of [{ scope: 'till' }, { scope: '*' }, { scope: 'account:read' }, { resource: service.origin.kiln }, { resource: 'https://evil.test' }])
      ask(JSON.stringify(fields), fields) // prettier-ignore
    for (const headers of [{ origin: 'https://evil.test' }, { origin: service.origin.kiln }, { origin: 'null' }, { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-site' }])
      ask(`from a page, ${JSON.stringify(headers)}`, {}, headers) // prettier-ignore

    // The page in the browser of somebody who only follows links, or visits another site.
    const page = (name: string, request: Attack['request'], statuses: readonly number[]): void =>
      void attacks.push({
        name: `the page: ${name}`,
        request,
        statuses,
        without: ['Go back to your device'],
        fault: (answer) => (isQuestion(answer) ? 'it asks, or has decided' : null),
      })
    const link = (query: string): string => `${PAGE}?user_code=${waiting.user_code}${query}`
    for (const query of ['', '&decision=allow', '&decision=allow&csrf_token=x', `&decision=allow&csrf_token=${victim.csrfToken}`, `&csrf_token=${victim.csrfToken}`, '&user_code=x', '&auto=1', '#allow'])
      for (const headers of [{ cookie: victim.cookie }, {}, { cookie: victim.cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, { cookie: victim.cookie, 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' }])
        page(`GET ${query}`, { path: link(query), headers }, [200, 303, 307, 400]) // prettier-ignore
    for (const method of ['HEAD', 'PUT', 'DELETE', 'PATCH'])
      page(method, { method, path: link('&decision=allow'), headers: { cookie: victim.cookie, ...SAME } }, [204, 405]) // prettier-ignore
    const crossing: readonly Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': '' }, { 'sec-fetch-site': 'SAME-ORIGIN' },
      { origin: 'https://evil.test' }, { origin: service.origin.kiln }, { origin: 'null', 'sec-fetch-site': 'cross-site' }, { origin: service.origin.lantern, 'sec-fetch-site': 'cross-site' },
    ] // prettier-ignore
    const answers: readonly Fields[] = [{}, { decision: 'allow' }, { decision: 'deny' }, { decision: 'allow', scope: 'courses:read' }] // prettier-ignore
    for (const headers of crossing)
      for (const more of answers)
        page(`a form of another site, ${JSON.stringify(headers)} ${JSON.stringify(more)}`, form(PAGE, { csrf_token: victim.csrfToken, user_code: waiting.user_code, ...more }, { cookie: victim.cookie, ...headers }), [400, 403]) // prettier-ignore
    const tokens: readonly (string | readonly string[] | null)[] = [null, '', 'x', browser.csrfToken, `${victim.csrfToken}x`, victim.csrfToken.slice(1), victim.csrfToken.toUpperCase(), [browser.csrfToken, victim.csrfToken]] // prettier-ignore
    for (const csrf_token of tokens)
      page(`the token ${JSON.stringify(csrf_token)?.slice(0, 20)}`, form(PAGE, { csrf_token, user_code: waiting.user_code }, { cookie: victim.cookie, ...SAME }), [400, 403]) // prettier-ignore
    for (const csrf_token of [null, '', 'x', browser.csrfToken, victim.csrfToken])
      page(`a decision with the token ${JSON.stringify(csrf_token)?.slice(0, 20)}`, form(PAGE, { csrf_token, user_code: waiting.user_code, decision: 'allow', scope: ['openid', 'courses:read'] }, { cookie: victim.cookie, ...SAME }), [400, 403]) // prettier-ignore
    const [session = '', own = ''] = victim.cookie.split('; ')
    for (const [name, cookie] of [['no cookie', ''], ['no session', own], ['no browser', session], ['the browser of another', `${session}; ${browser.cookie.split('; ')[1]}`], ['the session of another', `${browser.cookie.split('; ')[0]}; ${own}`], ['a made-up browser', `${session}; hallpass=${'A'.repeat(43)}`]] as const)
      for (const more of answers.slice(0, 2))
        page(`${name} ${JSON.stringify(more)}`, form(PAGE, { csrf_token: victim.csrfToken, user_code: waiting.user_code, ...more }, { ...(cookie !== '' && { cookie }), ...SAME }), [200, 303, 400, 403]) // prettier-ignore
    // Texts that are no code cost nothing, and find nothing.
    for (const user_code of ['', ' ', 'x', 'AAAA-AAAA', '%', "' or '1'='1", '<x-pwned>', '../x', '\0', 'x'.repeat(5000), 'WDJB', `${waiting.user_code}X`, waiting.user_code.slice(1), ['x', waiting.user_code]])
      page(`the code ${JSON.stringify(user_code).slice(0, 30)}`, form(PAGE, { csrf_token: browser.csrfToken, user_code }, { cookie: browser.cookie, ...SAME }), [400]) // prettier-ignore
    for (const changed of mutated(`${PAGE}?user_code=${waiting.user_code}`, 60).filter((one) => /^\/[\x21-\x7e]*$/.test(one)))
      page(`the link ${changed}`, { path: changed, headers: { cookie: victim.cookie } }, [200, 303, 307, 308, 400, 404]) // prettier-ignore

    return {
      attacks,
      controls: [
        { name: 'the device still waits', request: form(TOKEN, { grant_type: DEVICE_GRANT, client_id: CLIENT, device_code: waiting.device_code }), statuses: [400], fault: ({ text }) => (text.includes('authorization_pending') ? null : 'nobody may have decided') },
        { name: 'the person of the device is asked', request: form(PAGE, { csrf_token: victim.csrfToken, user_code: waiting.user_code }, { cookie: victim.cookie, ...SAME }), statuses: [200], fault: (answer) => (isQuestion(answer) ? null : 'it does not ask') },
      ],
      changes: {
        // People and devices of the exchanges, who are let in as they should be.
        school_person: 'any', school_session: 'any', hallpass_use: 1, hallpass_client: 0, hallpass_code: 'any', hallpass_grant: 'any',
        hallpass_access_token: 'any', hallpass_refresh_token: 'any', hallpass_consent: 'any', hallpass_erasure: 'any',
      },
    } // prettier-ignore
  },
}
