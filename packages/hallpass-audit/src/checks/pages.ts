import { type Check } from '../check.js'
import { ADVICE, AS, type Clause, MUST, own, rfc6749, rfc9110, rfc9700, SHOULD, SHOULD_NOT } from '../clause.js' // prettier-ignore
import { held, notReached, violated } from '../finding.js'
import { open } from './asking.js'
import { madeUpExchange } from './expect.js'
import type { Audit } from '../engine/audit.js'
import type { Page } from '../engine/browser.js'
import { matches, policiesOf, sourceLists } from '../engine/content-policy.js'
import { type Element, elementsIn, isPassword } from '../engine/html.js'
import type { Answer } from '../engine/http.js'

// prettier-ignore
const TEXT = {
  framed: rfc9700('4.16', MUST, AS, 'Authorization servers MUST prevent clickjacking attacks.'),
  policy: rfc9700('4.16', SHOULD, AS, 'In addition to those, authorization servers SHOULD also use Content Security Policy (CSP) level 2 [W3C.CSP-2] or greater.'),
  others: rfc9700('4.2.4', SHOULD_NOT, AS, 'The page rendered as a result of the OAuth authorization response and the authorization endpoint SHOULD NOT include third-party resources or links to external sites.'),
  referrer: rfc9700('4.2.4', ADVICE, AS, 'A referrer policy such as no-referrer keeps other sites from the address of a page, which may have the state or a code.'),
  secrets: rfc9110('17.9', ADVICE, AS, 'Pages and their addresses are stored, shared and logged: they repeat no password, no code and no token.'),
  sanitized: rfc6749('10.14', MUST, AS, 'The authorization server … MUST sanitize (and validate when possible) any value received -- in particular, the value of the "state" and "redirect_uri" parameters.'),
  internals: own('', ADVICE, AS, 'An error says what was wrong, and not where in the code or in the database: that helps who looks for a way in.'),
}

/** A page that a browser received in this audit. */
interface Shown extends Answer {
  readonly elements: readonly Element[]
}

/** The pages of the audit so far, those of a person who signs in and allows among them. */
async function pagesOf(on: Audit): Promise<readonly Shown[]> {
  await on.sharedTokens()
  return on.received.pages
    .filter(({ headers }) => /html/i.test(headers.get('content-type') ?? ''))
    .map((page) => ({ ...page, elements: elementsIn(page) }))
}

const isForm = ({ status, elements }: Shown): boolean => status < 400 && elements.some(({ tag }) => tag === 'form') // prettier-ignore

/** Reads every page that browsers received, of those for which `isOf` is true. */
const ofPages = (
  name: string,
  clause: Clause,
  change: string,
  fault: (page: Shown, secrets: Secrets) => string | null,
  isOf: (page: Shown) => boolean = () => true,
): Check => ({
  id: `pages/${name}`,
  clause,
  depth: 'people',
  change,
  async run(on) {
    const all = await pagesOf(on)
    const pages = all.filter(isOf)
    const secrets = secretsOf(on, all)
    for (const page of pages) {
      const why = fault(page, secrets)
      if (why !== null) return violated(page, `the page ${page.url.pathname} ${why}`)
    }
    const last = pages.at(-1)
    return last === undefined ? notReached('no page was shown') : held(last, `so are all ${pages.length} pages that were shown`) // prettier-ignore
  },
})

const ancestorsOf = (page: Shown) => sourceLists(policiesOf(page).ofHeaders, 'frame-ancestors')

function framing(page: Shown): string | null {
  const option = (page.headers.get('x-frame-options') ?? '').trim().toUpperCase()
  const lists = ancestorsOf(page)
  const other = new URL('https://attacker.example/')
  // If a policy names ancestors, browsers ignore the other header.
  if (lists.length > 0)
    return lists.some((list) => !matches(list, other, page.url)) ? null : `can be framed by any site: frame-ancestors is ${lists.flat().join(' ')}` // prettier-ignore
  return /^(?:DENY|SAMEORIGIN)$/.test(option) ? null : `can be framed by any site: X-Frame-Options is ${option || 'missing, and so is frame-ancestors'}` // prettier-ignore
}

