import { defineClient } from 'hallpass/clients'
import { type Judge, MARK } from '../support/attack/browser.js'
import { type Attack, type AttackClass, type Exchange, pairs } from '../support/attack/run.js' // prettier-ignore
import { authorizePath, form } from '../support/attack/requests.js'
import type { Rung, RungClass } from '../support/attack/rungs.js'
import { bearer, CALLBACK, JSON_HEADERS, type Service, tokenSupply } from '../support/attack/service.js' // prettier-ignore
import type { Answer } from '../support/attack/wire.js'

/** Texts that become markup, or run, wherever one kind of place forgets to escape them. */
const PAYLOADS: readonly string[] = [
  `<${MARK}></${MARK}>`,
  `"><${MARK}>`,
  `'><${MARK}>`,
  `</title></textarea></script></style><${MARK}><script>pwned=1</script>`,
  '" data-pwned="1',
  "' data-pwned='1' onfocus='pwned=1' autofocus='",
  'x data-pwned=1 onmouseover=pwned=1 ',
  'javascript:pwned=1//',
  '<img src=x onerror=pwned=1>',
  `&lt;${MARK}&gt;&#60;${MARK}&#62;`,
  `\${pwned=1}{{constructor.constructor('pwned=1')()}}<!--<${MARK}>-->`,
  '`onmouseover=pwned=1 `<svg/onload=pwned=1>',
  `\u003c${MARK}\u003e+ADw-${MARK}+AD4-%3C${MARK}%3E`,
  `<scr\u0000ipt>pwned=1</scr\u0000ipt><${MARK}\u0000>`,
]

/** Places that show something of the request. */
function reflected(
  payload: string,
  origin: string,
  owner: { cookie: string; csrfToken: string },
): readonly Attack['request'][] {
  // prettier-ignore
  const { cookie, csrfToken: csrf_token } = owner
  const text = encodeURIComponent(payload)
  const draft = { name: 'Name', description: '', icon: '', redirect_uris: 'x', scope: 'account:read', auth_method: 'none', csrf_token } // prettier-ignore
  return [
    ...['client_id', 'redirect_uri', 'response_type', 'scope', 'resource'].map((name) => ({
      path: authorizePath(origin, { [name]: payload, ...(name !== 'redirect_uri' && name !== 'client_id' && { redirect_uri: 'x' }) }), // prettier-ignore
    })),
    { path: `/oauth/authorize?client_id=${text}&${text}=${text}` },
    { path: `/${text}` },
    { path: `/?${text}=${text}` },
    { path: `/oauth/interaction/${text}` },
    { path: `/account/graphiql?query=${text}` },
    { path: `/docs?${text}` },
    { path: `/oauth/applications?search=${text}`, headers: { cookie } },
    { path: `/oauth/applications?kind=${text}&state=${text}&done=${text}&after=${text}`, headers: { cookie } }, // prettier-ignore
    { path: `/oauth/applications/${text}`, headers: { cookie } },
    { path: `/oauth/applications/study-buddy?done=${text}`, headers: { cookie } },
    { path: `/oauth/applications?search=${text}` },
    { path: `/oauth/authorized_applications?done=${text}`, headers: { cookie } },
    { path: `/oauth/authorized_applications/disconnect?client_id=${text}`, headers: { cookie } },
    form('/oauth/applications/new', { ...draft, name: payload }, { cookie }),
    form('/oauth/applications/new', { ...draft, description: payload }, { cookie }),
    form('/oauth/applications/new', { ...draft, redirect_uris: payload }, { cookie }),
    form('/oauth/applications/new', { ...draft, icon: payload }, { cookie }),
    form('/oauth/applications/new', { ...draft, scope: payload, auth_method: payload }, { cookie }),
    form('/oauth/applications/new', { ...draft, preset: payload }, { cookie }),
  ]
}

