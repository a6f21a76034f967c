import { type Attack, type AttackClass, type Exchange, pairs } from '../support/attack/run.js'
import { authorizePath, form } from '../support/attack/requests.js'
import { FORM_HEADERS, PASSWORD, type Session } from '../support/attack/service.js'
import { OF_A_FLOW, type RungClass } from '../support/attack/rungs.js'
import type { Sent } from '../support/attack/wire.js'

/** Where a sign-in may not lead. */
const RETURN_TO: readonly string[] = [
  'https://evil.test/', '//evil.test', '///evil.test', '/\\evil.test', '\\\\evil.test', '/\t/evil.test', '/\n/evil.test',
  '\t//evil.test', 'javascript:alert(1)', 'data:text/html,x', '/oauth/authorize', '/oauth/interaction/../../..//evil.test',
  '/oauth/applications/../../sign-out', '/oauth/applications//evil.test/..', '/oauth/applications/%2e%2e/x', '/%2f%2fevil.test',
  '/oauth/applicationsx', '/oauth/interaction/', '/.evil.test', '@evil.test', 'evil.test', '/?next=//evil.test', '/#//evil.test',
  '/sign-out', '/api/oauth/token', 'http:evil.test', '/oauth/applications\r\nx-injected: 1', '/oauth/applications\u0000',
  `/oauth/applications/${'a'.repeat(9000)}`, '\u2028//evil.test',
] // prettier-ignore

/** People who can sign in, in turn: each has thirty tries in ten minutes. */
const EMAILS = [
  'mei-ling.chou', 'jonas.brandt', 'priya.nair', 'lucia.ferrari', 'noor.haddad', 'sam.okafor', 'yuki.tan', 'amara.obi',
].map((name) => `${name}@example.com`) // prettier-ignore

/** Every form of the school, with fields with which it would do something. */
const FORMS: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
  ['/sign-in', { email: EMAILS[0]!, password: PASSWORD, return_to: '/' }],
  ['/sign-out', { return_to: '/' }],
  ['/oauth/applications/new', { name: 'Forged', redirect_uris: 'https://evil.test/cb', scope: 'account:read', auth_method: 'none' }],
  ['/oauth/applications/beta', { enabled: '0' }],
  ['/oauth/applications/study-buddy/edit', { name: 'Forged', redirect_uris: 'https://evil.test/cb', scope: 'account:read', revision: '1' }],
  ['/oauth/applications/portfolio-hub/rotate', { overlap_hours: '0' }],
  ['/oauth/applications/portfolio-hub/end-old-secret', {}],
  ['/oauth/applications/study-buddy/disable', {}],
  ['/oauth/applications/old-tracker/enable', {}],
  ['/oauth/applications/study-buddy/delete', { confirm: 'study-buddy' }],
  ['/oauth/applications/study-buddy/disconnect', { subject: 'mem_l05' }],
  ['/oauth/applications/study-buddy/disconnect-all', {}],
  [`/oauth/applications/${encodeURIComponent('https://notes.example/client.json')}/review`, { scope: 'courses:write' }],
  [`/oauth/applications/${encodeURIComponent('https://notes.example/client.json')}/block`, {}],
  [`/oauth/applications/${encodeURIComponent('https://bad.example/client.json')}/unblock`, {}],
  [`/oauth/applications/${encodeURIComponent('https://notes.example/client.json')}/fetch`, {}],
  ['/oauth/authorized_applications/disconnect', { client_id: 'study-buddy' }],
] // prettier-ignore

