import {
  type Edit,
  LIST_TOOLS,
  registrationOf,
  type StepId,
} from '../school/src/playground/presets.js'

/** Names with values, in order. A name may occur twice. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** The values of variables, by name. */
export type Values = Readonly<Record<string, string>>

/**
 * A request that is not sent yet. Every text may contain variables, such as `{code}`: secrets are nowhere else, so a
 * draft can be shown, stored and linked to.
 */
export interface Draft {
  readonly method: 'GET' | 'POST'
  /** Without its query. */
  readonly url: string
  readonly headers: Fields
  /** The query of a `GET`, and the form of a `POST`. */
  readonly fields: Fields
  /** The content instead of a form, as JSON; `null` if there is none. */
  readonly body: string | null
}

/** The variables with tokens. They never leave the memory of the page. */
export const TOKENS = [
  'access_token',
  'refresh_token',
  'previous_refresh_token',
  'first_refresh_token',
  'other_token',
]

/** The variables with secrets. */
export const SECRETS = ['code', 'code_verifier', ...TOKENS]

const VARIABLE = /\{([a-z_]+)\}/g

/** Creates a draft. */
export const newDraft = (
  method: Draft['method'],
  url: string,
  more: Partial<Omit<Draft, 'method' | 'url'>> = {},
): Draft => ({ method, url, headers: [], fields: [], body: null, ...more })

/** The request of each step as a well-behaved client sends it. */
const DRAFTS: Readonly<Record<StepId, Draft>> = {
  discover: newDraft('GET', '{issuer}/.well-known/oauth-authorization-server'),
  register: newDraft('POST', '{registration_endpoint}', { body: registrationOf() }),
  authorize: newDraft('GET', '{authorization_endpoint}', {
    fields: [
      ['response_type', 'code'],
      ['client_id', '{client_id}'],
      ['redirect_uri', '{redirect_uri}'],
      ['scope', '{scope}'],
      ['resource', '{resource}'],
      ['code_challenge', '{code_challenge}'],
      ['code_challenge_method', 'S256'],
      ['state', '{state}'],
      ['nonce', '{nonce}'],
    ],
  }),
  exchange: newDraft('POST', '{token_endpoint}', {
    fields: [
      ['grant_type', 'authorization_code'],
      ['client_id', '{client_id}'],
      ['redirect_uri', '{redirect_uri}'],
      ['resource', '{resource}'],
      ['code', '{code}'],
      ['code_verifier', '{code_verifier}'],
    ],
  }),
  use: newDraft('GET', '{userinfo_endpoint}', {
    headers: [['authorization', 'Bearer {access_token}']],
  }),
  refresh: newDraft('POST', '{token_endpoint}', {
    fields: [
      ['grant_type', 'refresh_token'],
      ['client_id', '{client_id}'],
      ['refresh_token', '{refresh_token}'],
    ],
  }),
  revoke: newDraft('POST', '{revocation_endpoint}', {
    fields: [
      ['client_id', '{client_id}'],
      ['token', '{refresh_token}'],
    ],
  }),
}

/**
 * Returns the request of a step as a well-behaved client sends it.
 *
 * @param known - a page with a client ID metadata document reads that, and an agent uses MCP
 */
export function draftOf(
  step: StepId,
  { hasDocument, isAgent }: { hasDocument: boolean; isAgent: boolean },
): Draft {
  if (step === 'register' && hasDocument) return newDraft('GET', '{client_id}')
  if (step !== 'use' || !isAgent) return DRAFTS[step]
  return edited(DRAFTS.use, LIST_TOOLS)
}

/** Returns a draft with the changes of a preset. */
export function edited(before: Draft, edit: Edit): Draft {
  const { method = before.method, url = before.url, body = before.body } = edit
  return {
    method,
    url,
    body,
    headers: withFields(before.headers, edit.headers),
    fields: [...withFields(before.fields, edit.set), ...Object.entries(edit.add ?? {})],
  }
}

function withFields(before: Fields, changes: Edit['set'] = {}): Fields {
  const kept = before.flatMap(([name, value]) => {
    const changed = Object.hasOwn(changes, name) ? changes[name]! : value
    return changed === null ? [] : [[name, changed] as const]
  })
  const known = new Set(before.map(([name]) => name))
  const added = Object.entries(changes).flatMap(([name, value]) =>
    known.has(name) || value === null ? [] : [[name, value] as const],
  )
  return [...kept, ...added]
}

/** Returns the names of the variables in a draft, each once. */
export const variablesOf = ({ url, headers, fields, body }: Draft): readonly string[] => {
  const texts = [url, body ?? '', ...[...headers, ...fields].flat()]
  const names = texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name]) => name!))
  return [...new Set(names)]
}

/** Returns the names of the variables in a draft that have no value yet. */
export const missingIn = (draft: Draft, values: Values): readonly string[] =>
  variablesOf(draft).filter((name) => values[name] === undefined)

/** Returns a draft with the values of its variables. One without a value stays as it is. */
export const filled = ({ method, url, headers, fields, body }: Draft, values: Values): Draft => {
  const fill = (text: string): string =>
    text.replace(VARIABLE, (variable, name: string) => values[name] ?? variable)
  const all = (pairs: Fields): Fields => pairs.map(([name, value]) => [name, fill(value)])
  return {
    method,
    url: fill(url),
    headers: all(headers),
    fields: all(fields),
    body: body === null ? null : fill(body),
  }
}

/** Returns the fields as the browser takes them. */
export const parametersOf = ({ fields }: Draft): URLSearchParams =>
  new URLSearchParams(fields.map(([name, value]) => [name, value]))

/** Returns the address with the query of a `GET`. */
export const addressOf = (one: Draft): string =>
  one.method === 'GET' && one.fields.length > 0 ? `${one.url}?${parametersOf(one)}` : one.url

/** Returns the headers, with the type of content that is JSON. */
export const headersOf = ({ headers, body }: Draft): Fields =>
  body === null ? headers : [...headers, ['content-type', 'application/json']]

/** Splits a text into its words and its variables, in order. */
export const partsOf = (
  text: string,
): readonly { readonly text: string; readonly isVariable: boolean }[] =>
  text
    .split(/(\{[a-z_]+\})/)
    .filter((part) => part !== '')
    .map((part) =>
      /^\{[a-z_]+\}$/.test(part)
        ? { text: part.slice(1, -1), isVariable: true }
        : { text: part, isVariable: false },
    )
