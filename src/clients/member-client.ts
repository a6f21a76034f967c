import type { Audience, ScopeRegistry } from '../scope/scope-registry.js'
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
import type { SigningKeys } from '../policy/cimd-document.js'
import { isDocumentClientId } from '../policy/cimd-url.js'
import { type RedirectPolicy, redirectUriFault } from '../policy/client-redirect.js'
import type { Client, TokenEndpointAuthMethod } from '../policy/client.js'

/**
 * A member client as a manager enters it in a form; nothing in it is checked yet.
 *
 * @group Client drafts
 */
export interface MemberClientDraft {
  readonly name: string
  /** Up to 300 printable characters; `null` or empty for none. */
  readonly description: string | null
  /** The name of an icon that your pages know; `null` or empty for none. */
  readonly icon: string | null
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
  /**
   * The public keys of a client with `private_key_jwt`: the https URL of a JWK Set, or a JWK Set as JSON of at most 16,384
   * characters. Blank keeps those that it has. Default: blank.
   */
  readonly keys?: string | null
  /** Member scopes. Identity scopes are ignored, because every client may request them. */
  readonly scopes: readonly string[]
}

/**
 * Why a field of a draft cannot be stored.
 *
 * @group Client drafts
 */
export type DraftReason =
  | 'name_malformed'
  | 'description_malformed'
  | 'icon_malformed'
  | 'redirect_uris_missing'
  | 'redirect_uris_too_many'
  | 'redirect_uri_malformed'
  | 'redirect_uri_not_allowed'
  | 'auth_method_not_supported'
  | 'keys_malformed'
  | 'scopes_missing'
  | 'scope_unknown'
  | 'scope_of_other_audience'

/**
 * One mistake in a draft, for the field at which a form shows it.
 *
 * @group Client drafts
 */
export interface DraftIssue {
  readonly field: keyof MemberClientDraft
  /** The wrong value, for a field with several values; `null` if the mistake concerns the whole field. */
  readonly value: string | null
  readonly reason: DraftReason
  /** One sentence for the manager who entered the draft, in printable ASCII. */
  readonly description: string
}

/**
 * Decides whether a draft of a member client can be stored. Each redirect URI must use https, loopback, or
 * a private-use scheme: one with a dot, or one of `appSchemes`. Every scope must be of the member audience.
 *
 * @param draft - as entered, with the rules of the site. `registry`: its scopes. `loopbackHosts` and
 *   `appSchemes`: the default ones if they are left out. `signing`: reads keys, such as
 *   `decideClientKeys` from `hallpass/blocks`. Default: no client can sign. `mayOmitRedirects`: whether the server has a
 *   grant for members that redirects nowhere, such as `deviceGrant`. Default: `false`
 * @returns the fields to store, or `faults` with every mistake in the draft
 * @see [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252#section-7.1)
 * @see [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)
 * @example
 * ```ts
 * import { decideMemberClient } from 'hallpass/clients'
 * import { schoolScopes } from 'hallpass/scope'
 *
 * const draft = {
 *   name: ' Sketch Diary ',
 *   description: '',
 *   icon: null,
 *   tokenEndpointAuthMethod: 'none' as const,
 *   redirectUris: ['https://diary.example/callback'],
 *   scopes: ['openid', 'account:read'],
 * }
 * const decided = decideMemberClient({ draft, registry: schoolScopes })
 * decided.ok && decided.fields.scopes // => ['account:read']
 * const wrong = { ...draft, name: '', redirectUris: ['http://diary.example/callback'] }
 * const refused = decideMemberClient({ draft: wrong, registry: schoolScopes })
 * refused.ok || refused.faults.map(({ reason }) => reason) // => ['name_malformed', 'redirect_uri_not_allowed']
 * ```
 *
 * @group Client drafts
 */
export function decideMemberClient({
  draft,
  registry,
  loopbackHosts,
  appSchemes,
  signing,
  mayOmitRedirects = false,
}: {
  draft: MemberClientDraft
  registry: ScopeRegistry
  loopbackHosts?: readonly string[]
  appSchemes?: readonly string[]
  signing?: ((metadata: Readonly<Record<string, unknown>>) => SigningKeys | null) | undefined
  mayOmitRedirects?: boolean
}):
  | {
      readonly ok: true
      readonly fields: Pick<
        Client,
        | 'name'
        | 'description'
        | 'icon'
        | 'redirectUris'
        | 'tokenEndpointAuthMethod'
        | 'scopes'
        | 'keys'
      >
    }
  | { readonly ok: false; readonly faults: readonly DraftIssue[] } {
  const redirectUris = [...new Set(draft.redirectUris)]
  const isIdentity = (scope: string): boolean => registry.get(scope)?.access === 'identity'
  const scopes = [...new Set(draft.scopes)].filter((scope) => !isIdentity(scope))
  const faults: DraftIssue[] = [
    ...textFaults(draft),
    ...redirectFaults(redirectUris, { loopbackHosts, appSchemes, mayOmitRedirects }),
    ...authMethodFaults(draft, signing !== undefined),
    ...scopeFaults(scopes, { registry, audience: 'member' }),
  ]
  const entered = draft.keys?.trim() ?? ''
  const signed = entered === '' ? null : (signing?.(metadataOf(entered)) ?? null)
  if (signed?.ok === false)
    faults.push(fault('keys', 'keys_malformed', sentenceOf(signed.description!)))
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
      ...(signed?.ok === true &&
        tokenEndpointAuthMethod === 'private_key_jwt' && { keys: signed.keys }),
    },
  }
}