/** Returns the first address of another site that a page loads, or `null`. */
function loading({ elements, url }: Shown): string | null {
  const others = elements
    .filter(({ tag, attributes: { src, rel = '' } }) =>
      tag === 'link'
        ? /stylesheet|icon|preload|preconnect|prefetch|manifest/.test(rel)
        : src !== undefined,
    ) // prettier-ignore
    .flatMap(({ attributes: { src, href = '' } }) =>
      URL.canParse(src ?? href, url) ? new URL(src ?? href, url) : [],
    ) // prettier-ignore
    .filter(({ protocol, origin }) => /^https?:$/.test(protocol) && origin !== url.origin)
  return others.length === 0 ? null : `loads ${others.map(({ href }) => href).join(', ')}`
}

function referring({ elements, headers }: Shown): string | null {
  const meta = elements.find(({ tag, attributes }) => tag === 'meta' && attributes['name'] === 'referrer')?.attributes['content'] // prettier-ignore
  // The last policy of a list applies. Without one, browsers tell other sites the origin only.
  const policy = (meta ?? headers.get('referrer-policy') ?? '').split(',').at(-1)!.trim().toLowerCase() // prettier-ignore
  return /^(?:unsafe-url|no-referrer-when-downgrade)$/.test(policy)
    ? `tells other sites its whole address: Referrer-Policy is ${policy}`
    : null
}

/** Values that no page repeats, with their names: passwords, and all that was issued. */
type Secrets = ReadonlyMap<string, string>

function secretsOf({ signIn, received }: Audit, pages: readonly Shown[]): Secrets {
  const secrets = new Map<string, string>()
  const fieldsOf = ({ elements }: Shown) => elements.filter(isPassword)
  const names = new Set(pages.flatMap(fieldsOf).map(({ attributes }) => attributes['name']))
  // A demo may show its password to all.
  const first = pages.find((page) => fieldsOf(page).length > 0)?.text ?? ''
  for (const person of [...(signIn?.people ?? []), signIn?.member?.person])
    for (const [name, value] of Object.entries(person ?? {}))
      if (names.has(name) && !first.includes(value)) secrets.set(value, 'password')
  for (const { location, json } of received.answers) {
    const code = location?.searchParams.get('code')
    if (code != null) secrets.set(code, 'code')
    for (const name of ['access_token', 'refresh_token', 'id_token'])
      if (typeof json[name] === 'string') secrets.set(json[name], name)
  }
  return secrets
}

/** The kind of a secret in the address of a page or in its fields. A long one is found in its text. */
function repeating({ url, elements, text }: Shown, secrets: Secrets): string | null {
  const inAddress = [...url.searchParams.values()].find((one) => secrets.has(one))
  if (inAddress !== undefined) return `has a ${secrets.get(inAddress)} in its address`
  const values = elements.filter(({ tag }) => tag === 'input').map(({ attributes }) => attributes['value'] ?? '') // prettier-ignore
  const found =
    values.find((one) => secrets.has(one)) ??
    [...secrets.keys()].find((one) => one.length >= 16 && text.includes(one))
  return found === undefined ? null : `repeats a ${secrets.get(found)}`
}

/** Ends an attribute, a title and a script, and then begins an element that does nothing. */
const CANARY = `"'></title></script><i hallpass-audit="1"></i>`
/** Parameters that a page about an error may repeat. */
const ECHOED = ['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge_method', 'prompt', 'resource', 'request_uri'] // prettier-ignore

