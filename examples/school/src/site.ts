import { createAuthorizationServer, defineSite } from 'hallpass'
import {
  createHealthEndpoints,
  createPasswordThrottle,
  deliverEvents,
  maintain,
} from 'hallpass/operations'
import { createAccountApi } from 'hallpass/account'
import {
  describeAccountApi,
  describeAuthorizationServer,
  describeMcpEndpoint,
} from 'hallpass/openapi'
import { createAttempts, recordAttempts } from 'hallpass/clients'
import { configureAuthorizationServer, createAuthMdEndpoint } from 'hallpass/authorization-server'
import { createDocumentFetcher, createNodeSigner } from 'hallpass/node'
import type { Telemetry } from 'hallpass-opentelemetry'
import { createPostgresAttempts, createPostgresStore, isPostgresMigrated } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createKeyRing, hashToken } from 'hallpass/token'
import { createAccountSource } from './account/source.js'
import { createSchoolAdmin } from './admin/admin-api.js'
import { createGuide } from './admin/reference/guide.js'
import { createMcp } from './agents/mcp.js'
import { createAccessRequests } from './applications/access-requests.js'
import { createAreas } from './applications/areas.js'
import { demoDocumentHosts, documentHosts, pinnedDocuments } from './applications/clients-policy.js'
import { createKnownApplications } from './applications/known.js'
import { createLogos } from './applications/logos.js'
import { createNotices } from './applications/notices.js'
import { createUseOfApp, type PeopleOfApp } from './applications/known.js'
import { createFeatureSwitch, createSettings } from './applications/settings.js'
import { apiReference, vendors } from './applications/vendors.js'
import { createBlocks } from './blocks/blocks.js'
import { createDemo } from './demo/site.js'
import { DEMO_PLACES } from './demo/places.js'
import { pageDocuments, PLAYGROUND, WALK } from './demo/page-app.js'
import { createPeople } from './members/people.js'
import { createOpenedAnswer } from './opened/answer.js'
import { createAnswers } from './pages/answers.js'
import { createOutages } from './pages/outages.js'
import { createRefusals } from './pages/too-many.js'
import { createAudit } from './platform/audit.js'
import { countersOf } from './platform/counters.js'
import { createHooks } from './platform/hooks.js'
import { createLimiter } from './platform/limited.js'
import { createLimits, GRANT_RATE, NO_ALLOWANCES, NO_LIMITS } from './platform/limits.js'
import { addressOf } from './platform/request-context.js'
import { createPayers } from './platform/payer.js'
import { createRequests, requestIdNow, withRequestId } from './platform/requests.js'
import type { SchoolSite, SchoolSiteOptions, WiredSite } from './school-site.js'
import { createServices, withServices } from './services/services.js'
import { createGrantEnds } from './sign-in/grant-ends.js'
import { createSignInParts } from './sign-in/parts.js'

/** Wires hallpass into one school. */
export function createSite(options: SchoolSiteOptions): SchoolSite {
  const { core, createApis } = wireSite(options)
  return { ...core, ...createApis() }
}

/**
 * Wires hallpass into one school in two steps. The admin API and `/mcp` are created separately, because
 * checking and describing over a hundred operations takes most of the time.
 */