/** Forgeries of a form: what another page, another browser or another program can send. */
function forgeries(
  [path, fields]: (typeof FORMS)[number],
  own: Session,
  other: Session,
): readonly (readonly [name: string, request: Sent])[] {
  const sent = (
    changes: Readonly<Record<string, string | readonly string[] | null>>,
    headers: Readonly<Record<string, string>> = {},
  ): Sent =>
    form(path, { ...fields, csrf_token: own.csrfToken, ...changes }, { cookie: own.cookie, ...headers }) // prettier-ignore
  const body = String(new URLSearchParams({ ...fields, csrf_token: own.csrfToken }))
  return [
    ['without a token', sent({ csrf_token: null })],
    ['with an empty token', sent({ csrf_token: '' })],
    ['with a guess', sent({ csrf_token: 'guess' })],
    ["with another person's token", sent({ csrf_token: other.csrfToken })],
    ['with a token with a character more', sent({ csrf_token: `${own.csrfToken}=` })],
    ['with a token in other letters', sent({ csrf_token: own.csrfToken.toUpperCase() })],
    ['with a NUL behind the token', sent({ csrf_token: `${own.csrfToken}\u0000` })],
    ['with a wrong token before the right one', sent({ csrf_token: ['guess', own.csrfToken] })],
    ['with its token in the query', { ...sent({ csrf_token: null }), path: `${path}?csrf_token=${own.csrfToken}` }], // prettier-ignore
    ['with its token in a header', sent({ csrf_token: null }, { 'x-csrf-token': own.csrfToken })],
    ['from another origin', sent({}, { origin: 'https://evil.test' })],
    ['from a name like the origin', sent({}, { origin: 'http://127.0.0.1.evil.test' })],
    ['from another port', sent({}, { origin: 'http://127.0.0.1:1' })],
    ['from a sandboxed frame of another site', sent({}, { origin: 'null', 'sec-fetch-site': 'cross-site' })], // prettier-ignore
    ['from another site', sent({}, { 'sec-fetch-site': 'cross-site' })],
    ['from a sibling site', sent({}, { 'sec-fetch-site': 'same-site' })],
    ['without a cookie', sent({}, { cookie: '' })],
    ['with the cookie of another browser', sent({}, { cookie: other.cookie })],
    ['as text', { path, body, headers: { cookie: own.cookie, 'content-type': 'text/plain' } }],
    ['as JSON', { path, body: JSON.stringify({ ...fields, csrf_token: own.csrfToken }), headers: { cookie: own.cookie, 'content-type': 'application/json' } }], // prettier-ignore
    ['as a multipart form', { path, body, headers: { cookie: own.cookie, 'content-type': 'multipart/form-data; boundary=x' } }], // prettier-ignore
    ['too large', { path, body: `${body}&x=${'x'.repeat(20_000)}`, headers: { cookie: own.cookie, ...FORM_HEADERS } }], // prettier-ignore
  ]
}

const COOKIES: readonly string[] = [
  '', 'x', '=', ';', ';;;', '=;=', '"', 'a=b=c', '\u00e9=\u00e9', '__proto__=x', 'constructor=x', 'school_site_lantern', 'school_site_lantern=',
  'school_site_lantern=null', 'school_site_lantern=../../x', "school_site_lantern=' or 1=1 --", `school_site_lantern=${'a'.repeat(43)}`,
  `school_site_lantern=${'a'.repeat(44)}`, `school_site_lantern="${'a'.repeat(43)}"`, `school_site_lantern=${'%61'.repeat(43)}`,
  `school_site_lantern=${'a'.repeat(8000)}`, 'a=b; '.repeat(1500), 'school_site_lantern=%', 'school_site_lantern=%00',
  `SCHOOL_SITE_LANTERN=${'a'.repeat(43)}`, `school_known_site_lantern=${'a'.repeat(22)}.99999999999.${'a'.repeat(43)}`,
] // prettier-ignore

