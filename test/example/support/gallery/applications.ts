import { demoLogo } from '../../../../examples/school/src/demo/documents.js'
import { schoolScopes } from 'hallpass/scope'
import {
  applicationConfirmPage,
  betaPage,
} from '../../../../examples/pages/applications/confirm.js'
import { applicationDetailPage } from '../../../../examples/pages/applications/detail.js'
import { applicationFormPage } from '../../../../examples/pages/applications/form.js'
import { applicationResultPage } from '../../../../examples/pages/applications/result.js'
import type {
  ActivityEntry,
  ApplicationConfirmView,
  ApplicationDetailView,
  ApplicationFaults,
  ApplicationFormView,
  ApplicationResultView,
  ApplicationRow,
  ApplicationsView,
  AttemptRow,
  AttemptsView,
  AttemptView,
  ConnectedAppView,
  ConnectedAppsView,
  ReviewChoice,
  ScopeWords,
  ServiceFormView,
  ServiceRow,
  SignedInFrame,
} from '../../../../examples/pages/applications/views.js'
import { activityPage } from '../../../../examples/pages/applications/activity.js'
import { attemptPage } from '../../../../examples/pages/applications/attempt.js'
import { attemptsPage } from '../../../../examples/pages/applications/attempts.js'
import { applicationsPage } from '../../../../examples/pages/applications/list.js'
import {
  serviceEndPage,
  serviceFormPage,
  serviceResultPage,
  servicesPage,
} from '../../../../examples/pages/applications/services.js'
import {
  askForAppPage,
  connectedAppsPage,
  disconnectAllAppsPage,
  disconnectAppPage,
} from '../../../../examples/pages/applications/connected-apps.js'
import type { Html } from '../../../../examples/pages/html.js'
import type { Site } from '../../../../examples/pages/layout.js'
import { rolesInWords } from '../../../../examples/pages/wording.js'
import { languageOf, wordsOf } from '../../../../examples/pages/words/languages.js'
import { createScopeWords } from '../../../../examples/school/src/applications/words.js'

const SCHOOL = 'Lantern Street Drawing School'

// 20 November 2026, 09:00 UTC
const NOW = 1_795_165_200
const HOUR = 3_600
const DAY = 86_400

const admin: SignedInFrame = {
  csrfToken: 'csrf-token',
  person: { name: 'Tomasz Wilk', email: 'tomasz@lantern.example', roles: ['manager'] },
  isAdmin: true,
  now: NOW,
  timeZone: 'Europe/Lisbon',
}
const member: SignedInFrame = {
  ...admin,
  person: { name: 'Mei-Ling Chou', email: 'mei-ling@example.com', roles: ['student'] },
  isAdmin: false,
}

const HOSTILE_NAME = `"><script>alert(1)</script>\u202egnp.\u200b${'Wide'.repeat(20)}`
const HOSTILE_URL = `https://${'very-long-name.'.repeat(9)}example/${'path/'.repeat(30)}?"><b>`

const words = (names: readonly string[], { name } = { name: SCHOOL }): readonly ScopeWords[] =>
  createScopeWords({ scopes: schoolScopes, school: name })((scope) => names.includes(scope))

const IDENTITY = ['openid', 'profile', 'email']
const operatorScopes = schoolScopes.names.filter((name) => !name.startsWith('account:'))

