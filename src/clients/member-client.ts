import type { ScopeRegistry } from '../scope/scope-registry.js'
import {
  isBlank,
  isClientDescription,
  isClientIcon,
  isClientName,
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  MAX_REDIRECT_URIS,
  quote,
} from '../policy/client-metadata.js'
import { type RedirectPolicy, redirectUriFault } from '../policy/client-redirect.js'
import type { Client, TokenEndpointAuthMethod } from '../policy/client.js'

/** A member client as somebody typed it. */
export interface MemberClientDraft {
  readonly name: string
  /** `null` or empty = none. */
  readonly description: string | null
  /** `null` or empty = none. */
  readonly icon: string | null
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
  /** Member scopes. Identity scopes go without saying and are not kept. */
  readonly scopes: readonly string[]
}

/** Why a draft may not be stored. */
export type DraftReason =
  | 'name_malformed'
  | 'description_malformed'
  | 'icon_malformed'
  | 'redirect_uris_missing'
  | 'redirect_uris_too_many'
  | 'redirect_uri_malformed'
  | 'redirect_uri_not_allowed'
  | 'auth_method_not_supported'
  | 'scopes_missing'
  | 'scope_unknown'
  | 'scope_of_other_audience'

/** One thing that is wrong with a draft. */
export interface DraftIssue {
  readonly field: keyof MemberClientDraft
  /** The value at fault, of a field that holds several; `null` = the field as a whole. */
  readonly value: string | null
  readonly reason: DraftReason
  /** One sentence for the person who typed it, in printable ASCII. */
  readonly description: string
}

/** A draft that may be stored. */
export type MemberClientFields = Pick<
  Client,
  'name' | 'description' | 'icon' | 'redirectUris' | 'tokenEndpointAuthMethod' | 'scopes'
>

/**
 * Decides what may be stored of a draft: a name, redirect URIs that are https, loopback, or a scheme
 * of the application's own (RFC 8252 §7.1: with a dot in it, or one of `appSchemes`), and scopes of the
 * member audience alone.
 *
 * @returns what to store, or every fault at once
 */
export function decideMemberClient({
  draft,
  registry,
  loopbackHosts,
  appSchemes,
}: {
  draft: MemberClientDraft
  registry: ScopeRegistry
  loopbackHosts?: readonly string[]
  appSchemes?: readonly string[]
}):
  | { readonly ok: true; readonly fields: MemberClientFields }
  | { readonly ok: false; readonly faults: readonly DraftIssue[] } {
  const redirectUris = [...new Set(draft.redirectUris)]
  const isIdentity = (scope: string): boolean => registry.get(scope)?.access === 'identity'
  const scopes = [...new Set(draft.scopes)].filter((scope) => !isIdentity(scope))
  const faults = [
    ...textFaults(draft),
    ...redirectFaults(redirectUris, { loopbackHosts, appSchemes }),
    ...authMethodFaults(draft),
    ...scopeFaults(scopes, registry),
  ]
  if (faults.length > 0) return { ok: false, faults }
  const { name, description, icon, tokenEndpointAuthMethod } = draft
  return {
    ok: true,
    fields: {
      name: name.trim(),
      description: description?.trim() || null,
      icon: icon || null,
      redirectUris,
      tokenEndpointAuthMethod,
      scopes: registry.names.filter((scope) => scopes.includes(scope)),
    },
  }
}

const fault = (
  field: DraftIssue['field'],
  reason: DraftReason,
  description: string,
  value: string | null = null,
): DraftIssue => ({ field, value, reason, description })

function textFaults({ name, description, icon }: MemberClientDraft): readonly DraftIssue[] {
  const faults: DraftIssue[] = []
  if (!isClientName(name) || isBlank(name))
    faults.push(
      fault(
        'name',
        'name_malformed',
        `Give it a name of 1 to ${MAX_NAME_LENGTH} printable characters.`,
      ),
    )
  if (description !== null && !isClientDescription(description))
    faults.push(
      fault(
        'description',
        'description_malformed',
        `The description may have up to ${MAX_DESCRIPTION_LENGTH} printable characters.`,
      ),
    )
  if (icon !== null && !isClientIcon(icon))
    faults.push(fault('icon', 'icon_malformed', 'Choose one of the icons.'))
  return faults
}

function redirectFaults(uris: readonly string[], allowed: RedirectPolicy): readonly DraftIssue[] {
  if (uris.length === 0)
    return [fault('redirectUris', 'redirect_uris_missing', 'Give at least one redirect address.')]
  if (uris.length > MAX_REDIRECT_URIS)
    return [
      fault(
        'redirectUris',
        'redirect_uris_too_many',
        `Give at most ${MAX_REDIRECT_URIS} redirect addresses.`,
      ),
    ]
  return uris.flatMap((uri) => {
    const reason = redirectUriFault(uri, allowed)
    return reason === null
      ? []
      : [fault('redirectUris', reason, `${quote(uri)} ${UNFIT_ADDRESS[reason]}.`, uri)]
  })
}

const UNFIT_ADDRESS = {
  redirect_uri_malformed:
    'is not an absolute address without fragment, dot segments and response parameters',
  redirect_uri_not_allowed:
    "is neither https with a host name in lower case, nor an address of the person's own computer such as http://127.0.0.1/callback, nor of a known app's own scheme",
}

function authMethodFaults({
  tokenEndpointAuthMethod: method,
}: MemberClientDraft): readonly DraftIssue[] {
  return method === 'none' || method === 'client_secret_post'
    ? []
    : [
        fault(
          'tokenEndpointAuthMethod',
          'auth_method_not_supported',
          'Choose public or confidential.',
        ),
      ]
}

function scopeFaults(scopes: readonly string[], registry: ScopeRegistry): readonly DraftIssue[] {
  if (scopes.length === 0)
    return [fault('scopes', 'scopes_missing', 'Choose at least one thing that it may do.')]
  return scopes.flatMap((scope) => {
    const row = registry.get(scope)
    if (row === undefined)
      return [fault('scopes', 'scope_unknown', `${quote(scope)} is no scope of this site.`, scope)]
    return row.audience === 'member'
      ? []
      : [
          fault(
            'scopes',
            'scope_of_other_audience',
            `${scope} is not for applications of members.`,
            scope,
          ),
        ]
  })
}
