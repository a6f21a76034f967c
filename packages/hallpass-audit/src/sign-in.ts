import { allows, denies, signsIn } from './button-words.js'
import { notReached, Stop } from './finding.js'
import { type Browser, type Page, pathOfPage } from './engine/browser.js'
import {
  type Button,
  type Form,
  hasPassword,
  isBox,
  namesOf,
  type Values,
  withBoxes,
} from './engine/form.js'
import { elementsIn } from './engine/html.js'
import type { Secrets } from './engine/mask.js'

/**
 * A client that the operator of the server created for the audit.
 *
 * @group Sign-in
 */
export interface GivenClient {
  readonly client_id: string
  /** The secret of a confidential client. Default: none. */
  readonly client_secret?: string
  /**
   * The private key of a client that signs assertions (`private_key_jwt`), whose public part the server knows. It signs
   * with `alg` of the key, if it has one. Default: none.
   */
  readonly private_jwk?: Readonly<Record<string, unknown>>
  /** Whether its tokens are bound to a key of the audit (DPoP). Default: `false`. */
  readonly dpop_bound_access_tokens?: boolean
  readonly redirect_uri: string
  /** The scope that it requests. Default: that of the sign-in. */
  readonly scope?: string
}

/**
 * A client that signs assertions in place of sending a secret (`private_key_jwt`).
 *
 * @group Sign-in
 */
export type SigningClient = GivenClient & Required<Pick<GivenClient, 'private_jwk'>>

/**
 * A path of the server, or a URL of another origin of it, that requires an access token.
 *
 * @group Sign-in
 */
export interface Surface {
  readonly path: string
  /** Default: `GET`. */
  readonly method?: string
  /** A JSON body, and its media type. */
  readonly body?: string
  /** The scope that it requires, if a token of the audit may lack it. */
  readonly scope?: string
}

/**
 * A person of the host, with what its sign-in form asks for: the value of each field by its name.
 *
 * @group Sign-in
 */
export type Credentials = Readonly<Record<string, string>>

/**
 * How the audit signs in at a host, and what the host has prepared for it: the default export of the file of
 * `--sign-in`.
 *
 * @group Sign-in
 */
export interface SignIn {
  /**
   * Two people who may allow the clients what they request. The names are those of the fields of the sign-in form, such
   * as `{ email: 'ines@school.example', password: '…' }`. With one person, the checks that need two are not reached.
   */
  readonly people: readonly [Credentials, Credentials?]
  /**
   * The scope that clients request. Default: `openid`, the first two scopes that the metadata of the resource recommends,
   * and `offline_access`, if the server names them.
   */
  readonly scope?: string
  /** Clients of your own, if the server has no open registration. Default: the audit registers its own. */
  readonly clients?: {
    readonly first?: GivenClient
    readonly second?: GivenClient
    /** One with a secret. */
    readonly confidential?: GivenClient
    /** One that signs assertions. Default: the first one if it does, otherwise the audit registers one with a key of its own. */
    readonly signing?: SigningClient
    /** One with a secret that may use `client_credentials`. Its `scope` is all that it may receive. */
    readonly service?: GivenClient
  }
  /**
   * The endpoints of a server that publishes no metadata, by their names there, such as
   * `{ authorization_endpoint: 'http://127.0.0.1:3000/authorize' }`. Default: those of the metadata.
   */
  readonly endpoints?: Readonly<Record<string, string>>
  /**
   * A member of the school and the client that acts for them, which staff created, for checks of your own. Default: none.
   */
  readonly member?: { readonly person: Credentials; readonly client: GivenClient }
  /** A vendor of the configuration, whose name a registration matches. Default: none. */
  readonly vendor?: { readonly name: string; readonly client_id: string }
  /** The URL of `client.json`, if you publish the files of `clientDocuments`. Default: none. */
  readonly clientDocument?: string
  /** Checks that your server does not hold and why, such as `{ 'code/used-twice-revokes': 'A code is …' }`. Default: none. */
  readonly accepts?: Readonly<Record<string, string>>
  /**
   * Paths of your API at which access tokens are tried, next to UserInfo and `/mcp`; URLs if it is at another origin.
   * Default: none.
   */
  readonly surfaces?: readonly Surface[]
  /** The URL of the MCP endpoint, if the metadata does not lead to it. Default: the resource of the metadata, or `/mcp`. */
  readonly mcp?: string
  /**
   * The labels or values of the buttons of the consent page, in a language that the audit does not know. Default: found by their words, in
   * sixteen languages, or by their values and names.
   */
  readonly buttons?: { readonly allow?: string; readonly deny?: string }
  /**
   * The next step after a page, for a host whose pages are not plain forms. Called until the browser has left the site,
   * at most ten times for a request. Default: {@link answerForms}.
   */
  readonly answer?: (step: Step) => Promise<Page>
}