const studyBuddy: ApplicationRow = {
  clientId: 'cl_3v9KqT0aXw',
  name: 'Study Buddy',
  kind: 'member',
  state: 'active',
  icon: 'book',
  people: 12,
  lastUsedAt: NOW - 2 * HOUR,
  scopes: 4,
}
const rows: readonly ApplicationRow[] = [
  studyBuddy,
  {
    ...studyBuddy,
    clientId: 'cl_portfolio',
    name: 'Portfolio Hub',
    icon: 'brush',
    people: 1,
    lastUsedAt: NOW - 3 * DAY,
    scopes: 5,
  },
  {
    ...studyBuddy,
    clientId: 'cl_tracker',
    name: 'Old Tracker',
    state: 'disabled',
    icon: null,
    people: 3,
    lastUsedAt: NOW - 400 * DAY,
  },
  {
    ...studyBuddy,
    clientId: 'acme-agents',
    name: 'Acme Agents',
    kind: 'vendor',
    icon: null,
    people: 2,
    lastUsedAt: NOW - 20,
    scopes: 6,
  },
  {
    ...studyBuddy,
    clientId: 'cl_desk',
    name: 'Desk CLI',
    kind: 'loopback',
    icon: null,
    people: 2,
    lastUsedAt: NOW - 26 * HOUR,
    scopes: 38,
  },
  {
    ...studyBuddy,
    clientId: 'https://notes.example/client.json',
    name: 'Margin Notes',
    kind: 'document',
    state: 'unreviewed',
    icon: null,
    people: 0,
    lastUsedAt: null,
    scopes: 22,
  },
  {
    ...studyBuddy,
    clientId: 'https://desk.example/client.json',
    name: 'Front Desk',
    kind: 'document',
    state: 'reviewed',
    icon: null,
    people: 1,
    scopes: 23,
  },
  {
    ...studyBuddy,
    clientId: 'https://plan.example/client.json',
    name: 'Plan & Publish',
    kind: 'document',
    state: 'changed',
    icon: null,
    people: 1,
    scopes: 23,
  },
  {
    ...studyBuddy,
    clientId: 'https://bad.example/client.json',
    name: 'Claude Officia1',
    kind: 'document',
    state: 'blocked',
    icon: null,
    people: 0,
    lastUsedAt: null,
    scopes: 22,
  },
]

const FILTER: ApplicationsView['filter'] = {
  view: 'connected',
  kind: null,
  state: null,
  search: '',
  sort: 'newest',
}

const list = (site: Site, parts: Partial<ApplicationsView> = {}): Html =>
  applicationsPage({
    site,
    view: {
      ...admin,
      enabled: true,
      filter: FILTER,
      counts: { connected: 9, review: 2, tried: 120, all: 139 },
      applications: rows,
      isEmpty: false,
      page: 1,
      hasNext: false,
      done: null,
      requests: [],
      ...parts,
    },
  })

/** A copy of a logo, which whoever shows the pages serves. */
export const GALLERY_LOGO = { path: '/app-logos/desk', bytes: demoLogo() }

const NO_FAULTS: ApplicationFaults = {
  form: null,
  name: null,
  description: null,
  icon: null,
  authMethod: null,
  keys: null,
  redirectUris: null,
  scopes: null,
}

const form = (site: Site, parts: Partial<ApplicationFormView> = {}): Html =>
  applicationFormPage({
    site,
    view: {
      ...admin,
      editing: null,
      values: {
        name: '',
        description: '',
        icon: null,
        authMethod: 'none',
        keys: '',
        redirectUris: '',
        scopes: ['account:read'],
      },
      addresses: [],
      faults: null,
      methods: ['none', 'client_secret_post'],
      mayOmitRedirects: false,
      presets: [
        { preset: 'claude', label: 'Claude' },
        { preset: 'chatgpt', label: 'ChatGPT' },
        { preset: 'loopback', label: null },
      ],
      choices: words(['account:read', 'account:write'], site),
      identity: words(IDENTITY, site),
      ...parts,
    },
  })

const typed: ApplicationFormView['values'] = {
  name: 'Study Buddy',
  description: 'Reminds members to draw, and takes them back to where they stopped.',
  icon: 'book',
  authMethod: 'none',
  keys: '',
  redirectUris: 'https://study-buddy.example/callback\r\n\r\nhttp://127.0.0.1/callback',
  scopes: ['account:read', 'account:write'],
}

const result = (site: Site, parts: Partial<ApplicationResultView> = {}): Html =>
  applicationResultPage({
    site,
    view: {
      ...admin,
      cause: 'created',
      clientId: 'cl_3v9KqT0aXw',
      name: 'Study Buddy',
      secret: null,
      previousSecretUntil: null,
      authMethod: parts.secret == null ? 'none' : 'client_secret_post',
      origin: 'https://lantern.example',
      ...parts,
    },
  })

const SECRET = 'hps_Zk3pQ9vT1sWm7bXe4RcUj0LyN6aHfGdI2oKtSxB5Cw8'

const entry = (
  hours: number,
  type: string,
  actor: string | null = null,
  subject: string | null = null,
  detail: string | null = null,
): ActivityEntry => ({ at: NOW - hours * HOUR, type, actor, subject, detail })