/** Fields of the admin API whose HTML others see, each with the path that changes it. */
const HTML_FIELDS: readonly (readonly [path: string, member: string])[] = [
  ['/api/v1/courses/crs_l01', 'description_html'],
  ['/api/v1/posts/pst_l01', 'body_html'],
  ['/api/v1/lecturers/lct_l01', 'bio_html'],
  ['/api/v1/events/evt_l01', 'description_html'],
]
const MARKUP: readonly string[] = [
  '<script>pwned=1</script>', '<scr<script>ipt>pwned=1</script>', '<img src=x onerror=pwned=1>', '<svg onload=pwned=1>',
  '<svg><script>pwned=1</script></svg>', '<math><mtext></table><mglyph><style><img src onerror=pwned=1>', '<a href="javascript:pwned=1">x</a>',
  '<a href="java&#x09;script:pwned=1">x</a>', '<a href="data:text/html,x">x</a>', '<a href=" &#14; javascript:pwned=1">x</a>',
  '<iframe srcdoc="<script>pwned=1</script>"></iframe>', '<object data="x"></object>', '<embed src="x">', '<base href="https://evil.test/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.test">', '<form action="https://evil.test"><button>x</button></form>',
  '<style>@import "https://evil.test/a.css"</style>', '<p style="background:url(https://evil.test)">x</p>', '<link rel=stylesheet href=//evil.test>',
  '<p onclick="pwned=1" data-pwned=1>x</p>', '<details open ontoggle=pwned=1>', '<video><source onerror=pwned=1></video>',
  '<noscript><p title="</noscript><img src=x onerror=pwned=1>">', '<template><img src=x onerror=pwned=1></template>', `<!--><${MARK}>-->`,
  `<p title='</p><${MARK}>'>`, '<b <img src=x onerror=pwned=1>', '<xmp><img src=x onerror=pwned=1></xmp>', '<plaintext><img src=x onerror=pwned=1>',
] // prettier-ignore

/** Style sheets that would load something, or leave their place. */
const STYLES: readonly string[] = [
  '@import "https://evil.test/a.css";', 'a { background: url(https://evil.test/a) }', 'a { background: URL("//evil.test") }',
  'a { background: u\\72l(https://evil.test) }', 'a { background: image-set("https://evil.test" 1x) }', '</style><script>pwned=1</script>',
  'a { behavior: expression(pwned=1) }', '@font-face { font-family: x; src: url(//evil.test) }', '@namespace "https://evil.test";',
] // prettier-ignore

/** Names that an app may have given itself before a rule forbade them: a page must not rely on the rule. */
async function store(service: Service, payload: string, index: number): Promise<string> {
  const clientId = `hostile-${index}`
  // PostgreSQL stores no NUL.
  const text = payload.replaceAll('\u0000', '')
  // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
  const now = Math.floor(Date.now() / 1000)
  const client = defineClient({
    clientId, kind: 'member', name: 'Hostile', redirectUris: ['http://127.0.0.1:7777/callback'], scopes: ['account:read'],
    createdAt: now,
  }) // prettier-ignore
  await service.store.lantern.insertClient({ ...client, name: text, description: text, icon: text }) // prettier-ignore
  const grant = { clientId, subject: `mem_l${String(5 + (index % 6)).padStart(2, '0')}`, scopes: ['account:read'] } // prettier-ignore
  await service.mint(grant)
  return clientId
}

