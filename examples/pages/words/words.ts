import type { ErrorView } from 'hallpass/authorization-server'
import type { SchoolScope } from 'hallpass/scope'
import type { ApplicationsWords } from './applications/en.js'
import type { AreaFault } from '../applications/views.js'
import type { Html } from '../html.js'

/** A language of the pages: its words, and how it writes dates, numbers and lines. */
export interface Language {
  /** The language tag of the pages, for `<html lang>`: `zh-Hant`. */
  readonly tag: string
  /** The locale for dates, numbers and lists: `en-GB`. */
  readonly locale: string
  /** The direction of the text. */
  readonly dir: 'ltr' | 'rtl'
  readonly words: Words
}

/** A name or an address that a sentence contains. It is already marked up. */
export type Part = Html | string

/**
 * Every sentence of the pages on which people sign in and allow an app. A language that lacks one does not
 * compile. A sentence is replaced with a copy of the object.
 */
export interface Words {
  readonly signIn: SignInWords
  readonly app: AppWords
  readonly backToApp: BackToAppWords
  readonly device: DeviceWords
  readonly consent: ConsentWords
  readonly pasteAddress: PasteAddressWords
  /** The button next to a text to copy, and what it says afterwards. */
  readonly copy: { readonly button: string; readonly done: string; readonly selected: string }
  readonly errors: ErrorWords
  readonly signOut: {
    readonly title: string
    readonly question: string
    readonly signedInAs: (school: string, name: Part) => Html
    readonly submit: string
    readonly stay: string
  }
  readonly account: AccountWords
  readonly apps: AppsWords
  /** The pages on which a school manages its apps. */
  readonly applications: ApplicationsWords
  /** Words for the entries of a log, by the type of the event. A type without words is shown as it is. */
  readonly acts: Readonly<Record<string, string>>
  /** Names who did it. */
  readonly by: (actor: Part) => Html
  readonly scopeList: {
    readonly makesChanges: string
    readonly personalData: string
    readonly sensitive: string
    /** The mark that ends a sentence. */
    readonly stop: string
  }
  /** Names of roles. A role without a name here is shown as it is. */
  readonly roles: Readonly<Record<string, string>>
  readonly noRole: string
  /** Names a member who has neither a name nor an email address. */
  readonly nameless: string
  /** Names of the groups of scopes, or `null` if the scope table is in this language. */
  readonly groups: Readonly<Record<string, string>> | null
  /**
   * Consent texts by scope, or `null` if the scope table is in this language. `{school}` is replaced with the
   * school's name. A scope without a text here is shown with the text of the scope table.
   */
  readonly scopes: Readonly<Record<SchoolScope, string> & Record<string, string>> | null
}

interface SignInWords {
  readonly title: string
  readonly titleAgain: string
  /** The title of the page after an error. */
  readonly error: (title: string) => string
  readonly continueAsTitle: (name: string) => string
  readonly continueAs: (name: Part) => Html
  readonly welcome: (school: string) => string
  readonly confirm: string
  readonly waits: (app: Part, school: string) => Html
  readonly asksAgain: (app: Part, school: string) => Html
  /** An app that was connected by another account than the one that is signed in. */
  readonly asksOther: (app: Part, school: string) => Html
  readonly thenBackTo: (place: Part) => Html
  readonly neverSeesPassword: (app: Part) => Html
  readonly unreviewedProgram: Html
  readonly unreviewedPage: Html
  readonly unreviewedSite: (school: string, host: Part) => Html
  readonly wrongCredentials: (school: string) => string
  readonly throttled: (span: string) => Html
  readonly suspended: (school: string) => Html
  readonly email: string
  readonly password: string
  readonly submit: string
  readonly proceed: string
  readonly otherAccount: string
}

