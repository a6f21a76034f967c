import { type Finding, notReached, Stop } from '../finding.js'
import type { Credentials, SignIn } from '../sign-in.js'
import { pathOfPage } from './browser.js'
import { elementsIn, isPassword } from './html.js'
import { type Answer, type Http, type SendOptions, Unanswered } from './http.js'

/** One of the two people of the sign-in, or its member. */
export type Person = 0 | 1 | 'member'

/** Watches over passwords: a server may lock an account whose password is wrong again and again. */
export interface SignIns {
  /** Sends as the browser of a person, or one of no one. No password is sent that was refused. */
  readonly through: (http: Http, person: Person | null) => Http
  /** Stops if the person cannot sign in. */
  readonly require: (person: Person) => void
  /** Why people cannot sign in, in a sentence for each. */
  readonly refused: () => readonly string[]
}

/** A person, and what is known of their password. */
interface Known {
  readonly person: Person
  readonly credentials: Credentials
  /** Whether they were signed in before, so that the password is right. */
  isRight: boolean
  /** How often the password was sent since it was right. */
  tries: number
  end: Stop | null
}

/** How often a password is sent that may be wrong, and one that was right before. */
const MOST_TRIES = 2
const MOST_TRIES_OF_RIGHT = 10

const NAMES = { 0: 'the first person', 1: 'the second person', member: 'the member' }
/** The names of fields that have a secret. If a person has none, all that they type is one. */
const SECRET = /pass|pwd|pin|secret|contrase|kenn?wort|mot.?de/i
/** Whether a page asks for a password. A script that builds another page may have such a field in it. */
const asksAgain = (answer: Answer): boolean => elementsIn(answer).some(isPassword)
const ASKS_FOR_CODE = /<input\b[^>]*\b(?:autocomplete\s*=\s*["']?one-time-code|(?:name|id)\s*=\s*["']?[\w.-]*(?:otp|2fa|mfa|factor|verification))/i // prettier-ignore

export function createSignIns(signIn: SignIn | null): SignIns {
  const people: readonly (readonly [Person, Credentials | undefined])[] = [
    [0, signIn?.people[0]],
    [1, signIn?.people[1]],
    ['member', signIn?.member?.person],
  ]
  const all = people.flatMap(([person, credentials]): Known[] =>
    credentials === undefined ? [] : [{ person, credentials, isRight: false, tries: 0, end: null }],
  )

  /** Whose password a request has. Two people may have the same one. */
  function whoseIn(url: URL, { body = '' }: SendOptions, own: Person | null): Known | undefined {
    const fields = [...url.searchParams.values(), ...new URLSearchParams(body).values()]
    const isSent = (value: string): boolean =>
      fields.includes(value) || body.includes(JSON.stringify(value)) || body.includes(`\r\n\r\n${value}\r\n`)
    const found = all.filter(({ credentials }) => {
      const secrets = Object.keys(credentials).filter((name) => SECRET.test(name))
      return secrets.length > 0
        ? secrets.some((name) => isSent(credentials[name]!))
        : Object.values(credentials).every(isSent)
    })
    const isWhole = ({ credentials }: Known): boolean => Object.values(credentials).every(isSent)
    return found.find(({ person }) => person === own) ?? found.find(isWhole) ?? found[0]
  } // prettier-ignore

  function end(known: Known, why: string, at: Parameters<typeof notReached>[1]): Stop {
    const finding: Finding = notReached(`the sign-in of ${NAMES[known.person]} of --sign-in ${why}`, at) // prettier-ignore
    known.end = new Stop(finding)
    return known.end
  }

  const isSpent = ({ isRight, tries }: Known): boolean =>
    tries >= (isRight ? MOST_TRIES_OF_RIGHT : MOST_TRIES)

  /** Reads from an answer whether the password was right. Returns whether a later answer may show it. */
  function judge(known: Known, answer: Answer, isFirst: boolean, http: Http): boolean {
    const { status, url, text, location } = answer
    const where = `${status} at ${pathOfPage(url)}`
    const refuse = (why: string, isSure: boolean): false => {
      if (isSpent(known) || (isSure && !known.isRight)) end(known, why, answer)
      return false
    }
    const accept = (): false => {
      known.isRight = true
      known.tries = 0
      return false
    }
    if (location !== null) return http.reaches(location) || accept()
    if (status === 429) return refuse(`was limited: ${where}`, false)
    if (status >= 500) return refuse(`failed: ${where}`, false)
    if (status === 401 || (isFirst && status >= 400)) return refuse(`was refused: ${where}`, true)
    if (asksAgain(answer)) return refuse(`was refused: ${pathOfPage(url)} asks for the password again`, true) // prettier-ignore
    if (signIn?.answer === undefined && ASKS_FOR_CODE.test(text))
      return refuse(`needs a second factor, for which ${pathOfPage(url)} asks: name a person without one, or give \`answer\``, true) // prettier-ignore
    // A page that a script builds, and an answer to a script, say nothing.
    return !/<form\b/i.test(text) || accept()
  }

  return {
    refused: () => all.flatMap(({ end: stop }) => stop?.finding.found ?? []),
    require(person) {
      const stop = all.find((known) => known.person === person)?.end
      if (stop != null) throw stop
    },
    through(http, person) {
      /** Whose password was sent, until an answer shows whether it was right. */
      let open: Known | null = null
      return {
        ...http,
        async send(target, options = {}) {
          const whose = whoseIn(new URL(target), options, person)
          if (whose === undefined) {
            const answer = await http.send(target, options)
            if (open !== null && !judge(open, answer, false, http)) open = null
            return answer
          }
          if (whose.end !== null) throw whose.end
          if (isSpent(whose)) throw end(whose, `leads nowhere: the password was sent ${whose.tries} times`, undefined) // prettier-ignore
          whose.tries += 1
          try {
            const answer = await http.send(target, { ...options, keepsLimit: true })
            open = judge(whose, answer, true, http) ? whose : null
            return answer
          } catch (error) {
            if (error instanceof Unanswered && isSpent(whose))
              throw end(whose, `was not answered: ${error.finding.found}`, { exchange: error.finding.exchange! }) // prettier-ignore
            throw error
          }
        },
      }
    },
  }
}