const detail = (site: Site, parts: Partial<ApplicationDetailView> = {}): Html =>
  applicationDetailPage({
    site,
    view: {
      ...admin,
      clientId: 'cl_3v9KqT0aXw',
      name: 'Portfolio Hub',
      description: 'Shows a member’s finished drawings on their own page.',
      icon: 'brush',
      logo: null,
      said: [],
      kind: 'member',
      state: 'active',
      enabled: true,
      authMethod: 'client_secret_post',
      origin: 'https://lantern.example',
      redirectUris: ['https://portfolio-hub.example/oauth/callback', 'http://127.0.0.1/callback'],
      scopes: words([...IDENTITY, 'account:read', 'account:write'], site),
      createdAt: NOW - 90 * DAY,
      lastUsedAt: NOW - 3 * HOUR,
      endsAt: NOW + 28 * DAY,
      secret: { since: NOW - DAY, previousUntil: NOW + 2 * DAY },
      people: [
        {
          subject: 'mem_1',
          name: 'Mei-Ling Chou',
          since: NOW - 40 * DAY,
          lastUsedAt: NOW - 3 * HOUR,
          scopes: words(['openid', 'account:read', 'account:write']),
        },
        {
          subject: 'mem_2',
          name: 'نور حداد',
          since: NOW - 2 * DAY,
          lastUsedAt: null,
          scopes: words(['account:read']),
        },
      ],
      morePeople: 0,
      log: [
        entry(3, 'oauth.token.refreshed', null, 'Mei-Ling Chou'),
        entry(
          24,
          'oauth.client.secret_rotated',
          'Tomasz Wilk',
          null,
          'the old one works for 72 hours more',
        ),
        entry(48, 'oauth.grant.created', null, 'نور حداد', 'account:read'),
        entry(900, 'something.new', null, null),
        entry(2160, 'oauth.client.created', 'Ines Duarte'),
      ],
      document: null,
      review: [],
      reviewFault: null,
      actions: ['edit', 'rotate', 'end_old_secret', 'disable', 'delete', 'disconnect'],
      done: null,
      ...parts,
    },
  })

const review = (allowed: readonly string[], beyond: readonly string[]): readonly ReviewChoice[] =>
  words(operatorScopes.filter((name) => name.endsWith(':write'))).map((row) => ({
    ...row,
    allowed: allowed.includes(row.scope),
    withinRole: !beyond.includes(row.scope),
  }))