/**
 * A page that a person has to answer.
 *
 * @group Sign-in
 */
export interface Step {
  readonly browser: Browser
  readonly page: Page
  readonly person: Credentials
  /** Whether the person allows what the app requests. */
  readonly allow: boolean
  /** The code that a device shows. Absent unless the page may ask for it. */
  readonly userCode?: string
  /** The `buttons` of the sign-in. Default: none. */
  readonly buttons?: SignIn['buttons'] | undefined
}

/** Lists what no report shows of a sign-in: all that people type, the secrets of clients, and private keys. */
export function secretsOf({ people, clients = {}, member }: SignIn): Secrets {
  const persons = [...people, member?.person].filter((person) => person !== undefined)
  const given = [...Object.values(clients), member?.client].filter((client) => client !== undefined)
  return {
    names: persons.flatMap((person) => Object.keys(person)),
    values: [
      ...persons.flatMap((person) => Object.values(person)),
      ...given.flatMap((client) => client.client_secret ?? []),
      ...given.flatMap(({ private_jwk: jwk = {} }) => Object.entries(jwk)).flatMap(([name, value]) =>
        typeof value === 'string' && ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(name) ? value : [],
      ),
    ],
  }
} // prettier-ignore

/**
 * Fills in a form with a password field. Of any other form, presses the button that allows or denies: found by its words
 * in sixteen languages, its value or its name. Checks all boxes where it allows. A link may deny as well.
 *
 * @example
 * ```ts
 * import { answerForms, type SignIn } from 'hallpass-audit'
 *
 * const signIn: SignIn = {
 *   people: [{ email: 'ines@school.example', password: 'a password' }],
 *   answer: (step) =>
 *     step.page.url.pathname === '/welcome' ? step.browser.open('/continue') : answerForms(step),
 * }
 * signIn.people.length // => 1
 * ```
 * @group Sign-in
 */
export async function answerForms(step: Step): Promise<Page> {
  const { browser, page, person, allow, userCode, buttons } = step
  const signIn = signInFormOf(page, person)
  if (signIn !== null) {
    requireNames(page, signIn.form, person)
    return browser.submit(page, signIn.form, signIn.button, signIn.fields)
  }
  const entry = userCode === undefined ? null : codeEntry(page)
  if (entry !== null)
    return browser.submit(page, entry.form, entry.form.buttons[0], { [entry.name]: userCode! })
  const link = allow ? null : denialOf(page, buttons ?? {})
  if (link !== null) return browser.open(link)
  const { form, button } = decisionOf(page, allow, buttons)
  return browser.submit(page, allow ? withBoxes(form) : form, button)
}

/** A form, and what a person does with it. */
export interface Filled {
  readonly form: Form
  readonly button: Button | undefined
  readonly fields: Values
}

/** The form of a page that asks who the person is, and how they fill it in; `null` if there is none. */
export function signInFormOf(page: Page, person: Credentials): Filled | null {
  const form = page.forms.find((one) => hasPassword(one) || asksFor(one, person))
  if (form === undefined) return null
  const names = namesOf(form.fields)
  const known = Object.entries(person).filter(([name]) => names.includes(name))
  const button = form.buttons.find(({ label }) => signsIn(label)) ?? form.buttons[0]
  return { form, button, fields: Object.fromEntries(known) }
}

