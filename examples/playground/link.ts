import { PRESETS, type StepId, STEPS, type Track } from '../school/src/playground/presets.js'
import { type Draft, type Values } from './draft.js'

/** A link to the playground. Opening it sends nothing. */
export interface Linked {
  /** The address of the server. */
  readonly target: string
  readonly track: Track
  readonly step: StepId | null
  /** The request of the step; `null` for the one of a well-behaved client. */
  readonly draft: Draft | null
  /** The break that it is about. Default: none */
  readonly preset?: string
}

const TRACKS: readonly Track[] = ['operator', 'member', 'mcp']

/**
 * Returns the fragment of a link to a request. Values that the session knows are replaced by their variables, so that
 * a link contains no token, no code and no verifier.
 */
export function fragmentOf({ target, track, step, draft, preset }: Linked, values: Values): string {
  const hide = (text: string): string =>
    Object.entries(values).reduce(
      (hidden, [name, value]) =>
        value.length < 16 ? hidden : hidden.replaceAll(value, `{${name}}`),
      text,
    )
  const query = new URLSearchParams({ to: target, as: track })
  if (step !== null) query.append('step', step)
  if (preset !== undefined) query.append('break', preset)
  if (draft !== null) {
    query.append('send', `${draft.method} ${hide(draft.url)}`)
    for (const [name, value] of draft.headers) query.append(`h.${name}`, hide(value))
    for (const [name, value] of draft.fields) query.append(`p.${name}`, hide(value))
    if (draft.body !== null) query.append('body', hide(draft.body))
  }
  return `#${query.toString()}`
}

/** Reads the fragment of a link, or returns `null` if it is not a link of the playground. */
export function linkedOf(fragment: string): Linked | null {
  const query = new URLSearchParams(fragment.replace(/^#/, ''))
  const target = query.get('to')
  if (target === null || !isAddress(target)) return null
  const track = TRACKS.find((one) => one === query.get('as')) ?? 'operator'
  const preset = PRESETS.find(({ id }) => id === query.get('break'))
  const step = preset?.step ?? STEPS.find((one) => one === query.get('step')) ?? null
  const [, method, url] = /^(GET|POST) (.+)$/.exec(query.get('send') ?? '') ?? []
  const under = (prefix: string): Draft['fields'] =>
    [...query].flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    )
  const draft: Draft | null =
    step === null || method === undefined || url === undefined
      ? null
      : {
          method: method as Draft['method'],
          url,
          headers: under('h.'),
          fields: under('p.'),
          body: query.get('body'),
        }
  return { target, track, step, draft, ...(preset !== undefined && { preset: preset.id }) }
}

/** Whether a text is the address of a server: https, or http on this computer. */
export function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, hash, search } = new URL(text)
  if (username !== '' || hash !== '' || search !== '') return false
  return (
    protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname))
  )
}
