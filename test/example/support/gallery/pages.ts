import type {
  ClientView,
  ConsentScope,
  ConsentView,
  SignInView,
} from 'hallpass/authorization-server'
import type { DeviceView } from 'hallpass/blocks'
import type { Person } from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { backToAppPage } from '../../../../examples/pages/back-to-app.js'
import { consentPage } from '../../../../examples/pages/consent.js'
import { devicePage } from '../../../../examples/pages/device.js'
import { pasteAddressPage } from '../../../../examples/pages/paste-address.js'
import { errorPage, notFoundPage, tooManyTriesPage } from '../../../../examples/pages/error.js'
import { homeLinks, signedInPage, signOutPage } from '../../../../examples/pages/home.js'
import type { Html } from '../../../../examples/pages/html.js'
import type { Site } from '../../../../examples/pages/layout.js'
import { LANGUAGES } from '../../../../examples/pages/words/languages.js'
import { type SignInState, signInOnlyPage, signInPage } from '../../../../examples/pages/sign-in.js'
import { connectedAppsGallery, GALLERY_LOGO, managersGallery } from './applications.js'
import { STUDY_BUDDY_VIEW } from '../../../support/school/client-view.js'

/** Every page in every state, for looking at and for tests. */
export interface GalleryPage {
  readonly name: string
  readonly html: Html
}

const lantern: Site = { name: 'Lantern Street Drawing School', theme: 'lantern' }
const kiln: Site = { name: 'Kiln & Coil Pottery', theme: 'kiln' }

/** The schools of the gallery, in English. */
export const SCHOOLS = { lantern, kiln }

const deskCli: ClientView = {
  clientId: 'cl_1',
  name: 'Desk CLI',
  kind: 'loopback',
  verified: false,
  links: [],
  logoUri: null,
  createdAt: 1_788_000_000,
  redirectHost: '127.0.0.1:53682',
  redirectIsLoopback: true,
  redirectIsOwn: false,
}
const playground: ClientView = {
  ...deskCli,
  name: 'Playground',
  redirectHost: '127.0.0.1:6450',
  redirectIsOwn: true,
}
const studyBuddy = STUDY_BUDDY_VIEW
const notes: ClientView = {
  clientId: 'https://notes.example/client.json',
  name: 'Margin Notes',
  kind: 'document',
  verified: false,
  links: [
    { page: 'site', host: 'notes.example', isElsewhere: false, href: null },
    { page: 'policy', host: 'xn--ltters-cua.example', isElsewhere: true, href: null },
  ],
  logoUri: null,
  createdAt: 1_788_000_000,
  redirectHost: 'notes.example',
  redirectIsLoopback: false,
  redirectIsOwn: false,
}
const desk: ClientView = {
  ...notes,
  clientId: 'https://desk.example/client.json',
  name: 'Front Desk',
  verified: true,
  links: [
    { page: 'site', host: 'desk.example', isElsewhere: false, href: 'https://desk.example/' },
    {
      page: 'policy',
      host: 'legal.example',
      isElsewhere: true,
      href: 'https://legal.example/desk/privacy',
    },
    { page: 'terms', host: 'desk.example', isElsewhere: false, href: 'https://desk.example/terms' },
  ],
  logoUri: 'https://desk.example/logo.png',
  redirectHost: 'desk.example',
}
const acme: ClientView = {
  clientId: 'acme-agents',
  name: 'Acme Agents',
  kind: 'vendor',
  verified: true,
  links: [],
  logoUri: null,
  createdAt: 1_788_000_000,
  redirectHost: 'acme:',
  redirectIsLoopback: false,
  redirectIsOwn: false,
}

const tomasz: Person = {
  subject: 'mem_2',
  orgId: 'site_lantern',
  roles: ['manager'],
  name: 'Tomasz Wilk',
  email: 'tomasz@lantern.example',
  picture: null,
}
const amara: Person = {
  ...tomasz,
  name: 'Amara Obi',
  email: 'amara@lantern.example',
  roles: ['lecturer'],
}
const mei: Person = {
  ...tomasz,
  name: 'Mei-Ling Chou',
  roles: ['student'],
  email: 'mei-ling@example.com',
}

const scopes = (
  site: Site,
  names: readonly string[],
  beyond: readonly string[] = [],
  granted: readonly string[] = [],
) =>
  schoolScopes.names
    .filter((name) => names.includes(name))
    .map((scope): ConsentScope => {
      const row = schoolScopes.get(scope)!
      return {
        scope,
        text: row.consent.replaceAll('{school}', site.name),
        group: row.group,
        access: row.access,
        personalData: row.personalData ?? false,
        sensitive: row.sensitive ?? false,
        beyondRole: beyond.includes(scope),
        alreadyGranted: granted.includes(scope),
      }
    })