/** Whether a form asks for nothing but what is known of the person, such as a name without a password. */
const asksFor = ({ fields }: Form, person: Credentials): boolean =>
  fields.some(({ name, value }) => value === '' && name in person)

/** Stops if a form asks for what the person has under another name: it would come back without a word. */
function requireNames(page: Page, form: Form, person: Credentials): void {
  const seen = form.fields.filter(({ type }) => type !== 'hidden')
  const open = namesOf(seen.filter(({ name, value, isSent }) => isSent && value === '' && !(name in person)))
  const unused = Object.keys(person).filter((name) => !namesOf(seen).includes(name))
  if (hasPassword(form) && open.length > 0 && unused.length > 0)
    throw new Stop(
      notReached(`the form of ${pathOfPage(page.url)} asks for ${open.join(', ')}, and a person of --sign-in has ${unused.join(', ')}: the names must be those of the form`, page),
    )
} // prettier-ignore

type Labels = NonNullable<SignIn['buttons']>
type Decision = { readonly form: Form; readonly button: Button }

/** The button that allows or denies: by its label, then by its value, then by its name if no other one has such a name. */
function findDecision(page: Page, allow: boolean, labels: Labels): Decision | undefined {
  const all = page.forms.flatMap((form) => form.buttons.map((button) => ({ form, button })))
  const isNamed = ({ label, value }: Button, name: string | undefined): boolean =>
    name !== undefined && (label === name || value === name)
  const named = allow ? labels.allow : labels.deny
  if (named !== undefined) return all.find(({ button }) => isNamed(button, named))
  const means = allow ? allows : denies
  const possible = all.filter(({ button }) => {
    const { label, value, name } = button
    return !allow || !(isNamed(button, labels.deny) || [label, value, name ?? ''].some(denies))
  })
  const byName = possible.filter(({ button }) => means(button.name ?? ''))
  return (
    possible.find(({ button }) => means(button.label)) ??
    // An address such as /authorize says nothing of what a button does.
    possible.find(({ button }) => means(button.value) && !button.value.includes('/')) ??
    (byName.length === 1 ? byName[0] : undefined)
  )
}

/** The form of a page that allows or denies, and its button. Stops if there is none. */
export function decisionOf(page: Page, allow: boolean, labels: Labels = {}): Decision {
  const found = findDecision(page, allow, labels)
  if (found !== undefined) return found
  const shown = page.forms.flatMap(({ buttons }) => buttons.map(({ label }) => `"${label.slice(0, 40)}"`)).slice(0, 6)
  throw new Stop(
    notReached(`no button of ${pathOfPage(page.url)} (${page.status}) says that a person ${allow ? 'allows' : 'denies'}: it has ${shown.join(', ') || 'none'}. Name them with \`buttons\` in the file of --sign-in, or give \`answer\``, page),
  )
} // prettier-ignore

/** The link of a page that denies, for a page without such a button; `null` if there is none. */
function denialOf(page: Page, labels: Labels): URL | null {
  if (findDecision(page, false, labels) !== undefined) return null
  const link = elementsIn(page).find(({ tag, attributes, text }) =>
    tag === 'a' && 'href' in attributes && (labels.deny === undefined ? denies(text) : text.trim() === labels.deny))
  const href = link?.attributes['href']
  return href !== undefined && URL.canParse(href, page.url) ? new URL(href, page.url) : null
} // prettier-ignore

/** The form that asks for the code of a device, and the field for it. */
function codeEntry(page: Page): { readonly form: Form; readonly name: string } | null {
  for (const form of page.forms) {
    const visible = namesOf(form.fields.filter(({ type }) => type !== 'hidden'))
    const name = visible.find((one) => /code|otp|pin/i.test(one)) ?? visible[0]
    if (name !== undefined && !form.fields.some(isBox)) return { form, name }
  }
  return null
}