export function wireSite(options: SchoolSiteOptions): WiredSite {
  const { origin, database, sealingSecret, mcpAdapter, rateLimits = true } = options
  const { fetchDocument = createDocumentFetcher(), fetchImage = fetchDocument } = options
  const { now = secondsNow } = options
  const { previousSealingSecrets = [], neighbors = [], notify = null, opened = null } = options
  const { telemetry = UNMEASURED } = options
  const { walks = false } = options
  const definition = walks ? { ...options.definition, links: DEMO_PLACES } : options.definition
  const pages = walks ? [WALK, PLAYGROUND] : []
  const documents = [...pinnedDocuments, ...pageDocuments(pages, origin)]
  const { id, name, signing } = definition
  const { execute, transaction } = database
  const deliver = async (): Promise<void> => {
    await deliverEvents(site, {
      async deliver(events) {
        await audit.append(events)
        await notices.add(events)
      },
    })
  }
  const audit = createAudit({ execute, site: id, deliver })
  const settings = createSettings({ execute, site: id })
  const counters = countersOf(options.counters, origin)
  const payerOf = createPayers({ origin, accountOf: (headers) => passwords.accountOf(headers) })
  const limits = rateLimits ? createLimits(counters, { payerOf }) : NO_LIMITS
  const log = withRequestId(options.log)
  const { record, ...hooks } = createHooks({ site: id, log, audit })

  const people = createPeople({ execute, site: id })
  const services = createServices({ execute, transaction, site: id })
  const hasServices = options.blocks?.includes('client-credentials') ?? false
  const school = { site: definition, origin, people, now }
  const demo = createDemo({
    ...school,
    execute,
    neighbors,
    opens: opened !== null,
    fetchDocument,
    fetchImage,
    blocks: options.blocks ?? [],
    services,
    attempts: () => createAttempts(site),
    async attemptOf(token) {
      const found = await site.store.findAccessToken(hashToken(token))
      if (found === null) return null
      const page = await attemptStore.list({
        search: found.grant.grantId,
        clientId: null,
        outcome: null,
        before: null,
        limit: 1,
        now: now(),
      })
      return page.attempts[0]?.id ?? null
    },
  })
  const attemptStore = createPostgresAttempts({ execute, site: id })
  const store = createPostgresStore({
    execute,
    site: id,
    // The embedded database is in this process.
    ...(database.pool === undefined && { guarantees: { clock: 'process', processes: 'one' } }),
    ...(options.now && { now: options.now }),
  })
  const logos = createLogos({ execute, site: id, fetchImage: demo.fetchImage })
  const blocks = createBlocks(options.blocks ?? [], {
    ...school,
    store,
    sealingSecret,
    services,
    identityProvider: options.identityProvider ?? null,
    fetchDocument: demo.fetchDocument,
    pageParts: () => ({ visitors, peopleOf, logoOf: logos.pathOf }),
  })

  const site = defineSite(
    telemetry.site({
      issuer: origin,
      name,
      id,
      store,
      scopes: schoolScopes,
      roles: schoolRoles,
      findPerson: hasServices ? withServices(people, services) : people.find,
      vendors: [...vendors, apiReference(origin)],
      documents: {
        allowedHosts: [...documentHosts, ...demoDocumentHosts],
        fetchDocument: demo.fetchDocument,
      },
      pinnedDocuments: documents,
      memberClients: settings.mcpConnections,
      ...(rateLimits ? { budget: counters.budget } : { allowances: NO_ALLOWANCES }),
      // Whom the school knows spends their own, wherever they are.
      networkOf: (request) =>
        payerOf({ address: addressOf(request), headers: request.headers }).name,
      watchers: [recordAttempts(attemptStore)],
      requestIdOf: requestIdNow,
      outbox: true,
      stepUpLinks: true,
      blocks,
      ...hooks,
      onEvent(event) {
        hooks.onEvent(event)
        demo.live.note(event)
      },
      onRefusal(notice) {
        hooks.onRefusal(notice)
        demo.note(notice)
        demo.live.note(notice)
      },
      now,
    }),
  )

  const passwords = createPasswordThrottle(site, { sealingSecret, previousSealingSecrets })
  const known = createKnownApplications({
    store: site.store,
    vendors: site.vendors,
    pinnedDocuments: site.pinnedDocuments,
    now,
  })
  const notices = createNotices(site, {
    ...school,
    definition,
    execute,
    notify,
    onFault: (fault) => site.notifyFault('notices', fault),
  })

  const useOf = createUseOfApp({ store: site.store, now })
  const peopleOf: PeopleOfApp = async (client) => (await useOf(client)).people
  const { sessions, visitors, signIn, sentForms, interact } = createSignInParts({
    ...school,
    execute,
    passwords,
    resume: (request) => server.interaction(request),
    returnTo: site.returnTo,
    front: demo.front,
    below: demo.belowSignIn,
    // The session was stored with its entry of the audit log.
    onEvent: (event) =>
      event.type === 'session.signed_in' ? log({ site: id, ...event }) : record(event),
    logoOf: logos.pathOf,
    peopleOf,
  })
  const keys = createKeyRing(site, {
    sealingSecret,
    previousSealingSecrets,
    signing,
    createSigner: createNodeSigner,
  })
  const serverOptions = {
    keys,
    interact,
    grantEnds: createGrantEnds({ site: definition, now }),
    refreshPolicies: definition.refreshPolicies ?? {},
    errorUri: (error: string) => `${origin}/auth.md#error-${error}`,
  }
  const server = createAuthorizationServer(site, serverOptions)

  const account = createAccountApi(site, {
    source: createAccountSource({ ...school, execute, transaction }),
    pictureHosts: ['images.example'],
  })

  const limiter = createLimiter({
    ofEndpoint: limits.ofEndpoint,
    store: site.store,
    refusals: createRefusals({ site: definition, origin }),
  })

  const outages = createOutages({
    site: definition,
    origin,
    onFault: (fault) => site.notifyFault('pages', fault),
  })
  const accessRequests = createAccessRequests({ execute, site: id })
  const areas = createAreas(site, {
    ...school,
    visitors,
    signIn,
    sentForms,
    execute,
    audit,
    settings,
    logos,
    accessRequests,
    services: hasServices ? services : null,
    ownPages: pages.map(({ path }) => origin + path),
    switchMcpConnections: createFeatureSwitch({ transaction, site: id }),
  })

  const createApis: WiredSite['createApis'] = () => {
    const facts = configureAuthorizationServer(site, serverOptions)
    const admin = createSchoolAdmin(site, {
      definition,
      database,
      sealingSecret,
      rateLimit: limits.ofGrant,
      otherParts: [
        describeAuthorizationServer(facts, server),
        describeAccountApi(account),
        describeMcpEndpoint(),
      ],
    })
    const { operator } = admin
    const mcp = createMcp(site, { execute, account, operator, adapter: mcpAdapter })
    // Without what belongs to the demo: other clients cannot use it.
    const documents = { ...facts.documents!, allowedHosts: documentHosts, openRegistration: false }
    const markdown = createAuthMdEndpoint(
      { ...facts, vendors, documents },
      {
        mcp,
        account,
        admin: operator,
        openapi: admin.openapi,
        ...(limits.ofGrant !== null && { rate: GRANT_RATE }),
      },
    )
    const authMd = createGuide({ site: definition, origin, markdown })
    return { admin: { ...admin, authMd }, mcp: demo.live.mcp(limiter.mcp(mcp.endpoint)) }
  }

  const answers = createAnswers({ ...school, demo, logos })
  const { outOfDate } = signIn
  const openedAnswer =
    opened && createOpenedAnswer({ site: definition, origin, opened, visitors, outOfDate })
  const core: WiredSite['core'] = {
    definition,
    origin,
    server: demo.live.server(demo.watch(limiter.server(server))),
    health: createHealthEndpoints(site, {
      keys,
      checks: { schema: () => isPostgresMigrated({ execute }) },
      ...(options.isStopping && { isStopping: options.isStopping }),
    }),
    account: { graphql: limiter.graphql(account.graphql), schema: account.schema },
    home: outages(signIn.home),
    signInPage: outages(signIn.signInPage),
    signIn: outages(signIn.signIn),
    signOutPage: outages(signIn.signOutPage),
    signOut: outages(signIn.signOut),
    applications: outages(areas.applications),
    connectedApps: outages(areas.connectedApps),
    ...answers,
    connect: outages(answers.connect),
    schools: outages(
      async (request, context) =>
        (await openedAnswer?.(request, context)) ?? answers.notFound(request),
    ),
    names: {
      client: async (clientId) => (await known.find(clientId))?.client.name ?? null,
      person: async (subject) =>
        (await people.names([subject])).get(subject) ??
        (hasServices ? (await services.names([subject])).get(subject) : undefined) ??
        null,
    },
    requests: createRequests({ site: id, log }),
    ofSender: limits.ofSender,
    settled: () => createAttempts(site).settled(),
    seed: () => demo.seed(site.store, logos),
    async deliverEvents() {
      await deliver()
      await notices.send()
    },
    async maintain() {
      const { deletesBefore, purged, lagSeconds } = await telemetry.maintain(() =>
        maintain(site, { keys }),
      )
      log({ site: id, type: 'maintained', purged, lagSeconds })
      if (deletesBefore === null) return
      await sessions.purge(deletesBefore)
      await sentForms.purge(deletesBefore)
      await audit.purge(deletesBefore)
      await accessRequests.purge(deletesBefore)
    },
  }
  return { core, createApis }
}

// The package `hallpass-opentelemetry` is loaded only if sites are measured.
const UNMEASURED: Pick<Telemetry, 'site' | 'maintain'> = {
  site: (site) => site,
  maintain: (run) => run(),
}

const secondsNow = (): number => Math.floor(Date.now() / 1000)
