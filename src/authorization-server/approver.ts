import type { Incoming } from '../http/exchange.js'
import type { AuthorizationRequest } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import { decideSignInAge } from '../policy/consent.js'
import { type Refusal, refuse } from '../policy/decision.js'
import type { Person } from '../policy/person.js'
import { decideApprover } from '../policy/role.js'
import type { Site } from '../site/site.js'
import { hashHinted } from '../token/id-token-hint.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { viewOfSite } from './client-view.js'
import type { SignedIn, SignInView } from './interact.js'

/** A site with the pages of its host. */
export type SignInParts = Site & Pick<AuthorizationServerConfiguration, 'interact'>

/** The person who is signed in. */
export interface Approver {
  readonly signedIn: SignedIn
  readonly person: Person
}

/** The person whose sign-in is recent enough for the request. */
export interface Asked extends Approver {
  /** The refusal of a person whose roles are not sufficient. The consent page then says so. */
  readonly blocked: Refusal | null
}

/**
 * Returns the person who is signed in in this browser, or the cause to ask for a sign-in. A person whom `findPerson` does
 * not return is asked for another account, and learns why.
 */
export async function findSignedIn(
  { interact, findPerson }: SignInParts,
  incoming: Incoming,
): Promise<({ readonly ok: true } & Approver) | NotSignedIn> {
  const signedIn = await interact.currentPerson(incoming.request())
  if (signedIn === null) return { ...SIGNED_OUT, cause: 'signed_out' }
  const person = await findPerson(signedIn.subject)
  if (person === null) return { ...SIGNED_OUT, cause: 'suspended' }
  return { ok: true, signedIn, person }
}

/** A refusal with the error `login_required`, and why the sign-in page is shown. */
type NotSignedIn = Refusal & { readonly cause: SignInView['cause'] }
const SIGNED_OUT = refuse('login_required', 'person_signed_out', 'the person is not signed in')

/**
 * Decides who may approve an authorization request.
 *
 * The sign-in is checked before the roles, because a request may require a new sign-in, and the person may
 * then use another account.
 *
 * The age of the sign-in is measured at `requestedAt`, not now. A person who reads the consent page for a
 * long time does not have to sign in again (OpenID Connect Core 1.0, section 3.1.2.1).
 *
 * @param question - the client, the authorization request, when it was made in epoch seconds, and the hash of the person
 *   whom its `id_token_hint` names; `null` if it names none
 * @returns the person, with the refusal of `decideApprover` if the roles are not sufficient; or a refusal with the error
 *   `login_required`: `person_signed_out`, or one of `decideSignInAge`
 */
export async function findApprover(
  configuration: SignInParts,
  incoming: Incoming,
  {
    client,
    request: { prompt, maxAge, scopes },
    requestedAt,
    hintedHash,
    interactionId,
  }: {
    client: Client
    request: Pick<AuthorizationRequest, 'prompt' | 'maxAge' | 'scopes'>
    requestedAt: number
    hintedHash: string | null
    interactionId: string
  },
): Promise<({ readonly ok: true } & Asked) | NotSignedIn> {
  const approver = await findSignedIn(configuration, incoming)
  if (!approver.ok) return approver
  const { authTime, subject } = approver.signedIn
  if (hintedHash !== null && hintedHash !== hashHinted(interactionId, subject)) return NOT_HINTED
  const registry = configuration.scopes
  const age = decideSignInAge({ authTime, requestedAt, prompt, maxAge, scopes, registry })
  if (!age.ok) return { ...age, cause: age.reason === 'sign_in_not_fresh' ? 'again' : 'sensitive' }
  const { roles } = approver.person
  const decided = decideApprover({ roles, client, table: configuration.roles })
  return { ...approver, blocked: decided.ok ? null : decided }
}

const NOT_HINTED: NotSignedIn = {
  ...refuse(
    'login_required',
    'person_signed_out',
    'the person whom id_token_hint names is not signed in',
  ),
  cause: 'other_account',
}

/** Whether the sign-in of a person is recent enough for a page that a link leads to, or for its form. */
export const isRecent = (
  {
    now,
    scopes: registry,
    interactionSeconds,
  }: Site & Pick<AuthorizationServerConfiguration, 'interactionSeconds'>,
  { signedIn: { authTime } }: Approver,
  { scopes, isForm }: { scopes: readonly string[]; isForm: boolean },
): boolean =>
  decideSignInAge({
    authTime,
    // A person may read the page for as long as that of an authorization request.
    requestedAt: isForm ? now() - interactionSeconds : now(),
    prompt: [],
    maxAge: null,
    scopes,
    registry,
  }).ok

/** Shows the sign-in page of a link, in which the site takes the place of the client: no one has signed in to see it. */
export const signInAt = (
  configuration: SignInParts,
  incoming: Incoming,
  link: string,
  cause: SignInView['cause'],
): Response | Promise<Response> =>
  configuration.interact.signIn(incoming.request(), {
    returnTo: link,
    client: viewOfSite(configuration),
    cause,
    loginHint: null,
    uiLocales: [],
  })