interface AppWords {
  readonly onThisComputer: (host: Part) => Html
  /** A page of the school itself. `first`: whether the words begin a sentence. */
  readonly ownPage: (first: boolean) => string
  /** `first`: whether the words begin a sentence. */
  readonly programOnDevice: (scheme: Part, first: boolean) => Html
  readonly known: string
  readonly notReviewed: string
  readonly madeBySchool: (school: string) => string
  readonly knownPlatform: string
  readonly choseItsName: string
  /** The same of a page of the school. */
  readonly choseItsNameHere: string
  /** The same on a page that may be read on another computer. */
  readonly choseItsNameElsewhere: string
  readonly identifiedBy: (host: Part) => Html
  readonly identifiedAndReviewed: (host: Part, school: string) => Html
  readonly aboutItself: string
  readonly links: Readonly<Record<'site' | 'policy' | 'terms', string>>
  readonly linksUnchecked: (school: string) => string
  readonly elsewhere: string
}

interface ConsentWords {
  readonly title: (app: string) => string
  readonly heading: (app: Part, school: string) => Html
  /** The title and heading of a page that asks for more than the app has. */
  readonly moreTitle: (app: string) => string
  readonly moreHeading: (app: Part, school: string) => Html
  readonly can: string
  /** Sums up a list of more than eight: how many change something, and how many show personal data. */
  readonly sum: (numbers: Readonly<Record<'all' | 'changes' | 'personal', number>>) => string
  readonly canMore: string
  readonly cannot: string
  readonly lasts: (span: string) => string
  readonly clientEnds: (moment: Part) => Html
  readonly disconnect: Html
  /** `apps` makes its text lead to the connected apps. */
  readonly laterMore: (apps: (text: string) => Html) => Html
  readonly allow: string
  /** The button for a person whose terminal is on another computer, and what it does. */
  readonly paste: string
  readonly pasteMeans: string
  readonly cancel: string
  readonly blockedTitle: (app: string) => string
  readonly blockedHeading: (app: Part) => Html
  /** `ask` makes its text lead to the request for the app. */
  readonly notStaff: (school: string, ask: (text: string) => Html) => Html
  readonly noMember: (school: string) => Html
  readonly startedProgram: (app: Part) => Html
  readonly startedProgramMore: (app: Part) => Html
  /** In place of both if the app is a page of the school. */
  readonly openedPage: (app: Part) => Html
  readonly unreviewed: (school: string) => Html
  readonly toThisComputer: (app: Part) => Html
  readonly from: string
  readonly sendsBackTo: string
  readonly account: string
  /** Names the row about the app's past at the school. */
  readonly here: string
  readonly history: {
    readonly isNew: string
    readonly since: (moment: Part) => Html
    readonly peopleCount: (count: string) => string
  }
  readonly rolesAt: (roles: string, school: string) => string
  readonly limits: {
    readonly secrets: string
    readonly changes: string
    readonly otherMembers: string
    readonly buying: string
    readonly personalData: string
    readonly payments: string
    readonly beyondRole: string
  }
  readonly notInRole: string
  readonly notInRoleWhy: string
  readonly alreadyAllowed: string
  readonly isNew: string
  readonly howLong: string
  readonly untilDisconnected: string
  readonly atMost: (span: string) => string
  readonly thenStops: string
  /** Labels of the school's ends by their `id`. An end without one is shown with its own label. */
  readonly ends: Readonly<Record<string, (moment: string) => string>> | null
  readonly howMuch: string
  readonly everything: string
  readonly everythingMeans: string
  readonly readOnly: string
  readonly readOnlyMeans: string
  readonly choose: string
  readonly chooseMeans: string
  readonly nothingLeft: Html
}

/** The pages on which a person connects a device by its code. */
interface DeviceWords {
  readonly title: string
  readonly enter: (school: string) => string
  /** In place of both if a link filled in the code. */
  readonly compare: string
  readonly compareMeans: string
  readonly onlyOwn: Html
  readonly code: string
  readonly codeMeans: (example: Part) => Html
  readonly malformed: string
  readonly unknown: string
  readonly proceed: string
  /** Whether the person started the device, and has not been sent its code. */
  readonly started: (app: Part) => Html
  /** Names the row with the code. */
  readonly shown: string
  /** Names the row with the place, the time and the program. */
  readonly askedFrom: string
  readonly nowhere: string
  readonly calledItself: (program: Part) => Html
  readonly allowedTitle: (app: string) => string
  readonly allowedHeading: (app: Part) => Html
  readonly allowed: (app: Part) => Html
  readonly deniedTitle: (app: string) => string
  readonly deniedHeading: (app: Part) => Html
  readonly denied: (app: Part) => Html
}

