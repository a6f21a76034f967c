import { decideMemberClient, type DraftIssue, type MemberClientDraft } from 'hallpass/clients'
import type { TokenEndpointAuthMethod, Vendor } from 'hallpass/policy'
import type { ScopeRegistry } from 'hallpass/scope'
import type {
  ApplicationFaults,
  ApplicationFormView,
  CheckedAddress,
  PagesOfApplications,
  RedirectPreset,
} from '../../../pages/applications/views.js'

/** The rules of a draft: the scopes of the site, and whether an app may sign or have no redirect address. */
export interface DraftRules {
  readonly scopes: ScopeRegistry
  readonly maySign?: boolean
  readonly mayOmitRedirects?: boolean
}

/** The input of the app form. */
export type Typed = ApplicationFormView['values']

/** Reads the form exactly as it was filled in. */
export const typedOf = (form: URLSearchParams, authMethod: string | null): Typed => ({
  name: form.get('name') ?? '',
  description: form.get('description') ?? '',
  icon: form.get('icon') || null,
  // Not validated here: `decideMemberClient` decides about all fields.
  authMethod: (authMethod ?? '') as TokenEndpointAuthMethod,
  keys: form.get('keys') ?? '',
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
  keys: typed.authMethod === 'private_key_jwt' ? typed.keys : null,
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
  rules: DraftRules,
  pages: Pick<PagesOfApplications, 'faults'>,
): readonly CheckedAddress[] =>
  addressesOf(typed.redirectUris).map(({ line, uri }) => {
    const draft = { ...draftOf(typed), redirectUris: [uri] }
    const faults = faultsOfDraft(draft, rules).filter(({ field }) => field === 'redirectUris')
    return { line, uri, fault: pages.faults(faults) }
  })

/** Returns all errors of the form input. */
export function draftFaults(
  typed: Typed,
  rules: DraftRules,
  { icons }: Pick<PagesOfApplications, 'icons'>,
): readonly DraftIssue[] {
  const { icon } = typed
  const isKnown = icon === null || icons.includes(icon)
  const faults = faultsOfDraft(draftOf({ ...typed, icon: isKnown ? icon : null }), rules)
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
  keys: null,
  redirectUris: null,
  scopes: null,
}

/** Returns an error that concerns the form as a whole. */
export const formFault = (form: string): ApplicationFaults => ({ ...FAULTLESS, form })

/** Groups errors by the field that shows them. Errors of a single address are shown at its line instead. */
export function faultsByField(
  faults: readonly DraftIssue[],
  pages: Pick<PagesOfApplications, 'faults'>,
): ApplicationFaults {
  const of = (field: DraftIssue['field']): string | null =>
    pages.faults(
      faults
        .filter((fault) => fault.field === field)
        .filter(({ value }) => field !== 'redirectUris' || value === null),
    )
  return {
    form: null,
    name: of('name'),
    description: of('description'),
    icon: of('icon'),
    authMethod: of('tokenEndpointAuthMethod'),
    keys: of('keys'),
    redirectUris: of('redirectUris'),
    scopes: of('scopes'),
  }
}

function faultsOfDraft(
  draft: MemberClientDraft,
  { scopes: registry, maySign = false, mayOmitRedirects = false }: DraftRules,
): readonly DraftIssue[] {
  // Client management reads the keys when it stores them.
  const signing = maySign ? () => null : undefined
  const decided = decideMemberClient({ draft, registry, signing, mayOmitRedirects })
  return decided.ok ? [] : decided.faults
}

const addressesOf = (text: string): readonly { line: number; uri: string }[] =>
  text
    .split(/\r\n?|\n/)
    .map((line, index) => ({ line: index + 1, uri: line.trim() }))
    .filter(({ uri }) => uri !== '')

const VENDORS = ['claude', 'chatgpt', 'vscode', 'cursor']
const LOOPBACK = 'loopback'

/** Returns the presets for redirect addresses: well-known apps, and an app on the person's own computer. */
export const presetsOf = (vendors: readonly Vendor[]): readonly RedirectPreset[] => [
  ...vendors
    .filter(({ clientId }) => VENDORS.includes(clientId))
    .map(({ clientId, name }) => ({ preset: clientId, label: name })),
  { preset: LOOPBACK, label: null },
]

/** Returns the addresses of a preset, or none if there is no preset of this name. */
export function findPreset(vendors: readonly Vendor[], preset: string): readonly string[] {
  if (preset === LOOPBACK) return ['http://127.0.0.1/callback']
  if (!VENDORS.includes(preset)) return []
  return vendors.find(({ clientId }) => clientId === preset)?.redirectUris ?? []
}