/** What people typed stays text on every page, in a real browser. */
export const xss: AttackClass = {
  name: 'XSS',
  least: 600,
  async build(service) {
    const { origin } = service
    const owner = await service.signIn('mem_l01')
    const isPage = ({ headers }: Answer): string | null =>
      /^(?:text\/html|application\/json|text\/plain)/.test(String(headers['content-type']))
        ? null
        : `its type is ${String(headers['content-type'])}`
    const attacks: (Attack | Exchange)[] = PAYLOADS.flatMap((payload): Attack[] =>
      reflected(payload, origin.lantern, owner).map((request) => ({
        name: `${payload.slice(0, 30)} in ${request.path.slice(0, 80)}`,
        request: { ...request, headers: { accept: 'text/html', ...request.headers } },
        statuses: [200, 303, 400, 404, 422],
        fault: (answer: Answer) => (answer.status === 303 ? null : isPage(answer)),
        judged: 'read',
      })),
    )
    for (const [index, payload] of PAYLOADS.entries()) {
      const clientId = await store(service, payload, index)
      const person = `mem_l${String(5 + (index % 6)).padStart(2, '0')}`
      const { cookie } = await service.signIn(person)
      for (const [path, who] of [
        ['/oauth/applications', owner.cookie],
        [`/oauth/applications/${clientId}`, owner.cookie],
        [`/oauth/applications/${clientId}/edit`, owner.cookie],
        [`/oauth/applications/${clientId}/disable`, owner.cookie],
        [`/oauth/applications/${clientId}/delete`, owner.cookie],
        [`/oauth/applications/${clientId}/disconnect-all`, owner.cookie],
        ['/oauth/authorized_applications', cookie],
        [`/oauth/authorized_applications/disconnect?client_id=${clientId}`, cookie],
      ] as const)
        attacks.push({
          name: `an app called ${payload.slice(0, 30)} at ${path}`,
          request: { path, headers: { cookie: who } },
          statuses: [200],
          fault: (answer) => isPage(answer) ?? (answer.text.includes('<h1') ? null : 'it is no page'),
          judged: 'read',
        }) // prettier-ignore
      attacks.push({
        name: `the sign-in and the consent for an app called ${payload.slice(0, 30)}`,
        times: 2,
        run: (_, judge) =>
          openInteraction(service, judge, {
            clientId,
            cookie,
            hint: payload,
            isOpened: index % 3 === 0,
          }),
      })
      attacks.push({
        name: `a wrong password for ${payload.slice(0, 30)}`,
        request: form('/sign-in', { email: payload, password: 'x', return_to: payload, csrf_token: owner.csrfToken }, { cookie: owner.cookie }), // prettier-ignore
        statuses: [403],
        judged: 'read',
      })
    }
    const token = await tokenSupply(service, 400)
    for (const [markup, [path, member]] of pairs(MARKUP, HTML_FIELDS))
      attacks.push({
        name: `${markup.slice(0, 40)} in ${member} of ${path}`,
        times: 1,
        async run({ send }, judge) {
          const { status, text } = await send({
            method: 'PATCH',
            path: `${path}?dry_run=true`,
            headers: { ...JSON_HEADERS, ...bearer(token()), 'if-match': '*' },
            body: JSON.stringify({ [member]: `<p>before</p>${markup}<p>after</p>` }),
          })
          if (status === 422) return []
          if (status !== 200) return [`${status} ${text.slice(0, 200)}`]
          const body = JSON.stringify(JSON.parse(text))
          if (body.includes('evil.test')) return ['it still names the address']
          const stored = htmlIn(JSON.parse(text), member)
          const fault = stored.includes('before') ? await judge.read(stored) : 'nothing is stored'
          return fault === null ? [] : [`${fault}: ${stored.slice(0, 200)}`]
        },
      })
    for (const css of STYLES)
      attacks.push({
        name: `the style sheet ${css}`,
        request: {
          method: 'PATCH', path: '/api/v1/appearance', headers: { ...JSON_HEADERS, ...bearer(token()), 'if-match': '*' },
          body: JSON.stringify({ custom_css: css }),
        },
        statuses: [400, 422],
      }) // prettier-ignore
    for (const [url, member] of pairs(['javascript:pwned=1', 'data:text/html,x', 'http://evil.test/', '//evil.test', 'https://user:pw@evil.test/', 'file:///etc/passwd', 'vbscript:x'], ['logo_url', 'favicon_url'])) // prettier-ignore
      attacks.push({
        name: `${url} as ${member}`,
        request: {
          method: 'PATCH', path: '/api/v1/appearance', headers: { ...JSON_HEADERS, ...bearer(token()), 'if-match': '*' },
          body: JSON.stringify({ [member]: url }),
        },
        statuses: [400, 422],
      }) // prettier-ignore
    return {
      attacks,
      controls: [
        { name: 'the list of apps', request: { path: '/oauth/applications', headers: { cookie: owner.cookie } }, statuses: [200], fault: ({ text }) => (text.includes('pwned') ? null : 'the hostile names are not on it'), judged: 'opened' },
        { name: 'a style sheet', request: { method: 'PATCH', path: '/api/v1/appearance?dry_run=true', headers: { ...JSON_HEADERS, ...bearer(token()), 'if-match': '*' }, body: '{"custom_css":"a { color: red }"}' }, statuses: [200] },
      ],
    } // prettier-ignore
  },
}

