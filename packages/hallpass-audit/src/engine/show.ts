import type { Answer } from './answer.js'
import type { Mask } from './mask.js'

/** Header lines that say something of most requests and answers, and of no requirement. */
const DULL = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'server',
  'transfer-encoding',
])

/** Headers that say the most: a report may show the first lines only. */
const FIRST = ['location', 'www-authenticate']

const showHeaders = (headers: Iterable<readonly [string, string]>): string =>
  [...headers]
    .filter(([name]) => !DULL.has(name.toLowerCase()))
    .toSorted(([one], [other]) => Number(FIRST.includes(other)) - Number(FIRST.includes(one)))
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')

/** A request as it was sent. */
interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** A request as a report shows it. */
export const showRequest = ({ method, url, headers, body = '' }: Sent, mask: Mask): string =>
  mask.hide(`${method} ${url.pathname}${url.search}\n${showHeaders(Object.entries(headers))}`) + showBody(body, mask) // prettier-ignore

export const showAnswer = (
  { status, headers, text }: Omit<Answer, 'exchange'>,
  mask: Mask,
): string => mask.hide(`${status}\n${showHeaders(headers)}`) + showBody(text, mask)

/** Characters of a body that are shown, and those in which secrets are looked for before. */
const SHOWN = 1500
const SEARCHED = 64 * 1024

function showBody(text: string, mask: Mask): string {
  if (text === '') return ''
  const hidden = mask.hide(text.slice(0, SEARCHED))
  return `\n${hidden.length > SHOWN ? `${hidden.slice(0, SHOWN)}… (${text.length} characters)` : hidden}`
}