/** A form counts only from its own page, in the browser and for the person that it was made for. */
export const sessions: AttackClass = {
  name: 'sessions and CSRF',
  least: 780,
  async build(service) {
    const { origin } = service
    const owner = await service.signIn('mem_l01')
    const student = await service.signIn('mem_l05')
    const nobody = await service.signIn(null)
    const attacks: (Attack | Exchange)[] = []

    for (const one of FORMS) {
      for (const [name, request] of forgeries(one, owner, student))
        attacks.push({ name: `${one[0]} ${name}`, request, statuses: [403] })
      // A link, an image or a prefetch.
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])
        attacks.push({
          name: `${method} ${one[0]}`,
          request: {
            method,
            path: `${one[0]}?${new URLSearchParams({ ...one[1], csrf_token: owner.csrfToken })}`,
            headers: { cookie: owner.cookie },
          },
          statuses: method === 'GET' || method === 'HEAD' ? [200, 303, 404, 405] : [404, 405],
        })
    }

    // Whoever is signed in, these pages are for managers.
    const people = {
      lecturer: await service.signIn('mem_l03'), assistant: await service.signIn('mem_l04'), student,
      'a suspended person': await service.signIn('mem_l12'), nobody,
    } // prettier-ignore
    for (const [[path, fields], [who, session]] of pairs(
      FORMS.filter(([one]) => one.startsWith('/oauth/applications')),
      Object.entries(people),
    ))
      for (const request of [
        form(path, { ...fields, csrf_token: session.csrfToken }, { cookie: session.cookie }),
        { path, headers: { cookie: session.cookie } },
        { path: '/oauth/applications', headers: { cookie: session.cookie } },
      ])
        attacks.push({
          name: `${request.body === undefined ? 'GET' : 'POST'} ${request.path} as ${who}`,
          request,
          statuses: request.body === undefined ? [200, 403, 405] : [403],
          without: ['Portfolio Hub', 'Desk CLI', 'Old Tracker'],
        })

    for (const [cookie, path] of pairs(COOKIES, [
      '/',
      '/oauth/applications',
      '/oauth/authorized_applications',
    ]))
      // prettier-ignore
      attacks.push({
        name: `cookie ${cookie.slice(0, 40)} at ${path}`,
        request: { path, headers: { cookie } },
        statuses: [200],
        without: ['Hello,', 'Portfolio Hub'],
      })

    // A sign-in leads home, or to a page of this site that waits.
    const visitor = await service.signIn(null)
    for (const [index, returnTo] of RETURN_TO.entries())
      attacks.push({
        name: `sign in and return to ${JSON.stringify(returnTo.slice(0, 40))}`,
        request: form(
          '/sign-in',
          { email: EMAILS[index % EMAILS.length]!, password: PASSWORD, return_to: returnTo, csrf_token: visitor.csrfToken },
          { cookie: visitor.cookie },
        ),
        statuses: [303],
        fault: ({ headers: { location } }) =>
          location === '/' ? null : `it leads to ${String(location)}`,
      }) // prettier-ignore

    attacks.push({
      name: 'a session that somebody else began',
      times: 3,
      async run({ send }) {
        const planted = await service.signIn(null)
        const fields = { email: EMAILS[1]!, password: PASSWORD, return_to: '/', csrf_token: planted.csrfToken } // prettier-ignore
        const { headers } = await send(form('/sign-in', fields, { cookie: planted.cookie }))
        const faults: string[] = []
        if (JSON.stringify(headers['set-cookie']).includes(planted.cookie))
          faults.push('the browser keeps the identifier')
        const { text } = await send({ path: '/', headers: { cookie: planted.cookie } })
        if (text.includes('Hello,')) faults.push('the identifier is signed in')
        return faults
      },
    })

    // The consent form belongs to the browser, the person and the request.
    const asked = await service.send({ path: authorizePath(origin.lantern), headers: { cookie: student.cookie } }) // prettier-ignore
    const interaction = String(asked.headers['location'])
    const browser = `${student.cookie}; ${cookiesOf(asked.headers['set-cookie'])}`
    const page = await service.send({ path: interaction, headers: { cookie: browser } })
    const csrf = consentTokenOf(page.text)
    const allow = { csrf_token: csrf, decision: 'allow' }
    const strangers = `${(await service.signIn('mem_l06')).cookie}; ${cookiesOf(asked.headers['set-cookie'])}` // prettier-ignore
    const forged: readonly (readonly [string, Sent])[] = [
      ...forgeries([interaction, { decision: 'allow' }], { cookie: browser, csrfToken: csrf }, { cookie: owner.cookie, csrfToken: owner.csrfToken }), // prettier-ignore
      ["with the visitor's token", form(interaction, { ...allow, csrf_token: student.csrfToken }, { cookie: browser })], // prettier-ignore
      ['by another person in the browser', form(interaction, allow, { cookie: strangers })],
      ['without the cookie of the request', form(interaction, allow, { cookie: student.cookie })],
      [
        'at another request',
        form(`/oauth/interaction/${'a'.repeat(43)}`, allow, { cookie: browser }),
      ],
      ['with more scopes', form(interaction, { ...allow, csrf_token: `${csrf}x`, scope: 'account:write' }, { cookie: browser })], // prettier-ignore
      ['without a decision', form(interaction, { csrf_token: csrf, decision: '' }, { cookie: browser })], // prettier-ignore
      ['with two decisions', form(interaction, { csrf_token: csrf, decision: ['deny', 'allow'] }, { cookie: browser })], // prettier-ignore
      ['with another decision', form(interaction, { csrf_token: csrf, decision: 'ALLOW' }, { cookie: browser })], // prettier-ignore
      [
        'by GET',
        { path: `${interaction}?${new URLSearchParams(allow)}`, headers: { cookie: browser } },
      ],
      ['by a prefetch', { path: interaction, headers: { cookie: browser, 'sec-purpose': 'prefetch' } }], // prettier-ignore
    ]
    for (const [name, request] of forged)
      attacks.push({
        name: `the consent form ${name}`,
        request,
        statuses: request.body === undefined ? [200, 204, 503] : [400, 403, 413, 415],
        fault: ({ headers: { location } }) =>
          location === undefined ? null : `it leads to ${String(location)}`,
      })

    return {
      attacks,
      controls: [
        {
          name: 'the consent form, after all of them',
          request: form(interaction, allow, { cookie: browser, origin: origin.lantern, 'sec-fetch-site': 'same-origin' }), // prettier-ignore
          statuses: [303],
          fault: ({ headers }) =>
            String(headers['location']).includes('?code=') ? null : 'there is no code',
        },
        {
          name: "the owner's own page",
          request: { path: '/oauth/applications', headers: { cookie: owner.cookie } },
          statuses: [200],
          fault: ({ text }) => (text.includes('Portfolio Hub') ? null : 'it lists no apps'),
        },
      ],
      changes: { hallpass_code: 1, school_session: RETURN_TO.length + 1 },
    }
  },
}

