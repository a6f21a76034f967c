import { equalText } from '../encoding/equal-text.js'
import type { Incoming } from '../http/exchange.js'
import type { AuthorizationRequest } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import { decideConsent, decideGrantEnd } from '../policy/consent.js'
import { type Decision, refuse } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { Person } from '../policy/person.js'
import { effectiveScopes } from '../policy/role.js'
import { scopesOfClient } from '../policy/scope-audience.js'
import type { PendingAuthorization } from '../store/records.js'
import { hasEnded } from '../time/seconds.js'
import type { Site } from '../site/site.js'
import { type Approval, decideApproval } from './approval.js'
import type { Approver, Asked } from './approver.js'
import { csrfToken, isCrossSite } from './browser.js'
import { viewOf } from './client-view.js'
import type { AuthorizationServerConfiguration } from './block.js'
import type { ConsentScope, ConsentView, GrantEnd } from './interact.js'
import { PATHS } from '../site/paths.js'

/** The subject of a consent page: an authorization request, or more scopes for a grant. */
export interface Question {
  /** The end of the path of the page, to which its form posts. */
  readonly interactionId: string
  readonly browserId: string
  readonly client: Client
  readonly request: Pick<PendingAuthorization, 'scopes' | 'redirectUri' | 'uiLocales'>
  /** Whether the person may be shown the address of the response. */
  readonly mayPaste?: boolean
}

/**
 * Checks a consent form and reads its decision. `scopes` is `null` if the person denied the request.
 *
 * The origin and the CSRF token are checked before the decision, because another site must not even be
 * able to deny a request. A `scope` that was not requested has no effect: the form can only narrow. A decision
 * that the page may not offer is refused.
 */
export function decideAnswer(
  { issuer, scopes: registry }: Site,
  {
    incoming,
    form,
    question,
    who,
  }: {
    incoming: Incoming
    form: FormParameters
    question: Question
    who: Approver
  },
): Decision<{ scopes: readonly string[] | null; pastes: boolean }> {
  const expected = tokenOf(question, who.signedIn.subject)
  const sent = form.single('csrf_token') ?? ''
  if (isCrossSite(incoming, issuer) || !equalText(sent, expected))
    return refuse(
      'access_denied',
      'csrf_token_mismatch',
      'this page is out of date: go back to the app and start again',
    )
  const decision = form.single('decision')
  const pastes = question.mayPaste === true && decision === 'allow_and_paste'
  if (decision !== 'allow' && decision !== 'deny' && !pastes)
    return refuse('invalid_request', 'decision_missing', 'choose Allow or Cancel')
  if (decision === 'deny') return { ok: true, scopes: null, pastes: false }
  const decided = decideConsent({
    asked: question.request.scopes,
    access: form.has('access') ? (form.single('access') ?? '') : null,
    chosen: form.all('scope'),
    registry,
  })
  return decided.ok ? { ...decided, pastes } : decided
}

/** The parts of a configuration that ask a person. */
export type ConsentParts = Site &
  Pick<AuthorizationServerConfiguration, 'interact' | 'grantEnds' | 'grantSeconds'>

/** Builds the view of the consent page with what this person granted already, and the ends to choose from. */
export async function loadConsentView(
  configuration: ConsentParts,
  question: Question,
  who: Asked,
  notice: ConsentView['notice'] = null,
): Promise<ConsentView> {
  const held = await configuration.store.listGrants({
    of: { clientId: question.client.clientId, subject: who.signedIn.subject },
    after: null,
    limit: MAX_GRANTS,
    now: configuration.now(),
  })
  return consentView(configuration, question, who, {
    notice,
    granted: new Set(held.flatMap(({ grant }) => grant.scopes)),
    grantEnds: who.blocked === null ? await grantEndsFor(configuration, question, who) : [],
  })
}

// Enough to find the scopes that a person has granted already; more grants rarely add any.
const MAX_GRANTS = 100

/** Makes the approval of a person who pressed Allow, with the end that the form has chosen. */
export async function approveByHand(
  configuration: ConsentParts,
  question: Question,
  who: Approver,
  { request, until }: { request: AuthorizationRequest; until: readonly string[] },
): Promise<Decision<{ approval: Approval }>> {
  const ended = decideGrantEnd({ until, offered: await grantEndsFor(configuration, question, who) })
  if (!ended.ok) return ended
  const { client } = question
  const { signedIn } = who
  return { ok: true, approval: decideApproval({ ...ended, client, request, signedIn }) }
}

/** Returns the ends that this person may choose for the client and that have not passed. */
async function grantEndsFor(
  configuration: ConsentParts,
  { client, request }: Question,
  { person }: Approver,
): Promise<readonly GrantEnd[]> {
  const view = viewOf(client, request.redirectUri, configuration)
  const ends = await configuration.grantEnds({ client: view, person })
  return ends.filter(({ endsAt }) => !hasEnded(endsAt, configuration.now()))
}

/** The facts that a consent page shows with its question. */
interface Shown extends Pick<ConsentView, 'notice' | 'grantEnds'> {
  readonly granted: ReadonlySet<string>
}

/**
 * Builds the view of the consent page. Scopes beyond the role of the person are marked, not removed,
 * because the grant will contain them.
 */
export function consentView(
  configuration: ConsentParts,
  question: Question,
  { person, blocked }: Asked,
  { notice, granted, grantEnds }: Shown,
): ConsentView {
  const { scopes: registry, grantSeconds } = configuration
  const { interactionId, client, request } = question
  const { scopes } = request
  const { subject } = person
  return {
    action: `${PATHS.interaction}/${interactionId}`,
    csrfToken: tokenOf(question, subject),
    client: viewOf(client, request.redirectUri, configuration),
    person,
    uiLocales: request.uiLocales,
    scopes: describeScopes(configuration, { scopes, client, person, granted }),
    addsTo: null,
    blocked:
      blocked === null ? null : blocked.reason === 'person_not_staff' ? 'not_staff' : 'no_role',
    mayPaste: question.mayPaste === true && blocked === null,
    mayNarrow: scopes.some((scope) => registry.get(scope)?.access !== 'identity'),
    notice,
    grantLifetimeSeconds: grantSeconds,
    grantEnds,
    clientEndsAt: client.endsAt,
  }
}

/** Describes scopes for the consent page, in the order of the registry. */
export function describeScopes(
  { name: siteName, scopes: registry, roles: table }: Site,
  {
    scopes,
    client,
    person: { roles },
    granted,
  }: {
    scopes: readonly string[]
    client: Client
    person: Pick<Person, 'roles'>
    granted: ReadonlySet<string>
  },
): readonly ConsentScope[] {
  const clientScopes = scopesOfClient({ client, registry })
  const effective = effectiveScopes({ scopes, clientScopes, roles, table, registry })
  return registry.names
    .filter((scope) => scopes.includes(scope))
    .map((scope) => {
      const row = registry.get(scope)!
      return {
        scope,
        text: row.consent.replaceAll('{school}', siteName),
        group: row.group,
        access: row.access,
        personalData: row.personalData ?? false,
        sensitive: row.sensitive ?? false,
        alreadyGranted: granted.has(scope),
        beyondRole: !effective.includes(scope),
      }
    })
}

/** Computes the CSRF token of a page. It changes if the client changes while the person reads the page. */
function tokenOf({ browserId, interactionId, client }: Question, subject: string): string {
  const shown = [client.name, client.document?.digest ?? '']
  return csrfToken({ browserId, interactionId, subject, shown })
}