const INTERNALS = [
  // Node.js, Python, Java, PHP, Go, .NET and Ruby.
  /\bat (?:[^\n]{1,200}?[(\s])?(?:file:\/\/|node:|\/|[A-Z]:\\)[^\s()"]*:\d+:\d+/,
  /Traceback \(most recent call last\)/,
  /\bat [\w.$]+\([\w$]+\.(?:java|kt):\d+\)/,
  /\.php(?:\(\d+\)| on line \d+)/,
  /goroutine \d+ \[/,
  /\bat [\w.]+\(.*\) in .+\.cs:line \d+/,
  /\.rb:\d+:in [`']/,
  /SQLSTATE\[|\bORA-\d{5}|SQLITE_[A-Z]+|syntax error at or near|violates \w+ constraint|error in your SQL syntax/,
  /\bSELECT\s[^;<]{1,200}\sFROM\s|\bINSERT\s+INTO\s+\S+\s*\(|\bUPDATE\s+\S+\s+SET\s/,
]

/** Every page of an audit, whatever it was for. */
export const pages: readonly Check[] = [
  ofPages(
    'framed',
    TEXT.framed,
    "Send Content-Security-Policy: frame-ancestors 'none' and X-Frame-Options: DENY with every page that has a form.",
    framing,
    isForm,
  ),
  ofPages(
    'content-policy',
    TEXT.policy,
    "Send Content-Security-Policy: frame-ancestors 'none' with every page that has a form.",
    (page) => (ancestorsOf(page).length > 0 ? null : 'has no policy with frame-ancestors'),
    isForm,
  ),
  ofPages(
    'third-parties',
    TEXT.others,
    'Serve scripts, styles, fonts and images of these pages from your own origin.',
    loading,
  ),
  ofPages(
    'referrer-policy',
    TEXT.referrer,
    'Send Referrer-Policy: no-referrer with every page, and no meta element that says otherwise.',
    referring,
  ),
  ofPages(
    'secrets-repeated',
    TEXT.secrets,
    'Leave the value of a password field empty when you show a form again, and keep codes and tokens out of pages and of their addresses.',
    repeating,
  ),
  {
    id: 'pages/values-escaped',
    clause: TEXT.sanitized,
    depth: 'anonymous',
    change: 'Escape every value of a request where a page repeats it, also where it is refused.',
    async run(on) {
      const asked: Page[] = []
      for (const name of ECHOED) asked.push((await open(on, null, { [name]: CANARY })).page)
      // A page about a wrong address may show the address.
      const { url } = on.request(await on.client())
      asked.push(await on.browser(null).open(`${url.origin}${url.pathname}/${encodeURIComponent(CANARY)}`)) // prettier-ignore
      const isHtml = (page: Page): boolean =>
        /html/i.test(page.headers.get('content-type') ?? '') && elementsIn(page).some(({ attributes }) => 'hallpass-audit' in attributes) // prettier-ignore
      const at = asked.findIndex(isHtml)
      return at === -1
        ? held(asked[0]!, `no value becomes HTML, of ${ECHOED.join(', ')} and the path`)
        : violated(asked[at]!, `the value of ${ECHOED[at] ?? 'the path'} becomes HTML of the page`)
    },
  },
  {
    id: 'pages/no-internals',
    clause: TEXT.internals,
    depth: 'anonymous',
    change: 'Write errors of the code and of the database to the log, and answer with a sentence.',
    async run(on) {
      await on.form(await on.endpoint('token_endpoint'), await madeUpExchange(on))
      const refused = on.received.answers.filter(({ status }) => status >= 400)
      const [first] = refused
      if (first === undefined) return notReached('nothing was refused')
      const found = refused.find(({ text }) => INTERNALS.some((one) => one.test(text)))
      const shown = INTERNALS.flatMap((one) => one.exec(found?.text ?? '')?.[0] ?? [])[0]
      return found === undefined
        ? held(first, `none of ${refused.length} errors shows code or SQL`)
        : violated(found, `${found.url.pathname} (${found.status}) shows ${JSON.stringify(shown?.trim().slice(0, 80))}`) // prettier-ignore
    },
  },
]
