import { decideMemberClient, type DraftIssue, type MemberClientDraft } from 'hallpass/clients'
import type { TokenEndpointAuthMethod } from 'hallpass/policy'
import type { ScopeRegistry } from 'hallpass/scope'
import { APPLICATION_ICONS } from '../pages/applications/icons.js'
import type {
  ApplicationFaults,
  ApplicationFormView,
  CheckedAddress,
} from '../pages/applications/views.js'

/** What somebody typed into the form of an application. */
export type Typed = ApplicationFormView['values']

/** What was typed, as it was typed. */
export const typedOf = (form: URLSearchParams, authMethod: string | null): Typed => ({
  name: form.get('name') ?? '',
  description: form.get('description') ?? '',
  icon: form.get('icon') || null,
  // Whether it is one is decided with everything else.
  authMethod: (authMethod ?? '') as TokenEndpointAuthMethod,
  redirectUris: form.get('redirect_uris') ?? '',
  scopes: form.getAll('scope'),
})

/** What was typed, as hallpass wants it. */
export const draftOf = (typed: Typed): MemberClientDraft => ({
  name: typed.name,
  description: typed.description,
  icon: typed.icon,
  redirectUris: addressesOf(typed.redirectUris).map(({ uri }) => uri),
  tokenEndpointAuthMethod: typed.authMethod,
  scopes: typed.scopes,
})

/** What was typed, with ready addresses below those that are there. */
export function withAddresses(typed: Typed, uris: readonly string[]): Typed {
  const present = addressesOf(typed.redirectUris).map(({ uri }) => uri)
  const added = uris.filter((uri) => !present.includes(uri))
  const before = typed.redirectUris.trimEnd()
  return { ...typed, redirectUris: [...(before === '' ? [] : [before]), ...added].join('\n') }
}

/** Judges every address by itself, so that one bad line says nothing about the others. */
export const checkedAddresses = (
  typed: Typed,
  registry: ScopeRegistry,
): readonly CheckedAddress[] =>
  addressesOf(typed.redirectUris).map(({ line, uri }) => {
    const draft = { ...draftOf(typed), redirectUris: [uri] }
    const fault = faultsOfDraft(draft, registry).find(({ field }) => field === 'redirectUris')
    return { line, uri, fault: fault?.description ?? null }
  })

/** Everything that is wrong with what was typed, whatever else may be. */
export function draftFaults(typed: Typed, registry: ScopeRegistry): readonly DraftIssue[] {
  const { icon } = typed
  const isKnown = icon === null || Object.hasOwn(APPLICATION_ICONS, icon)
  const faults = faultsOfDraft(draftOf({ ...typed, icon: isKnown ? icon : null }), registry)
  return isKnown
    ? faults
    : [
        ...faults,
        {
          field: 'icon',
          value: icon,
          reason: 'icon_malformed',
          description: 'Choose one of the icons.',
        },
      ]
}

const FAULTLESS: ApplicationFaults = {
  form: null,
  name: null,
  description: null,
  icon: null,
  authMethod: null,
  redirectUris: null,
  scopes: null,
}

/** The form as a whole is what is wrong. */
export const formFault = (form: string): ApplicationFaults => ({ ...FAULTLESS, form })

/** Faults where the form shows them. What is wrong with one address stands at its line. */
export function faultsByField(faults: readonly DraftIssue[]): ApplicationFaults {
  const of = (field: DraftIssue['field']): string | null => {
    const texts = faults
      .filter((fault) => fault.field === field)
      .filter(({ value }) => field !== 'redirectUris' || value === null)
      .map(({ description }) => description)
    return texts.length === 0 ? null : texts.join(' ')
  }
  return {
    form: null,
    name: of('name'),
    description: of('description'),
    icon: of('icon'),
    authMethod: of('tokenEndpointAuthMethod'),
    redirectUris: of('redirectUris'),
    scopes: of('scopes'),
  }
}

function faultsOfDraft(draft: MemberClientDraft, registry: ScopeRegistry): readonly DraftIssue[] {
  const decided = decideMemberClient({ draft, registry })
  return decided.ok ? [] : decided.faults
}

const addressesOf = (text: string): readonly { line: number; uri: string }[] =>
  text
    .split(/\r\n?|\n/)
    .map((line, index) => ({ line: index + 1, uri: line.trim() }))
    .filter(({ uri }) => uri !== '')
