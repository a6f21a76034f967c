import { queryOf } from '../http/body.js'
import type { Context } from '../http/context.js'
import type { Incoming } from '../http/exchange.js'
import type { Answer } from '../http/frame.js'
import { callback, checkOptions, type Rules } from '../options/check.js'
import type { Decision } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import { parseScope } from '../policy/scope-audience.js'
import { decideWidening } from '../policy/widening.js'
import { stepUpPath } from '../protected-resource/step-up.js'
import { readPage } from '../site/returned.js'
import { createDeadline } from '../store/deadline.js'
import { hasGroup } from '../store/groups.js'
import { thrownBy } from '../store/guard.js'
import { EXPIRED } from './approval.js'
import { findSignedIn, isRecent, signInAt } from './approver.js'
import { newBrowserId, withBrowserCookie } from './browser.js'
import { viewOf } from './client-view.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { consentView, decideAnswer, describeScopes } from './consent-form.js'
import type { BackToAppView, Interact, SignInView } from './interact.js'
import { PATHS } from '../site/paths.js'
import { readBrowserId } from '../site/browser-id.js'

/** Longer than any step-up link that names every scope of a large table. */
const MAX_LINK_LENGTH = 4096

/** A link as it was made, or what it lacks. Nothing of it is trusted. */
function readLink(
  { returnTo }: AuthorizationServerConfiguration,
  { target }: Incoming,
): Decision<{ grantId: string; scopes: readonly string[]; link: string }> {
  const [path = ''] = target.split('?', 1)
  const scope = target.length > MAX_LINK_LENGTH ? null : queryOf(target).single('add')
  const parsed = scope === null ? EXPIRED : parseScope(scope)
  if (!parsed.ok) return EXPIRED
  const { scopes } = parsed
  const grantId = path.slice(PATHS.interaction.length + 1)
  const link = returnTo(stepUpPath(grantId, scopes))
  return link === null ? EXPIRED : { ok: true, grantId, scopes, link }
}

/**
 * Creates the page at a step-up link, for `stepUp` of {@link Interact}. The person signs in, sees your consent page
 * with the added scopes, and is sent back to the app. A server without it carries none of this.
 *
 * @param pages - `backToApp`: returns the page that sends the person back to the app, after a decision
 * @throws OptionsError if `backToApp` is missing, or not a function
 * @group Pages
 * @example
 * ```ts
 * import { createServer } from 'hallpass'
 * import { createStepUp } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite({ stepUpLinks: true })
 * const sealingSecret = 'use at least 32 random characters here'
 * const page = () => new Response('your page')
 * const pages = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const stepUp = createStepUp({ backToApp: page })
 * createServer(site, { sealingSecret, interact: { ...pages, stepUp } })
 *
 * createServer(site, { sealingSecret, interact: pages }) // throws OptionsError
 * ```
 */
export function createStepUp(pages: {
  backToApp: (request: Request, view: BackToAppView) => Response | Promise<Response>
}): NonNullable<Interact['stepUp']> {
  const { backToApp } = checkOptions('createStepUp', pages, RULES)
  return {
    createPage(configuration: AuthorizationServerConfiguration) {
      const limited = createDeadline(configuration.callDeadlineMilliseconds)('backToApp')
      const show: Show = (request, view) =>
        limited(
          async () => readPage('backToApp', await backToApp(request, view)),
          thrownBy('backToApp'),
        )
      return async (context, form) => serveStepUp(configuration, show, { context, form })
    },
  }
}

type Show = (request: Request, view: BackToAppView) => Promise<Response>

const RULES: Rules<Parameters<typeof createStepUp>[0]> = {
  backToApp: callback('(request, { client, allowed }) => page'),
}

/**
 * Serves the page on which a person adds scopes to a grant: sign-in, the consent page with these scopes, then the
 * page that sends the person back to the app. Nothing is stored until the person presses Allow.
 *
 * The link is not a secret, and who opens it learns nothing before sign-in. The person, the client, its cap and the
 * roles are checked on every visit, and again for the form. The form has a CSRF token.
 *
 * @param visit - `form`: the form that was sent; `null` for `GET`
 */
async function serveStepUp(
  configuration: AuthorizationServerConfiguration,
  show: Show,
  { context, form }: { context: Context; form: FormParameters | null },
): Promise<Answer> {
  const { interact, store, now, clock, issuer } = configuration
  const { incoming } = context
  context.operation = 'step_up'
  const read = readLink(configuration, incoming)
  if (!read.ok || !hasGroup(store, 'stepUp')) return EXPIRED
  const { grantId, scopes, link } = read
  const who = await findSignedIn(configuration, incoming)
  const signIn = (cause: SignInView['cause']) => signInAt(configuration, incoming, link, cause)
  if (!who.ok) return signIn(who.cause)
  if (!isRecent(configuration, who, { scopes, isForm: form !== null })) return signIn('sensitive')

  const found = await store.findGrant(grantId)
  const client =
    found === null ? null : await configuration.findClient(found.grant.clientId, found.client)
  const decided = decideWidening({
    found: found === null ? null : { grant: found.grant, client },
    person: who.person,
    scopes,
    names: configuration.resource,
    registry: configuration.scopes,
    roles: configuration.roles,
    now: now(),
  })
  if (!decided.ok) return decided
  const { grant } = decided
  const { clientId, redirectUri, subject } = grant
  context.clientId = clientId
  const known = readBrowserId(incoming, issuer)
  const browserId = known ?? newBrowserId(configuration.randomBytes)
  const question = {
    interactionId: link.slice(PATHS.interaction.length + 1),
    browserId,
    client: decided.client,
    request: { scopes, redirectUri, uiLocales: [] },
  }
  if (form === null) {
    const granted = new Set(grant.scopes)
    const asked = { ...who, blocked: null }
    const shown = { notice: null, granted, grantEnds: [] }
    const view = consentView(configuration, question, asked, shown)
    const page = await interact.consent(incoming.request(), {
      ...view,
      addsTo: describeScopes(configuration, {
        scopes: grant.scopes,
        client: decided.client,
        person: who.person,
        granted,
      }),
      mayNarrow: false,
      grantLifetimeSeconds: grant.expiresAt - now(),
    })
    return known === null ? withBrowserCookie(page, browserId, issuer) : page
  }

  const answer = decideAnswer(configuration, { incoming, form, question, who })
  if (!answer.ok) return answer
  const facts = { at: now(), clientId, subject }
  if (answer.scopes === null) context.notifyEvent({ type: 'oauth.authorization.denied', ...facts })
  else {
    await clock.assertAgrees()
    const widening = { grantId, scopes: answer.scopes }
    const { events, tell } = context.announce({
      type: 'oauth.grant.widened',
      ...facts,
      ...widening,
    })
    if ((await store.widenGrant(widening, events)) === 'gone') return EXPIRED
    tell()
  }
  return show(incoming.request(), {
    client: viewOf(decided.client, redirectUri, configuration),
    allowed: answer.scopes !== null,
  })
}