type Asked = Pick<ConsentView, 'client' | 'person' | 'scopes'> & Partial<ConsentView>

const consentView = (parts: Asked): ConsentView => ({
  action: '/oauth/interaction/Hn4Zc0',
  csrfToken: 'csrf-token',
  addsTo: null,
  blocked: null,
  grantLifetimeSeconds: 180 * 86_400,
  grantEnds: [
    { id: 'day', label: 'For one day', endsAt: 1_795_251_600 },
    {
      id: 'term',
      label: 'Until the end of term, 18 Dec 2026, 18:00',
      endsAt: 1_797_616_800,
    },
  ],
  clientEndsAt: null,
  uiLocales: [],
  mayPaste: false,
  mayNarrow: true,
  notice: null,
  ...parts,
})

const frameOf = (site: Site, { client }: Asked) => ({
  site,
  signOutToken: 'sign-out-token',
  logo: client.logoUri === null ? null : GALLERY_LOGO.path,
  people: client.verified ? 12 : 0,
})

const consent = (site: Site, parts: Asked): Html =>
  consentPage({ ...frameOf(site, parts), view: consentView(parts) })

const device = (
  site: Site,
  parts: Asked,
  from: { place: string | null; program: string | null } = {
    place: '203.0.113.24',
    program: 'mcp-remote/0.15.1',
  },
): Html =>
  devicePage({
    ...frameOf(site, parts),
    timeZone: 'Europe/Lisbon',
    view: {
      page: 'consent',
      userCode: 'WDJB-MJHT',
      requestedAt: 1_795_165_200,
      ...from,
      consent: consentView({ ...parts, action: '/oauth/device' }),
    },
  })

const deviceCode = (site: Site, view: Partial<Extract<DeviceView, { page: 'code' }>> = {}): Html =>
  devicePage({
    site,
    signOutToken: 'sign-out-token',
    view: {
      page: 'code',
      csrfToken: 'csrf-token',
      userCode: null,
      notice: null,
      person: mei,
      ...view,
    },
  })

/** The pages on which a person connects a device. */
const devicePages = (lantern: Site, kiln: Site): readonly GalleryPage[] => [
  { name: 'device', html: deviceCode(lantern) },
  { name: 'device-linked', html: deviceCode(kiln, { userCode: 'WDJB-MJHT' }) },
  { name: 'device-malformed', html: deviceCode(lantern, { notice: 'malformed' }) },
  {
    name: 'device-unknown',
    html: deviceCode(kiln, { userCode: 'WDJB-MJHT', notice: 'unknown' }),
  },
  {
    name: 'device-consent',
    html: device(lantern, {
      client: deskCli,
      person: amara,
      scopes: scopes(lantern, [...READS, 'courses:write', 'students:read']),
    }),
  },
  {
    name: 'device-consent-document',
    html: device(
      kiln,
      { client: notes, person: tomasz, scopes: scopes(kiln, READS) },
      { place: null, program: null },
    ),
  },
  {
    name: 'device-consent-hostile',
    html: device(
      lantern,
      {
        client: { ...deskCli, name: `"><script>alert(1)</script>\u202egnp` },
        person: mei,
        scopes: scopes(lantern, ['openid']),
        mayNarrow: false,
      },
      { place: `"><b>${'here'.repeat(49)}`, program: `</span><script>${'x'.repeat(180)}` },
    ),
  },
  {
    name: 'device-not-staff',
    html: device(lantern, {
      client: deskCli,
      person: mei,
      scopes: scopes(lantern, READS),
      blocked: 'not_staff',
    }),
  },
  {
    name: 'device-done',
    html: devicePage({
      site: lantern,
      view: { page: 'done', client: deskCli, allowed: true },
    }),
  },
  {
    name: 'device-denied',
    html: devicePage({ site: kiln, view: { page: 'done', client: notes, allowed: false } }),
  },
]

const signIn = (
  site: Site,
  client: ClientView,
  state: SignInState = { kind: 'plain' },
  email: string | null = null,
  view: Partial<SignInView> = {},
): Html =>
  signInPage({
    site,
    view: {
      returnTo: '/oauth/interaction/Hn4Zc0',
      client,
      cause: 'signed_out',
      loginHint: null,
      uiLocales: [],
      ...view,
    },
    form: { csrfToken: 'csrf-token', email, state },
  })

const error = (site: Site, reason: string, description: string, requestId?: string) =>
  errorPage({
    site,
    view: {
      status: 400,
      error: 'invalid_request',
      reason,
      description,
      ...(requestId !== undefined && {
        requestId,
        attemptId: 'att_kWXqTo0UaDHr9Zv7',
        url: `https://hallpass.example/look-up/errors.html#${reason}`,
      }),
    },
  })

