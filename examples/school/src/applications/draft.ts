import { decideMemberClient, type DraftIssue, type MemberClientDraft } from 'hallpass/clients'
import type { TokenEndpointAuthMethod } from 'hallpass/policy'
import type { ScopeRegistry } from 'hallpass/scope'
import { APPLICATION_ICONS } from '../../../pages/applications/icons.js'
import { faultsInWords } from '../../../pages/applications/refusals.js'
import type {
  ApplicationFaults,
  ApplicationFormView,
  CheckedAddress,
} from '../../../pages/applications/views.js'
import type { ApplicationsWords } from '../../../pages/words/applications/en.js'

/** The input of the app form. */
export type Typed = ApplicationFormView['values']

/** Reads the form exactly as it was filled in. */
export const typedOf = (form: URLSearchParams, authMethod: string | null): Typed => ({
  name: form.get('name') ?? '',
  description: form.get('description') ?? '',
  icon: form.get('icon') || null,
  // Not validated here: `decideMemberClient` decides about all fields.
  authMethod: (authMethod ?? '') as TokenEndpointAuthMethod,
  redirectUris: form.get('redirect_uris') ?? '',
  scopes: form.getAll('scope'),
})

/** Converts the form input to the draft that hallpass expects. */
export const draftOf = (typed: Typed): MemberClientDraft => ({
  name: typed.name,
  description: typed.description,
  icon: typed.icon,
  redirectUris: addressesOf(typed.redirectUris).map(({ uri }) => uri),
  tokenEndpointAuthMethod: typed.authMethod,
  scopes: typed.scopes,
})

/** Adds redirect addresses below those that are already in the form. */
export function withAddresses(typed: Typed, uris: readonly string[]): Typed {
  const present = addressesOf(typed.redirectUris).map(({ uri }) => uri)
  const added = uris.filter((uri) => !present.includes(uri))
  const before = typed.redirectUris.trimEnd()
  return { ...typed, redirectUris: [...(before === '' ? [] : [before]), ...added].join('\n') }
}

/** Validates every address separately, so that one invalid line does not affect the others. */
export const checkedAddresses = (
  typed: Typed,
  registry: ScopeRegistry,
  words: ApplicationsWords,
): readonly CheckedAddress[] =>
  addressesOf(typed.redirectUris).map(({ line, uri }) => {
    const draft = { ...draftOf(typed), redirectUris: [uri] }
    const faults = faultsOfDraft(draft, registry).filter(({ field }) => field === 'redirectUris')
    return { line, uri, fault: faultsInWords(faults, words) }
  })

/** Returns all errors of the form input. */
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
          description: 'the icon is not one of this school',
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

/** Returns an error that concerns the form as a whole. */
export const formFault = (form: string): ApplicationFaults => ({ ...FAULTLESS, form })

/** Groups errors by the field that shows them. Errors of a single address are shown at its line instead. */
export function faultsByField(
  faults: readonly DraftIssue[],
  words: ApplicationsWords,
): ApplicationFaults {
  const of = (field: DraftIssue['field']): string | null =>
    faultsInWords(
      faults
        .filter((fault) => fault.field === field)
        .filter(({ value }) => field !== 'redirectUris' || value === null),
      words,
    )
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
