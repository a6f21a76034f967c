import { type Counts, notReached, type Shown, Stop } from '../finding.js'
import { answerForms, type Credentials, type SignIn, signInFormOf, type Step } from '../sign-in.js'
import { type Browser, createBrowser, type Page, pathOfPage } from './browser.js'
import type { Client } from './clients.js'
import { type Http, LATE, Unanswered, within } from './http.js'
import type { AuthorizationRequest, Changes } from './requests.js'
import { createSignIns, type Person } from './sign-ins.js'

/** An authorization request, and where it ended. */
export interface Ended extends AuthorizationRequest, Shown {
  readonly person: Person | null
  /** The last page that the browser showed, or where it was sent. */
  readonly page: Page
  /** The parameters at the redirect URI; `null` if the browser was not sent there. */
  readonly parameters: URLSearchParams | null
}

/** A code that has not been redeemed. */
export interface Code extends Ended {
  readonly code: string
}

/** Who sends an authorization request, and what is changed in it. */
export interface AuthorizeOptions {
  /** Default: the first of the clients that all checks share. */
  readonly client?: Client
  /** Default: the two people take turns. */
  readonly person?: Person
  /** Default: `true`. */
  readonly allow?: boolean
  /** Default: none. */
  readonly changes?: Changes
}

export interface People {
  /** The browser of a person, which stays signed in; `null` for one in which no one is. */
  readonly browser: (person: Person | null) => Browser
  /** Sends an authorization request as a person who signs in and decides. */
  readonly authorize: (options?: AuthorizeOptions) => Promise<Ended>
  /**
   * Opens an address as a person who signs in and decides, such as the one that a device shows: the last page. A page that
   * asks for a code gets `userCode`.
   */
  readonly visit: (
    target: URL | string,
    options?: {
      readonly person?: Person
      readonly allow?: boolean
      readonly userCode?: string
      readonly until?: (page: Page) => boolean
    },
  ) => Promise<Page>
  /** Sends an authorization request from a browser in which no one is signed in. */
  readonly knock: (client: Client, changes?: Changes) => Promise<Ended>
  /** The page at which a person has to decide: they are signed in, and nothing is decided yet. */
  readonly consentPage: (options?: AuthorizeOptions) => Promise<Ended>
  /** Lets the person decide at a page of `consentPage`. */
  readonly decide: (at: Ended, allow: boolean) => Promise<Ended>
  readonly code: (options?: AuthorizeOptions) => Promise<Code>
  /** Why people cannot sign in, in a sentence for each. */
  readonly refused: () => readonly string[]
}

/** Who answers pages, and how. */
interface Answering {
  readonly person: Person
  readonly allow: boolean
  readonly credentials: Credentials
  readonly userCode?: string
  readonly until: (page: Page) => boolean
}

export interface PeopleOptions {
  readonly origin: string
  readonly http: Http
  readonly signIn: SignIn | null
  /** Whether people may be signed in, which no depth but `people` does. */
  readonly mayAsk: boolean
  readonly created: Counts
  /** Gets the requests that left the site. */
  readonly ended: Ended[]
  readonly prepare: () => Promise<void>
  readonly request: (client: Client, changes?: Changes) => AuthorizationRequest
  readonly client: () => Promise<Client>
}

const MOST_PAGES = 10