const READS = ['openid', 'profile', 'email', 'courses:read', 'curriculum:read', 'events:read']

const homePages = (lantern: Site, kiln: Site): readonly GalleryPage[] => [
  {
    name: 'home',
    html: signedInPage({
      site: lantern,
      person: tomasz,
      csrfToken: 'csrf-token',
      links: homeLinks({ isAdmin: true, ...lantern }),
    }),
  },
  {
    name: 'home-kiln',
    html: signedInPage({
      site: kiln,
      person: mei,
      csrfToken: 'csrf-token',
      links: homeLinks({ isAdmin: false, ...kiln }),
    }),
  },
]

/** The pages that have words in every language. */
const spokenPages = (lantern: Site, kiln: Site): readonly GalleryPage[] => [
  ...askingPages(lantern, kiln),
  ...devicePages(lantern, kiln),
  ...homePages(lantern, kiln),
  ...connectedAppsGallery(lantern, kiln),
]

/** @returns the pages of signing in and out, allowing and errors, of two schools in the language of a reader */
const askingPages = (lantern: Site, kiln: Site): readonly GalleryPage[] => [
  { name: 'sign-in-member', html: signIn(lantern, studyBuddy) },
  { name: 'sign-in-kiln', html: signIn(kiln, acme) },
  { name: 'sign-in-loopback', html: signIn(lantern, deskCli) },
  { name: 'sign-in-own-page', html: signIn(lantern, playground) },
  {
    name: 'sign-in-document',
    html: signIn(kiln, notes, undefined, null, { loginHint: 'a@b.example' }),
  },
  {
    name: 'sign-in-wrong',
    html: signIn(lantern, studyBuddy, { kind: 'wrong_credentials' }, 'mei-ling@example.com'),
  },
  {
    name: 'sign-in-wrong-loopback',
    html: signIn(kiln, deskCli, { kind: 'wrong_credentials' }, 'wen-chi@example.com'),
  },
  {
    name: 'sign-in-throttled',
    html: signIn(lantern, studyBuddy, { kind: 'throttled', waitSeconds: 45 }, 'm@example.com'),
  },
  {
    name: 'sign-in-suspended',
    html: signIn(lantern, studyBuddy, { kind: 'suspended' }, 'oskar@example.com'),
  },
  {
    name: 'sign-in-known',
    html: signIn(lantern, studyBuddy, { kind: 'signed_in', name: 'Mei-Ling Chou' }),
  },
  {
    name: 'sign-in-again',
    html: signIn(kiln, studyBuddy, undefined, 'mei-ling@example.com', { cause: 'again' }),
  },
  {
    name: 'sign-in-other-account',
    html: signIn(kiln, studyBuddy, undefined, null, { cause: 'other_account' }),
  },
  {
    name: 'sign-in-only',
    html: signInOnlyPage({
      site: kiln,
      form: { csrfToken: 'csrf-token', email: null, state: { kind: 'plain' } },
    }),
  },
  {
    name: 'consent-member',
    html: consent(lantern, {
      client: studyBuddy,
      person: mei,
      scopes: scopes(lantern, ['openid', 'account:read', 'account:write']),
    }),
  },
  {
    name: 'consent-loopback',
    html: consent(lantern, {
      client: deskCli,
      person: amara,
      scopes: scopes(
        lantern,
        [...READS, 'courses:write', 'students:read', 'orders:read', 'events:write'],
        ['orders:read'],
        ['openid', 'courses:read', 'events:read'],
      ),
      mayPaste: true,
    }),
  },
  {
    name: 'consent-own-page',
    html: consent(lantern, {
      client: playground,
      person: amara,
      scopes: scopes(lantern, [...READS, 'lectures:read', 'students:read', 'orders:read']),
    }),
  },
  {
    name: 'paste-address',
    html: pasteAddressPage({
      site: lantern,
      view: {
        client: deskCli,
        address:
          'http://127.0.0.1:53682/callback?code=hpc_Ki8u4sZqwkqpKEI0tYwpMnQwFkpdmqUvBu2UpyzuC9E&state=af0ifjsldkj&iss=https%3A%2F%2Flantern.example',
        codeSeconds: 60,
        uiLocales: [],
      },
    }),
  },
  {
    name: 'consent-document',
    html: consent(kiln, { client: notes, person: tomasz, scopes: scopes(kiln, READS) }),
  },
  {
    name: 'consent-reviewed',
    html: consent(kiln, {
      client: desk,
      person: tomasz,
      scopes: scopes(kiln, [...READS, 'courses:write', 'members:read']),
    }),
  },
  {
    name: 'consent-nothing-left',
    html: consent(lantern, {
      client: studyBuddy,
      person: mei,
      scopes: scopes(lantern, ['account:read', 'account:write']),
      notice: 'nothing_left',
    }),
  },
  {
    name: 'consent-everything',
    html: consent(lantern, {
      client: acme,
      person: tomasz,
      scopes: scopes(
        lantern,
        schoolScopes.names.filter((name) => !name.startsWith('account:')),
      ),
    }),
  },
  {
    name: 'consent-identity',
    html: consent(kiln, {
      client: { ...acme, redirectHost: '127.0.0.1:33418', redirectIsLoopback: true },
      person: { ...tomasz, email: null, name: 'נועה 高橋' },
      scopes: scopes(kiln, ['openid']),
      mayNarrow: false,
    }),
  },
  {
    name: 'consent-more',
    html: consent(lantern, {
      client: deskCli,
      person: amara,
      scopes: scopes(lantern, ['courses:write']),
      addsTo: scopes(lantern, [...READS, 'students:read'], [], [...READS, 'students:read']),
      mayNarrow: false,
      grantEnds: [],
    }),
  },
  {
    name: 'back-to-app',
    html: backToAppPage({ site: lantern, view: { client: deskCli, allowed: true } }),
  },
  {
    name: 'back-to-app-cancelled',
    html: backToAppPage({ site: kiln, view: { client: notes, allowed: false } }),
  },
  {
    name: 'consent-not-staff',
    html: consent(lantern, {
      client: deskCli,
      person: mei,
      scopes: scopes(lantern, READS),
      blocked: 'not_staff',
    }),
  },
  {
    name: 'consent-no-role',
    html: consent(kiln, {
      client: studyBuddy,
      person: { ...mei, roles: [] },
      scopes: scopes(kiln, ['openid', 'account:read']),
      blocked: 'no_role',
    }),
  },
  {
    name: 'consent-hostile',
    html: consent(lantern, {
      client: {
        ...deskCli,
        name: `"><script>alert(1)</script>\u202egnp.\u200b${'Wide'.repeat(20)}`,
      },
      person: mei,
      scopes: scopes(lantern, ['openid']),
    }),
  },
  {
    name: 'error-redirect',
    html: error(
      lantern,
      'redirect_uri_not_registered',
      'redirect_uri must equal a registered one character by character; for loopback addresses the port may differ',
      'req_7Q2hXk1vT0',
    ),
  },
  {
    name: 'error-disabled',
    html: error(kiln, 'client_disabled', 'this app is turned off', 'req_7Q2hXk1vT0'),
  },
  {
    name: 'error-beta-off',
    html: error(lantern, 'member_clients_off', 'this app is turned off', 'req_7Q2hXk1vT0'),
  },
  {
    name: 'error-document',
    html: error(
      kiln,
      'document_host_not_allowed',
      'client_id: the host of this metadata document is not allowed here',
      'req_7Q2hXk1vT0',
    ),
  },
  {
    name: 'error-expired',
    html: error(
      lantern,
      'interaction_expired',
      'this request has expired or has already been completed: go back to the app and start again',
    ),
  },
  { name: 'error-other', html: error(kiln, 'parameter_repeated', 'client_id must be sent once') },
  { name: 'not-found', html: notFoundPage({ site: kiln }) },
  { name: 'too-many-tries', html: tooManyTriesPage({ site: lantern, waitSeconds: 240 }) },
  {
    name: 'sign-out',
    html: signOutPage({ site: lantern, person: mei, csrfToken: 'csrf-token' }),
  },
]

/** Pages of the admin area that are shown in each language. */
const IN_EACH_LANGUAGE = [
  'applications',
  'applications-off',
  'application',
  'application-new-faults',
  'application-edit',
  'application-made-confidential',
  'application-document-changed',
  'confirm-delete-mistyped',
  'beta-off',
  'attempts',
  'attempt',
  'activity',
]

/** @returns pages with a file name each, unique and without an ending */
export const galleryPages = (): readonly GalleryPage[] => [
  ...askingPages(lantern, kiln),
  ...devicePages(lantern, kiln),
  ...LANGUAGES.slice(1).flatMap((language) =>
    [
      ...spokenPages({ ...lantern, language }, { ...kiln, language }),
      ...managersGallery({ ...lantern, language }, { ...kiln, language }).filter(({ name }) =>
        IN_EACH_LANGUAGE.includes(name),
      ),
    ].map(({ name, html }) => ({
      name: `${name}-${language.tag.toLowerCase()}`,
      html,
    })),
  ),
  ...homePages(lantern, kiln),
  ...managersGallery(lantern, kiln),
  ...connectedAppsGallery(lantern, kiln),
]