const MAX_KEYS_LENGTH = 16_384

/** Returns the keys that a manager entered as the metadata of a client. */
function metadataOf(entered: string): Readonly<Record<string, unknown>> {
  const method = { token_endpoint_auth_method: 'private_key_jwt' }
  if (isDocumentClientId(entered)) return { ...method, jwks_uri: entered }
  try {
    return { ...method, jwks: JSON.parse(entered.slice(0, MAX_KEYS_LENGTH)) as unknown }
  } catch {
    return { ...method, jwks: entered }
  }
}

const sentenceOf = (clause: string): string => `${clause[0]!.toUpperCase()}${clause.slice(1)}.`

const fault = (
  field: DraftIssue['field'],
  reason: DraftReason,
  description: string,
  value: string | null = null,
): DraftIssue => ({ field, value, reason, description })

/** Finds the mistakes in the texts of a draft. */
export function textFaults({
  name,
  description,
  icon,
}: Pick<MemberClientDraft, 'name' | 'description' | 'icon'>): readonly DraftIssue[] {
  const faults: DraftIssue[] = []
  if (!isClientName(name) || isBlank(name))
    faults.push(
      fault(
        'name',
        'name_malformed',
        `Enter a name of 1 to ${MAX_NAME_LENGTH} printable characters.`,
      ),
    )
  if (description !== null && !isClientDescription(description))
    faults.push(
      fault(
        'description',
        'description_malformed',
        `Enter a description of at most ${MAX_DESCRIPTION_LENGTH} printable characters.`,
      ),
    )
  if (icon !== null && !isClientIcon(icon))
    faults.push(fault('icon', 'icon_malformed', 'Choose one of the icons.'))
  return faults
}

function redirectFaults(
  uris: readonly string[],
  { mayOmitRedirects, ...allowed }: RedirectPolicy & { readonly mayOmitRedirects: boolean },
): readonly DraftIssue[] {
  if (uris.length === 0 && !mayOmitRedirects)
    return [fault('redirectUris', 'redirect_uris_missing', 'Enter at least one redirect address.')]
  if (uris.length > MAX_REDIRECT_URIS)
    return [
      fault(
        'redirectUris',
        'redirect_uris_too_many',
        `Enter at most ${MAX_REDIRECT_URIS} redirect addresses.`,
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
    'must be an absolute address without a fragment, dot segments or response parameters',
  redirect_uri_not_allowed:
    "must use https and a host name in lower case, an address of the person's own computer such as http://127.0.0.1/callback, or the scheme of an app such as com.example.app:/callback",
}

function authMethodFaults(
  { tokenEndpointAuthMethod: method }: MemberClientDraft,
  maySign: boolean,
): readonly DraftIssue[] {
  return method === 'none' ||
    method === 'client_secret_post' ||
    (maySign && method === 'private_key_jwt')
    ? []
    : [
        fault(
          'tokenEndpointAuthMethod',
          'auth_method_not_supported',
          `Choose public${maySign ? ', confidential, or signing with a key' : ' or confidential'}.`,
        ),
      ]
}

/** Finds the mistakes in the scopes of a draft: each must be of one audience, and identity scopes are of none. */
export function scopeFaults(
  scopes: readonly string[],
  { registry, audience }: { registry: ScopeRegistry; audience: Audience },
): readonly DraftIssue[] {
  if (scopes.length === 0)
    return [fault('scopes', 'scopes_missing', 'Choose at least one permission.')]
  return scopes.flatMap((scope) => {
    const row = registry.get(scope)
    if (row === undefined)
      return [
        fault('scopes', 'scope_unknown', `${quote(scope)} is not a scope of this site.`, scope),
      ]
    return row.audience === audience
      ? []
      : [
          fault(
            'scopes',
            'scope_of_other_audience',
            `${scope} is not available to ${audience === 'member' ? 'apps for members' : 'services'}.`,
            scope,
          ),
        ]
  })
}