/** The same for a rung: its pages show what an app says of itself, and what a request says. */
export const xssOfRung: RungClass = {
  name: xss.name,
  needs: ['registration'],
  least: 180,
  async build(rung) {
    const { authorize, send, signInFields } = rung
    const home = (await send({ path: '/' })).text
    let accepted = 0
    const isPage = ({ status, headers }: Answer): string | null =>
      status === 303 || /^(?:text\/html|application\/json|text\/plain|undefined)/.test(String(headers['content-type']))
        ? null
        : `its type is ${String(headers['content-type'])}` // prettier-ignore
    const shown = (payload: string): readonly Attack['request'][] => {
      const text = encodeURIComponent(payload)
      return [
        ...['client_id', 'redirect_uri', 'response_type', 'scope', 'resource'].map((name) => ({
          path: authorize({ [name]: payload, ...(name !== 'redirect_uri' && name !== 'client_id' && { redirect_uri: 'x' }) }), // prettier-ignore
        })),
        { path: `/oauth/authorize?client_id=${text}&${text}=${text}` },
        { path: `/${text}` },
        { path: `/oauth/interaction/${text}` },
        form('/sign-in', { ...signInFields, return_to: payload, to: payload }, { origin: rung.issuer, 'sec-fetch-site': 'same-origin' }),
      ] // prettier-ignore
    }
    const attacks = PAYLOADS.flatMap((payload, index): (Attack | Exchange<Rung>)[] => [
      {
        name: `${payload.slice(0, 30)} in the query of the home page`,
        request: { path: `/?${encodeURIComponent(payload)}=${encodeURIComponent(payload)}` },
        statuses: [200, 404],
        // It has a script of its own, so the judge could not read it.
        fault: ({ text }) => (text === home ? null : 'it is not the page without a query'),
      },
      ...shown(payload).map((request) => ({
        name: `${payload.slice(0, 30)} in ${request.path.slice(0, 80)}`,
        request: { ...request, headers: { accept: 'text/html', ...request.headers } },
        statuses: [200, 303, 400, 403, 404],
        fault: isPage,
        judged: 'read' as const,
      })),
      {
        name: `the sign-in and the consent for an app called ${payload.slice(0, 30)}`,
        times: 3,
        async run(_, judge) {
          const body = JSON.stringify({ client_name: payload, redirect_uris: [CALLBACK] })
          const registered = await send({ path: '/api/oauth/register', headers: JSON_HEADERS, body }) // prettier-ignore
          // A name that is none may be refused.
          if (registered.status === 400) return []
          accepted += 1
          const { client_id } = JSON.parse(registered.text) as { client_id: string }
          const path = authorize({ client_id, login_hint: payload })
          const asked = await send({ path })
          const own = [asked.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0]!) // prettier-ignore
          const signIn = await send({ path: String(asked.headers['location']), headers: { cookie: own.join('; ') } }) // prettier-ignore
          const { status, headers, text } = await rung.open(path)
          const consent = { status, headers: Object.fromEntries(headers), text }
          const faults: string[] = []
          for (const [what, page, has] of [['sign-in', signIn, 'name="password"'], ['consent', consent, 'Allow']] as const) {
            if (!page.text.includes(has)) faults.push(`${what}: it is another page: ${page.status}`)
            const fault = (await judge.read(page.text)) ?? (index % 3 === 0 ? await judge.open(`${rung.issuer}/opened`, page) : null) // prettier-ignore
            if (fault !== null) faults.push(`${what}: ${fault}`)
          }
          return faults
        },
      },
    ]) // prettier-ignore
    return {
      attacks,
      controls: [],
      changes: { hallpass_client: 'any' },
      after: async () => (accepted > 4 ? [] : [`only ${accepted} of the names are accepted`]),
    }
  },
}

/** Opens what a person sees before and after the sign-in, for an app and an address that it suggests. */
async function openInteraction(
  { origin, send }: Service,
  judge: Judge,
  {
    clientId,
    cookie,
    hint,
    isOpened,
  }: { clientId: string; cookie: string; hint: string; isOpened: boolean },
): Promise<readonly string[]> {
  const path = authorizePath(origin.lantern, { client_id: clientId, scope: 'account:read', login_hint: hint }) // prettier-ignore
  const asked = await send({ path })
  const own = [asked.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0]!)
  const faults: string[] = []
  for (const [who, cookies] of [
    ['sign-in', own],
    ['consent', [...own, cookie]],
  ] as const) {
    const page = await send({ path: String(asked.headers['location']), headers: { cookie: cookies.join('; ') } }) // prettier-ignore
    if (page.status !== 200) faults.push(`${who}: ${page.status}`)
    else if (!page.text.includes(who === 'consent' ? 'Allow' : 'name="password"'))
      faults.push(`${who}: it is another page`)
    const fault =
      (await judge.read(page.text)) ??
      (isOpened ? await judge.open(`${origin.lantern}/opened`, page) : null)
    if (fault !== null) faults.push(`${who}: ${fault}`)
  }
  return faults
}

/** The HTML that a dry run says it would store, wherever in the response it is. */
function htmlIn(value: unknown, member: string): string {
  if (typeof value !== 'object' || value === null) return ''
  const own = (value as Record<string, unknown>)[member]
  const inside = Object.values(value).map((one) => htmlIn(one, member))
  return (typeof own === 'string' ? own : '') + inside.join('')
}