const documentParts: Partial<ApplicationDetailView> = {
  clientId: 'https://desk.example/client.json',
  name: 'Front Desk',
  description: null,
  icon: null,
  kind: 'document',
  logo: GALLERY_LOGO.path,
  said: [
    { member: 'client_uri', values: ['https://desk.example/'] },
    {
      member: 'tos_uri',
      values: ['https://legal.example/terms/of/desk?version=2026-11&language=en'],
    },
    { member: 'contacts', values: ['help@desk.example', 'Mei Lin <mei@desk.example>'] },
  ],
  state: 'reviewed',
  authMethod: 'none',
  redirectUris: ['https://desk.example/oauth/callback'],
  scopes: words([...operatorScopes.filter((name) => !name.endsWith(':write')), 'courses:write']),
  secret: null,
  createdAt: null,
  people: [
    {
      subject: 'mem_3',
      name: 'Amara Obi',
      since: NOW - 12 * DAY,
      lastUsedAt: NOW - 5 * HOUR,
      scopes: words(['openid', 'courses:read', 'courses:write', 'curriculum:read']),
    },
  ],
  log: [
    entry(1, 'oauth.client.cimd.fetched'),
    entry(288, 'oauth.grant.created', null, 'Amara Obi'),
    entry(300, 'oauth.client.cimd.reviewed', 'Ines Duarte', null, 'courses:write'),
  ],
  document: {
    firstSeenAt: NOW - 14 * DAY,
    fetchedAt: NOW - HOUR,
    freshUntil: NOW + 23 * HOUR,
    reviewedAt: NOW - 13 * DAY,
    changedAt: null,
    digest: 'digest-1',
    kept: JSON.stringify(
      {
        client_id: 'https://desk.example/client.json',
        client_name: 'Front Desk',
        redirect_uris: ['https://desk.example/callback', 'http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        client_uri: 'https://desk.example/',
        contacts: ['help@desk.example'],
      },
      null,
      2,
    ),
    differences: [],
    fetchFault: null,
  },
  review: review(['courses:write'], []),
  actions: ['review', 'block', 'fetch', 'disconnect'],
}

const confirm = (site: Site, parts: Partial<ApplicationConfirmView> = {}): Html =>
  applicationConfirmPage({
    site,
    view: {
      ...admin,
      confirm: 'disable',
      clientId: 'cl_3v9KqT0aXw',
      name: 'Study Buddy',
      kind: 'member',
      people: 12,
      typedName: null,
      ...parts,
    },
  })

const app: ConnectedAppView = {
  clientId: 'cl_3v9KqT0aXw',
  name: 'Study Buddy',
  kind: 'member',
  icon: 'book',
  verified: true,
  state: 'on',
  scopes: words(['openid', 'account:read', 'account:write']),
  since: NOW - 40 * DAY,
  endsAt: NOW + 90 * DAY,
  lastUsedAt: NOW - 2 * HOUR,
  recent: [entry(2, 'graphql.operation'), entry(30, 'oauth.token.refreshed')],
}

const connected = (
  site: Site,
  frame: SignedInFrame,
  apps: readonly ConnectedAppView[],
  disconnected: string | null = null,
  isAllDone = false,
): Html =>
  connectedAppsPage({
    site,
    view: {
      ...frame,
      apps,
      count: apps.length,
      page: 1,
      hasNext: false,
      disconnected,
      asked: null,
      isAllDone,
    } satisfies ConnectedAppsView,
  })

const MISMATCH: AttemptRow = {
  id: 'att_kWXqTo0UaDHr9Zv7',
  name: 'Claude Code',
  outcome: 'stopped',
  stage: 'authorize',
  reason: 'redirect_uri_not_registered',
  startedAt: NOW - HOUR,
  sentence:
    'At its authorization request, “Claude Code” was refused. `redirect_uri` is not equal to a registered one, character by character. Only the port of a loopback address may differ. Shown on a page. (“sent an address at http://localhost:53117, where another path is registered”)',
  turn: 'client',
}
const attemptRows: readonly AttemptRow[] = [
  {
    ...MISMATCH,
    id: 'att_0aDHr9Zv7dRkqTo1',
    name: 'ChatGPT',
    outcome: 'waiting',
    stage: 'sign_in',
    reason: null,
    startedAt: NOW - 40,
    sentence: '“ChatGPT” waits for the person to sign in.',
    turn: 'person',
  },
  MISMATCH,
  {
    ...MISMATCH,
    id: 'att_1aDHr9Zv7dRkqTo1',
    name: HOSTILE_NAME,
    sentence: `With its metadata document, “${HOSTILE_NAME}” was refused. The host is not allowed. (“${HOSTILE_URL}”)`,
    turn: 'manager',
  },
  {
    ...MISMATCH,
    id: 'att_2aDHr9Zv7dRkqTo1',
    name: 'MCP Inspector',
    outcome: 'connected',
    stage: 'first_call',
    reason: null,
    startedAt: NOW - 3 * DAY,
    sentence: '“MCP Inspector” has connected, and has called the site.',
    turn: 'nobody',
  },
  {
    ...MISMATCH,
    id: 'att_3aDHr9Zv7dRkqTo1',
    name: null,
    stage: 'discovery',
    reason: 'nothing_after_discovery',
    startedAt: NOW - 9 * DAY,
    sentence:
      'A client stopped. It was challenged and read the metadata, but did not register or open the browser from the same network.',
  },
]

const attempts = (site: Site, parts: Partial<AttemptsView> = {}): Html =>
  attemptsPage({
    site,
    view: {
      ...admin,
      filter: { search: '', outcome: null, clientId: null },
      attempts: attemptRows,
      counts: { stopped: 3, waiting: 1, connected: 1 },
      next: '001795165200.att_3aDHr9Zv7dRkqTo1',
      ...parts,
    },
  })

const DONE_STEP = {
  ok: true,
  error: null,
  reason: null,
  requestId: null,
  detail: null,
  network: null,
} as const
const attempt = (site: Site, parts: Partial<AttemptView> = {}): Html =>
  attemptPage({
    site,
    view: {
      ...admin,
      ...MISMATCH,
      clientId: 'https://claude.ai/oauth/claude-code-client-metadata',
      isKnown: true,
      resource: 'https://lantern.example/mcp',
      scopes: ['openid', 'courses:read'],
      change: 'Send a registered redirect URI, or register this one.',
      steps: [
        { ...DONE_STEP, at: NOW - HOUR - 2, stage: 'discovery' },
        { ...DONE_STEP, at: NOW - HOUR - 1, stage: 'document' },
        {
          at: NOW - HOUR,
          stage: 'authorize',
          ok: false,
          error: 'invalid_request',
          reason: 'redirect_uri_not_registered',
          requestId: 'req_4nI0bRUf6v0cYYqn3kBv1w',
          detail: 'sent an address at http://localhost:53117, where another path is registered',
          network: null,
        },
      ],
      ...parts,
    },
  })

/** @returns the pages of connected apps, of two schools in the language of a reader */
export const connectedAppsGallery = (
  lantern: Site,
  kiln: Site,
): readonly { readonly name: string; readonly html: Html }[] => [
  {
    name: 'connected-apps',
    html: connected(lantern, member, [
      app,
      {
        ...app,
        clientId: 'cl_portfolio',
        name: 'Portfolio Hub',
        icon: 'brush',
        state: 'off',
        scopes: words(['account:read']),
        recent: [],
        lastUsedAt: null,
      },
    ]),
  },
  {
    name: 'connected-apps-staff',
    html: connected(
      kiln,
      admin,
      [
        {
          ...app,
          clientId: 'cl_desk',
          name: 'Desk CLI',
          kind: 'loopback',
          icon: null,
          verified: false,
          scopes: words(['openid', 'courses:read', 'courses:write'], kiln),
        },
        {
          ...app,
          clientId: 'acme-agents',
          name: 'Acme Agents',
          kind: 'vendor',
          icon: null,
          scopes: words(operatorScopes, kiln),
        },
        {
          ...app,
          clientId: 'https://notes.example/client.json',
          name: HOSTILE_NAME,
          kind: 'document',
          icon: null,
          verified: false,
          scopes: words(['openid', 'courses:read'], kiln),
          recent: [],
        },
      ],
      'Margin Notes',
    ),
  },
  { name: 'connected-apps-empty', html: connected(lantern, member, []) },
  { name: 'connected-apps-none-left', html: connected(kiln, member, [], null, true) },
  {
    name: 'ask-for-app',
    html: askForAppPage({
      site: lantern,
      view: { ...member, clientId: 'desk-cli', name: 'Desk CLI' },
    }),
  },
  {
    name: 'ask-for-app-hostile',
    html: askForAppPage({
      site: kiln,
      view: { ...member, clientId: HOSTILE_URL, name: HOSTILE_NAME },
    }),
  },
  {
    name: 'disconnect-all-apps',
    html: disconnectAllAppsPage({
      site: lantern,
      view: { ...member, names: ['Study Buddy', HOSTILE_NAME] },
    }),
  },
  {
    name: 'disconnect-app',
    html: disconnectAppPage({
      site: lantern,
      view: { ...member, clientId: 'cl_3v9KqT0aXw', name: 'Study Buddy', lastUsedAt: NOW - HOUR },
    }),
  },
  {
    name: 'disconnect-app-hostile',
    html: disconnectAppPage({
      site: kiln,
      view: { ...admin, clientId: HOSTILE_URL, name: HOSTILE_NAME, lastUsedAt: null },
    }),
  },
]

const payroll = {
  clientId: 'service_8Fp2yQeTn0sVbWc4LkXa',
  name: 'Payroll sync',
  role: 'manager',
  scopes: words(['courses:read', 'orders:read']),
  lastUsedAt: NOW - 40 * 60,
  endedAt: null,
  state: 'active',
} as const satisfies ServiceRow

const servicesGallery = (
  lantern: Site,
  kiln: Site,
): readonly { readonly name: string; readonly html: Html }[] => {
  const { chooseRole } = wordsOf(lantern).applications.services
  const empty = { name: '', description: '', role: '', scopes: [] }
  const form: ServiceFormView = {
    ...admin,
    values: empty,
    faults: null,
    roles: ['manager', 'lecturer', 'assistant'],
    choices: words(operatorScopes.filter((name) => !IDENTITY.includes(name))),
  }
  return [
    {
      name: 'services',
      html: servicesPage({
        site: lantern,
        view: {
          ...admin,
          services: [
            payroll,
            { ...payroll, clientId: 'b', name: HOSTILE_NAME, role: 'assistant', state: 'off' },
            {
              ...payroll,
              clientId: 'c',
              name: 'Night export',
              role: 'lecturer',
              scopes: words(['courses:read']),
              lastUsedAt: null,
              endedAt: NOW - 3 * DAY,
              state: 'ended',
            },
          ],
          ended: 'Night export',
        },
      }),
    },
    { name: 'services-empty', html: servicesPage({ site: kiln, view: { ...admin, services: [], ended: null } }) }, // prettier-ignore
    { name: 'service-new', html: serviceFormPage({ site: lantern, view: form }) },
    {
      name: 'service-new-faults',
      html: serviceFormPage({
        site: kiln,
        view: {
          ...form,
          values: { ...empty, name: HOSTILE_NAME, scopes: ['orders:read'] },
          faults: { form: null, name: null, description: null, role: chooseRole, scopes: null },
        },
      }),
    },
    {
      name: 'service-created',
      html: serviceResultPage({
        site: lantern,
        view: {
          ...admin,
          clientId: payroll.clientId,
          name: payroll.name,
          secret: 'hps_2cYxGm0b7vJqR9eTfKdWnA1uLzSoPiHy',
          origin: 'https://lantern.example',
          scopes: ['courses:read', 'orders:read'],
        },
      }),
    },
    {
      name: 'service-end',
      html: serviceEndPage({
        site: lantern,
        view: { ...admin, clientId: payroll.clientId, name: payroll.name, grants: 3 },
      }),
    },
    {
      name: 'service-end-hostile',
      html: serviceEndPage({
        site: kiln,
        view: { ...admin, clientId: HOSTILE_URL, name: HOSTILE_NAME, grants: 0 },
      }),
    },
  ]
}

/** @returns the pages of the admin area, of two schools in the language of a reader */
export function managersGallery(
  lantern: Site,
  kiln: Site,
): readonly { readonly name: string; readonly html: Html }[] {
  const { refusals } = wordsOf(lantern).applications
  return [
    { name: 'applications', html: list(lantern) },
    ...servicesGallery(lantern, kiln),
    { name: 'attempts', html: attempts(lantern) },
    {
      name: 'attempts-of-app',
      html: attempts(kiln, {
        filter: { search: 'no such', outcome: 'stopped', clientId: HOSTILE_URL },
        attempts: [],
        next: null,
      }),
    },
    {
      name: 'attempts-empty',
      html: attempts(kiln, {
        attempts: [],
        counts: { stopped: 0, waiting: 0, connected: 0 },
        next: null,
      }),
    },
    { name: 'attempt', html: attempt(lantern) },
    {
      name: 'activity',
      html: activityPage({
        site: lantern,
        view: {
          ...admin,
          filter: { search: '', days: 30 },
          periods: [7, 30, 90, 365],
          entries: [
            entry(3, 'oauth.token.refreshed', null, 'Mei-Ling Chou'),
            entry(24, 'oauth.client.secret_rotated', 'Tomasz Wilk'),
            entry(48, 'oauth.grant.created', null, 'نور حداد', 'account:read'),
            entry(50, 'oauth.client.cimd.blocked', 'Ines Duarte', null, HOSTILE_URL),
          ].map((one, index) => ({
            ...one,
            app: { clientId: `cl_${index}`, name: index === 3 ? HOSTILE_NAME : 'Study Buddy' },
          })),
          next: '1795165200.17',
        },
      }),
    },
    {
      name: 'activity-none-fits',
      html: activityPage({
        site: kiln,
        view: {
          ...admin,
          filter: { search: HOSTILE_NAME, days: 365 },
          periods: [7, 30, 90, 365],
          entries: [],
          next: null,
        },
      }),
    },
    {
      name: 'attempt-hostile',
      html: attempt(kiln, {
        ...attemptRows[2]!,
        clientId: HOSTILE_URL,
        scopes: [HOSTILE_NAME],
        resource: HOSTILE_URL,
      }),
    },
    {
      name: 'applications-filtered',
      html: list(kiln, {
        filter: { ...FILTER, view: 'review', kind: 'document', search: 'notes', sort: 'name' },
        counts: { connected: 1, review: 1, tried: 0, all: 1 },
        applications: rows.filter(({ state }) => state === 'unreviewed'),
        done: 'beta_on',
      }),
    },
    {
      name: 'applications-none-fits',
      html: list(lantern, {
        filter: { ...FILTER, state: 'blocked', search: HOSTILE_NAME },
        counts: { connected: 0, review: 0, tried: 2, all: 2 },
        applications: [],
        done: 'deleted',
      }),
    },
    {
      name: 'applications-tried',
      html: list(kiln, {
        filter: { ...FILTER, view: 'tried' },
        applications: Array.from({ length: 5 }, (_, number) => ({
          ...studyBuddy,
          clientId: `cl_tool-${number}`,
          name: `Tool number ${number + 51}`,
          kind: 'loopback',
          state: 'unused',
          icon: null,
          people: 0,
          lastUsedAt: null,
          scopes: 36,
        })),
        page: 2,
        hasNext: true,
      }),
    },
    {
      name: 'applications-asked-for',
      html: list(lantern, {
        done: 'request_dismissed',
        requests: [
          {
            memberId: 'mem_l07',
            name: 'Priya Nair',
            roles: rolesInWords(['student'], languageOf(lantern)),
            clientId: 'desk-cli',
            app: 'Desk CLI',
            at: NOW - 2 * HOUR,
          },
          {
            memberId: 'mem_l11',
            name: HOSTILE_NAME,
            roles: rolesInWords(['student'], languageOf(lantern)),
            clientId: HOSTILE_URL,
            app: HOSTILE_NAME,
            at: NOW - 3 * HOUR,
          },
        ],
      }),
    },
    { name: 'applications-empty', html: list(lantern, { applications: [], isEmpty: true }) },
    {
      name: 'applications-off',
      html: list(kiln, { enabled: false, applications: rows.slice(0, 3), done: 'beta_off' }),
    },
    {
      name: 'applications-off-empty',
      html: list(kiln, { enabled: false, applications: [], isEmpty: true }),
    },
    {
      name: 'applications-hostile',
      html: list(lantern, {
        applications: [
          {
            ...studyBuddy,
            name: HOSTILE_NAME,
            clientId: HOSTILE_URL,
            kind: 'document',
            icon: '__proto__',
          },
          { ...studyBuddy, name: 'W'.repeat(100), people: 1_234_567, scopes: 38 },
        ],
      }),
    },
    { name: 'application-new', html: form(lantern) },
    {
      name: 'application-new-preset',
      html: form(kiln, {
        values: { ...typed, redirectUris: 'https://claude.ai/api/mcp/auth_callback', scopes: [] },
        addresses: [{ line: 1, uri: 'https://claude.ai/api/mcp/auth_callback', fault: null }],
      }),
    },
    {
      name: 'application-new-faults',
      html: form(lantern, {
        values: {
          ...typed,
          name: '',
          icon: null,
          scopes: [],
          redirectUris: `https://study-buddy.example/callback\r\n\r\nhttp://study-buddy.example/cb\r\n${HOSTILE_URL}`,
        },
        addresses: [
          { line: 1, uri: 'https://study-buddy.example/callback', fault: null },
          {
            line: 3,
            uri: 'http://study-buddy.example/cb',
            fault: refusals.redirect_uri_not_allowed,
          },
          { line: 4, uri: HOSTILE_URL, fault: refusals.redirect_uri_malformed },
        ],
        faults: {
          ...NO_FAULTS,
          name: refusals.name_malformed,
          icon: refusals.icon_malformed,
          scopes: refusals.scopes_missing,
        },
      }),
    },
    {
      name: 'application-new-no-address',
      html: form(kiln, {
        values: { ...typed, authMethod: 'client_secret_post', redirectUris: '' },
        faults: {
          ...NO_FAULTS,
          description: refusals.description_malformed,
          authMethod: refusals.auth_method_not_supported,
          redirectUris: refusals.redirect_uris_missing,
        },
      }),
    },
    {
      name: 'application-edit',
      html: form(lantern, {
        editing: {
          clientId: 'cl_3v9KqT0aXw',
          name: 'Study Buddy',
          revision: 4,
          scopes: ['account:read', 'account:write'],
          people: 12,
        },
        values: { ...typed, scopes: ['account:read', 'account:write'] },
      }),
    },
    {
      name: 'application-edit-conflict',
      html: form(kiln, {
        editing: {
          clientId: 'cl_3v9KqT0aXw',
          name: HOSTILE_NAME,
          revision: 5,
          scopes: ['account:read', 'account:write'],
          people: 0,
        },
        values: { ...typed, scopes: ['account:read'] },
        faults: {
          ...NO_FAULTS,
          form: refusals.client_changed_meanwhile,
        },
      }),
    },
    { name: 'application-made-public', html: result(lantern) },
    { name: 'application-made-confidential', html: result(kiln, { secret: SECRET }) },
    {
      name: 'application-rotated',
      html: result(lantern, { cause: 'rotated', secret: SECRET, previousSecretUntil: NOW + DAY }),
    },
    {
      name: 'application-rotated-at-once',
      html: result(kiln, { cause: 'rotated', secret: SECRET, name: HOSTILE_NAME }),
    },
    { name: 'application', html: detail(lantern, { done: 'saved' }) },
    {
      name: 'application-public',
      html: detail(kiln, {
        authMethod: 'none',
        secret: null,
        name: 'Study Buddy',
        icon: 'star',
        people: [],
        log: [],
        lastUsedAt: null,
        actions: ['edit', 'disable', 'delete', 'disconnect'],
      }),
    },
    {
      name: 'application-disabled',
      html: detail(lantern, {
        state: 'disabled',
        name: 'Old Tracker',
        icon: 'clock',
        secret: { since: null, previousUntil: null },
        actions: ['edit', 'rotate', 'enable', 'delete', 'disconnect'],
        morePeople: 140,
        done: 'disabled',
      }),
    },
    {
      name: 'application-beta-off',
      html: detail(kiln, { enabled: false, icon: 'speech' }),
    },
    {
      name: 'application-vendor',
      html: detail(lantern, {
        kind: 'vendor',
        clientId: 'acme-agents',
        name: 'Acme Agents',
        description: null,
        icon: null,
        authMethod: 'none',
        secret: null,
        createdAt: null,
        redirectUris: ['https://agents.acme.example/oauth/callback'],
        scopes: words([...IDENTITY, 'courses:read', 'courses:write', 'curriculum:read']),
        actions: ['disconnect'],
      }),
    },
    {
      name: 'application-loopback',
      html: detail(kiln, {
        kind: 'loopback',
        name: 'Desk CLI',
        description: null,
        icon: null,
        authMethod: 'none',
        secret: null,
        scopes: words(operatorScopes, kiln),
        actions: ['disable', 'disconnect'],
      }),
    },
    { name: 'application-document', html: detail(lantern, { ...documentParts, done: 'reviewed' }) },
    {
      name: 'application-document-unreviewed',
      html: detail(kiln, {
        ...documentParts,
        state: 'unreviewed',
        scopes: words(
          operatorScopes.filter((name) => !name.endsWith(':write')),
          kiln,
        ),
        document: { ...documentParts.document!, reviewedAt: null },
        review: review([], ['school:write', 'members:write']),
        people: [],
      }),
    },
    {
      name: 'application-document-changed',
      html: detail(lantern, {
        ...documentParts,
        state: 'changed',
        document: {
          ...documentParts.document!,
          changedAt: NOW - 2 * DAY,
          freshUntil: NOW - HOUR,
          differences: [
            { member: 'client_name', removed: ['Front Desk'], added: ['Front Desk Pro'] },
            {
              member: 'redirect_uris',
              removed: [],
              added: ['https://desk.example/a/longer/address/than/fits/in/one/line/of/a/telephone'],
            },
            { member: 'tos_uri', removed: ['https://desk.example/terms'], added: [] },
          ],
          fetchFault: refusals.document_unavailable,
        },
        reviewFault: refusals.document_changed_meanwhile,
      }),
    },
    {
      name: 'application-document-blocked',
      html: detail(kiln, {
        ...documentParts,
        clientId: HOSTILE_URL,
        name: HOSTILE_NAME,
        redirectUris: [HOSTILE_URL],
        state: 'blocked',
        scopes: words(IDENTITY, kiln),
        people: [],
        log: [
          {
            at: NOW - HOUR,
            type: 'oauth.client.cimd.blocked',
            actor: HOSTILE_NAME,
            subject: HOSTILE_NAME,
            detail: HOSTILE_URL,
          },
        ],
        actions: ['unblock'],
      }),
    },
    {
      name: 'beta-off',
      html: betaPage({
        site: lantern,
        view: { ...admin, enabled: true, people: 16, applications: 3 },
      }),
    },
    {
      name: 'beta-on',
      html: betaPage({
        site: kiln,
        view: { ...admin, enabled: false, people: 1, applications: 1 },
      }),
    },
    { name: 'confirm-disable', html: confirm(lantern) },
    { name: 'confirm-delete', html: confirm(kiln, { confirm: 'delete', people: 1 }) },
    {
      name: 'confirm-delete-mistyped',
      html: confirm(lantern, {
        confirm: 'delete',
        people: 0,
        name: 'Study Buddy (old one, with quite a long name to type)',
        typedName: 'study budy',
      }),
    },
    { name: 'confirm-disconnect-all', html: confirm(kiln, { confirm: 'disconnect_all' }) },
    {
      name: 'confirm-block',
      html: confirm(lantern, {
        confirm: 'block',
        kind: 'document',
        clientId: HOSTILE_URL,
        name: HOSTILE_NAME,
      }),
    },
  ]
}