const cookiesOf = (lines: string | readonly string[] | undefined): string =>
  [lines ?? []].flat().map((line) => line.split(';', 1)[0]!).join('; ') // prettier-ignore

function consentTokenOf(page: string): string {
  const allow = (page.match(/<form[^]*?<\/form>/g) ?? []).find((one) => one.includes('Allow'))
  const [, token] = /name="csrf_token"\s+value="([^"]+)"/.exec(allow ?? '') ?? []
  if (token === undefined) throw new Error(`no consent form: ${page}`)
  return token
}

/** The same for a rung: its forms are the sign-in and the consent. */
export const sessionsOfRung: RungClass = {
  name: sessions.name,
  needs: [],
  least: 90,
  async build({ authorize, cookie, issuer, open, send, signInFields, serves }) {
    const attacks: Attack[] = []
    // The identifier of a request that waits is in the form of its page, whatever the field is called.
    const field = Object.keys(signInFields).find((name) => signInFields[name]!.startsWith('/oauth/interaction/'))! // prettier-ignore
    const own = { origin: issuer, 'sec-fetch-site': 'same-origin' }
    for (const returnTo of RETURN_TO)
      attacks.push({
        name: `sign in and return to ${JSON.stringify(returnTo.slice(0, 40))}`,
        request: form('/sign-in', { ...signInFields, [field]: returnTo }, own),
        statuses: [400, 403, 404, 413],
        fault: ({ headers }) => headers['set-cookie'] === undefined ? null : 'it sets a cookie', // prettier-ignore
      })
    const body = String(new URLSearchParams(signInFields))
    for (const [name, request] of [
      ['from another site', form('/sign-in', signInFields, { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' })],
      ['from a sibling site', form('/sign-in', signInFields, { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' })],
      ['from a sandboxed frame', form('/sign-in', signInFields, { origin: 'null', 'sec-fetch-site': 'cross-site' })],
      ['as text from another site', { path: '/sign-in', body, headers: { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' } }],
      ['that is too large', { path: '/sign-in', body: `${body}&x=${'x'.repeat(300_000)}`, headers: { ...FORM_HEADERS, 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' } }],
      ...['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'].map((method) => [`by ${method}`, { method, path: `/sign-in?${body}`, headers: own }] as const),
    ] as const)
      attacks.push({
        name: `the sign-in form ${name}`,
        request,
        statuses: [0, 400, 403, 404, 405, 413],
        fault: ({ headers }) => headers['set-cookie'] === undefined ? null : 'it sets a cookie',
      }) // prettier-ignore
    for (const [text, path] of pairs(COOKIES, [
      authorize({ prompt: 'none' }),
      ...(serves.has('home') ? ['/'] : []),
    ]))
      // prettier-ignore
      attacks.push({
        name: `cookie ${text.slice(0, 40)} at ${path.slice(0, 20)}`,
        request: { path, headers: { cookie: text.replaceAll('school_site_lantern', 'session') } },
        statuses: [200, 303],
        fault: ({ headers }) => /[?&]code=/.test(String(headers['location'])) ? 'it issued a code' : null, // prettier-ignore
      })

    // The consent form belongs to the browser, the person and the request.
    const page = await open(authorize())
    const interaction = page.url.pathname
    const csrf = consentTokenOf(page.text)
    const allow = { csrf_token: csrf, decision: 'allow' }
    const asked = await send({ path: authorize() })
    const stranger = cookiesOf(asked.headers['set-cookie'])
    for (const [name, request] of [
      ...forgeries([interaction, { decision: 'allow' }], { cookie: cookie(), csrfToken: csrf }, { cookie: stranger, csrfToken: `${csrf.slice(0, -2)}xx` }),
      ['at another request', form(`/oauth/interaction/${'a'.repeat(43)}`, allow, { cookie: cookie() })],
      ['without a decision', form(interaction, { csrf_token: csrf, decision: '' }, { cookie: cookie() })],
      ['with two decisions', form(interaction, { csrf_token: csrf, decision: ['deny', 'allow'] }, { cookie: cookie() })],
      ['with another decision', form(interaction, { csrf_token: csrf, decision: 'ALLOW' }, { cookie: cookie() })],
      ['by GET', { path: `${interaction}?${new URLSearchParams(allow)}`, headers: { cookie: cookie() } }],
      ['by a prefetch', { path: interaction, headers: { cookie: cookie(), 'sec-purpose': 'prefetch' } }],
    ] as const)
      attacks.push({
        name: `the consent form ${name}`,
        request,
        statuses: request.body === undefined ? [200, 204, 503] : [400, 403, 413, 415],
        fault: ({ headers: { location } }) => location === undefined ? null : `it leads to ${String(location)}`,
      }) // prettier-ignore
    return {
      attacks,
      controls: [
        {
          name: 'the consent form, after all of them',
          request: form(interaction, allow, { cookie: cookie(), ...own }),
          statuses: [303],
          fault: ({ headers }) => String(headers['location']).includes('?code=') ? null : 'there is no code', // prettier-ignore
        },
        {
          name: 'the sign-in form',
          request: form('/sign-in', signInFields, own),
          statuses: [303],
          fault: ({ headers }) => headers['location'] === signInFields[field] ? null : `it leads to ${String(headers['location'])}`, // prettier-ignore
        },
      ],
      changes: { ...OF_A_FLOW, sessions: 1 },
    }
  },
}