/** `spareFirst`: from now on, the first person is not asked unless a check names them. */
export function createPeople({
  origin, http, signIn, mayAsk, created, ended, prepare, request, client,
}: PeopleOptions): People & { readonly spareFirst: () => void } {
  const browsers = new Map<Person, Browser>()
  const signIns = createSignIns(signIn)
  let turn = 0
  let isFirstSpared = false
  /** Why `answer` of the sign-in is not called again: each check would wait for it. */
  let hung: Stop | null = null

  const browser: People['browser'] = (person) => {
    const own = person === null ? undefined : browsers.get(person)
    if (own !== undefined) return own
    const made = createBrowser(signIns.through(http, person), origin)
    if (person !== null) browsers.set(person, made)
    return made
  }

  function personOf(person: Person): Credentials {
    if (signIn === null || !mayAsk) throw new Stop(notReached('no one signs in: give --sign-in'))
    signIns.require(person)
    const known = person === 'member' ? signIn.member?.person : signIn.people[person]
    if (known !== undefined) return known
    throw new Stop(notReached(person === 'member' ? 'there is no member: give `member` in the file of --sign-in' : 'the check needs two people: give a second one in `people`'))
  }

  function nextPerson(): 0 | 1 {
    if (signIn?.people[1] === undefined) return 0
    if (isFirstSpared) return 1
    turn += 1
    return (turn % 2) as 0 | 1
  }

  /** Sends a request and lets the person answer, until the browser has left or `until` holds. */
  async function walk(
    { client: given, person = nextPerson(), allow = true, changes = {} }: AuthorizeOptions,
    until: (page: Page) => boolean,
  ): Promise<Ended> {
    await prepare()
    const asked = request(given ?? (await client()), changes)
    const credentials = personOf(person)
    if (allow) created.authorizations += 1
    const start = async (): Promise<Ended> =>
      answerPages(endedAt({ ...asked, person }, await browser(person).open(asked.url)), { person, credentials, allow, until })
    return start().catch((error: unknown) => {
      // A person would reload a page that does not come.
      if (!(error instanceof Unanswered)) throw error
      return start()
    })
  }

  /** Answers pages from the one that is shown, until the browser has left or `until` holds. */
  const answerPages = async (at: Ended, how: Answering): Promise<Ended> =>
    kept(endedAt(at, await lastPage(browser(at.person), at.page, how)))

  const kept = (at: Ended): Ended => {
    if (at.page.left !== null) ended.push(at)
    return at
  }

  async function lastPage(own: Browser, from: Page, { person, credentials, allow, userCode, until }: Answering): Promise<Page> {
    let page = from
    for (let pages = 0; page.left === null && pages < MOST_PAGES; pages++) {
      // A host with an `answer` of its own may show pages that a script builds.
      const isEnd = page.forms.length === 0 && (signIn?.answer === undefined || page.status >= 400)
      if (until(page) || isEnd) break
      const step = { browser: own, page, person: credentials, allow, buttons: signIn?.buttons, ...(userCode !== undefined && { userCode }) }
      const next = await answered(step).catch((error: unknown) => {
        // The browser of a device stays at the site: its last page may have a form that is of no request.
        if (userCode !== undefined && pages > 0 && error instanceof Stop) return null
        throw error
      })
      signIns.require(person)
      if (next === null) break
      page = next
    }
    return page
  }

  async function answered(step: Step): Promise<Page> {
    const own = signIn?.answer
    if (own === undefined) return answerForms(step)
    if (hung !== null) throw hung
    const fault = (why: string, cause?: unknown): Stop =>
      new Stop(notReached(`\`answer\` in the file of --sign-in ${why}`), { cause })
    const patience = 3 * http.timeout
    try {
      const page = await within(patience, Promise.resolve().then(() => own(step)))
      if (Array.isArray((page as Page | undefined)?.forms)) return page
    } catch (error) {
      if (error instanceof Stop) throw error
      if (error !== LATE) throw fault(`failed: ${error instanceof Error ? error.message : String(error)}`, error)
      hung = fault(`did not return within ${patience / 1000} s`)
      throw hung
    }
    throw fault('returned no page')
  }

  const authorize: People['authorize'] = (options = {}) => walk(options, () => false)

  return {
    browser,
    authorize,
    refused: signIns.refused,
    spareFirst() {
      isFirstSpared = true
    },
    async visit(target, { person = 0, allow = true, userCode, until = () => false } = {}) {
      const credentials = personOf(person)
      created.authorizations += 1
      const own = browser(person)
      return lastPage(own, await own.open(target), { person, credentials, allow, until, ...(userCode !== undefined && { userCode }) })
    },
    async knock(of, changes) {
      await prepare()
      const asked = request(of, changes)
      return kept(endedAt({ ...asked, person: null }, await browser(null).open(asked.url)))
    },
    async consentPage(options = {}) {
      const known = [...(signIn?.people ?? []), signIn?.member?.person].filter((person) => person !== undefined)
      const isConsent = (page: Page): boolean => page.forms.length > 0 && known.every((person) => signInFormOf(page, person) === null)
      const ended = await walk(options, isConsent)
      if (ended.page.left !== null || ended.page.forms.length === 0)
        throw new Stop(notReached(`no page asked for consent: ${describe(ended)}`, ended))
      return ended
    },
    decide(at, allow) {
      const person = at.person ?? 0
      return answerPages(at, { person, credentials: personOf(person), allow, until: () => false })
    },
    async code(options = {}) {
      const ended = await authorize(options)
      const code = ended.parameters?.get('code') ?? null
      if (code !== null) return { ...ended, code }
      const why = ended.parameters?.get('error_description') ?? null
      throw new Stop(notReached(`no code came: ${describe(ended)}${why === null ? '' : `: ${why}`}`, ended))
    },
  }
} // prettier-ignore

function endedAt(asked: AuthorizationRequest & Pick<Ended, 'person'>, page: Page): Ended {
  const { left } = page
  const isAtClient = left !== null && left.origin + left.pathname === pathOf(asked.url)
  return { ...asked, page, exchange: page.exchange, parameters: isAtClient ? left.searchParams : null } // prettier-ignore
}

/** The redirect URI of a request, without its query. */
function pathOf(url: URL): string {
  const [uri = ''] = (url.searchParams.get('redirect_uri') ?? '').split('?')
  return URL.canParse(uri) ? `${new URL(uri).origin}${new URL(uri).pathname}` : uri
}

/** Says in words where a request ended. */
export function describe({ page, parameters }: Pick<Ended, 'page' | 'parameters'>): string {
  if (parameters !== null)
    return `the redirect URI received ${[...parameters].map(([name, value]) => (name === 'error' ? `error=${value}` : name)).join(', ')}`
  if (page.left !== null) return `the browser was sent to ${page.left.origin}${pathOfPage(page.left)}`
  return `the browser shows ${pathOfPage(page.url)} with status ${page.status}`
} // prettier-ignore