/** The page after a decision about more for an app that is connected. */
interface BackToAppWords {
  readonly title: (app: string) => string
  readonly heading: (app: Part) => Html
  readonly headingAllowed: (app: Part) => Html
  readonly allowed: (app: Part) => Html
  readonly denied: (app: Part) => Html
  readonly close: string
}

/** The page with an address to paste into a terminal. */
interface PasteAddressWords {
  readonly title: string
  readonly heading: (app: Part) => Html
  readonly waits: (app: Part) => Html
  readonly address: string
  readonly only: (app: Part) => Html
  readonly once: (span: string) => string
  readonly close: string
}

/** The text of an error page: what happened, and how the reader can continue. */
export interface ErrorText {
  readonly title: string
  readonly what: string
  readonly advice: string
}

/** An error with words of its own: a reason, a fault of a metadata document, or any other. */
export type ErrorName =
  | 'other'
  | 'document_at_fault'
  | 'too_many_requests'
  | 'request_too_long'
  | Extract<
      ErrorView['reason'],
      | 'document_host_not_allowed'
      | 'client_unknown'
      | 'client_disabled'
      | 'client_blocked'
      | 'client_ended'
      | 'member_clients_off'
      | 'document_unavailable'
      | 'document_fetch_paced'
      | 'request_paced'
      | 'redirect_uri_missing'
      | 'redirect_uri_not_registered'
      | 'person_signed_out'
      | 'interaction_expired'
      | 'interaction_of_other_browser'
      | 'grant_not_of_person'
      | 'scope_beyond_role'
      | 'csrf_token_mismatch'
      | 'service_unavailable'
    >

interface ErrorWords {
  readonly pages: Readonly<Record<ErrorName, ErrorText>>
  readonly forMakers: string
  readonly code: string
  readonly attemptId: string
  readonly requestId: string
  readonly notFound: {
    readonly title: string
    readonly heading: string
    readonly what: string
    readonly home: (school: string) => string
  }
  readonly fault: { readonly title: string; readonly what: string }
  readonly tooManyTries: {
    readonly title: string
    readonly wait: (span: string) => string
    readonly why: string
  }
  /** A request of a signed-in person that was refused. */
  readonly areas: Readonly<Record<AreaFault, { readonly title: string; readonly what: string }>>
  /** Leads to the page that shows the result of a form that was sent before. */
  readonly seeNow: string
}

interface AccountWords {
  /** Names the navigation. */
  readonly name: string
  readonly home: string
  readonly apps: string
  readonly appsAre: string
  readonly applications: string
  readonly applicationsAre: string
  readonly hello: (name: Part) => Html
  readonly welcome: (school: string) => string
  readonly signedInAs: (name: Part, roles: string) => Html
  readonly justNow: string
}

interface AppsWords {
  readonly lead: (school: string) => string
  readonly disconnected: (app: Part) => Html
  readonly allDisconnected: Html
  readonly disconnectAll: (count: string) => string
  /** The page on which a person asks for an app that their role does not allow. */
  readonly ask: {
    readonly title: (app: string) => string
    readonly heading: (app: Part) => Html
    readonly effect: (school: string) => string
    readonly submit: string
    readonly keep: string
    readonly done: (app: Part) => Html
  }
  readonly empty: {
    readonly title: string
    readonly text: string
    readonly how: (school: string) => string
  }
  readonly turnedOff: (school: string) => Html
  readonly connected: string
  readonly lastUsed: string
  readonly never: string
  readonly ends: string
  readonly ended: string
  readonly can: string
  readonly showAll: (count: string) => string
  readonly recent: string
  readonly disconnect: string
  readonly confirm: {
    readonly title: (app: string) => string
    readonly heading: (app: Part) => Html
    readonly effect: string
    readonly neverUsed: string
    readonly lastUsed: (ago: Part) => Html
    readonly again: string
    readonly keep: string
  }
  readonly confirmAll: {
    readonly title: string
    readonly heading: string
    readonly effect: string
    readonly again: string
    readonly submit: string
    readonly keep: string
  }
}
