import type { AttemptOutcome, AttemptSilence, AttemptStage, AttemptTurn } from 'hallpass/clients'
import type { ClientKind, TokenEndpointAuthMethod } from 'hallpass/policy'
import type { ApplicationIcon } from '../../applications/icons.js'
import type { AreaReason } from '../../applications/refusals.js'
import type {
  ApplicationDone,
  ApplicationState,
  ApplicationsView,
  ConfirmKind,
  SaidMember,
  ServiceRoleName,
  SwitchAction,
} from '../../applications/views.js'
import { html } from '../../html.js'
import { counted, MOST_COUNTED } from '../counted.js'
import type { Part } from '../words.js'

const plural = (one: string, other: string, most?: number) =>
  counted('en-GB', { one, other, ...(most !== undefined && { most }) })
const people = plural('{count} person', '{count} people', MOST_COUNTED)
const memberApps = plural('{count} member app', '{count} member apps', MOST_COUNTED)

/** Returns the text for members who connect an app, line by line. */
const card = ({ app, school }: Card, start: readonly string[]): readonly string[] => [
  `Connect ${app} to ${school}`,
  '',
  ...start,
  `3. Sign in to ${school} in the window that opens.`,
  '4. Read what the app asks for, and choose Allow.',
  '',
  `To disconnect it later: ${school}, Account, Connected apps, Disconnect.`,
]

/** Every sentence of the pages on which a school manages its apps. */
export const applicationsInEnglish = {
  attempts: 'Connection attempts',
  activity: 'Activity',
  kinds: {
    member: 'Member app',
    vendor: 'Platform',
    loopback: 'App on a computer',
    document: 'Document app',
  } satisfies Record<ClientKind, string>,
  states: {
    active: 'Active',
    unused: 'Not connected',
    disabled: 'Turned off',
    unreviewed: 'Not reviewed',
    reviewed: 'Reviewed',
    changed: 'Changed since review',
    blocked: 'Blocked',
  } satisfies Record<ApplicationState, string>,
  /** The state of a member app while MCP connections are off. */
  paused: 'Paused',
  icons: {
    letter: 'Letter',
    pencil: 'Pencil',
    book: 'Book',
    brush: 'Brush',
    clock: 'Clock',
    chart: 'Chart',
    speech: 'Speech',
    compass: 'Compass',
    star: 'Star',
  } satisfies Record<ApplicationIcon | 'letter', string>,
  /** Names of what an app or its document says about itself. */
  members: {
    client_name: 'Name',
    redirect_uris: 'Redirect addresses',
    client_uri: 'Website',
    policy_uri: 'Privacy policy',
    tos_uri: 'Terms',
    logo_uri: 'Logo',
    contacts: 'Contacts',
  } satisfies Record<SaidMember, string>,
  clientId: 'Client ID',
  never: 'Never',
  permissions: plural('{count} permission', '{count} permissions'),
  search: 'Search',
  nextPage: 'Next page',
  keep: 'Keep it as it is',
  /** In place of a name that the school does not have. */
  someone: 'Someone without a name',

  list: {
    add: 'New app',
    requests: {
      title: 'People who ask for an app',
      what: 'Their role doesn’t allow it. If it should, give them another role; they can connect the app after that.',
      asks: (person: Part, roles: string, app: Part, ago: Part) =>
        html`<strong>${person}</strong> (${roles}) asks for ${app}, ${ago}`,
      dismiss: 'Dismiss',
      /** Continues `dismiss` for screen readers. */
      whose: (person: Part) => html` the request of ${person}`,
    },
    done: {
      beta_on: 'MCP connections are on. Apps that were connected before work again.',
      beta_off: 'MCP connections are off. Member apps no longer work.',
      deleted: 'The app is deleted, and everyone is disconnected from it.',
      request_dismissed: 'The request is dismissed. The person can ask again.',
    } satisfies Record<NonNullable<ApplicationsView['done']>, string>,
    mcp: {
      title: 'MCP connections',
      on: 'On',
      off: 'Off',
      isBeta: 'This is a beta: details may change, and you can turn it off at any time.',
      whileOn: (school: string) =>
        `Members of ${school} can connect the apps that you set up here to their own accounts, including AI apps.`,
      whileOff: (school: string) =>
        `When they’re on, you can set up apps for the members of ${school}: an AI app that knows where they stopped, or your own companion app. Each member decides whether to connect an app to their account, and the app never sees what others do.`,
      nothingDeleted:
        'Nothing below was deleted. Member apps work again as soon as you turn this on.',
      turnOn: 'Turn on',
      turnOff: 'Turn off…',
    },
    empty: {
      title: 'No apps yet',
      what: html`A <strong>member app</strong> acts for one member at a time. If they allow it, it
        can look up their courses, save where they stopped, or cancel a booking. You give it a name,
        say where it runs and choose what it can ask for. Then you share its client ID.`,
      staff: (school: string) =>
        `Staff of ${school} can also connect apps, on their computer or from a platform. Those appear here as soon as someone uses them.`,
      submit: 'Set up your first app',
    },
    apps: 'Apps',
    viewsLabel: 'Apps to show',
    views: {
      connected: 'Your apps',
      review: 'To review',
      tried: 'Tried to connect',
      all: 'All',
    } satisfies Record<ApplicationsView['filter']['view'], string>,
    toReview:
      'These apps identify themselves with a document that no one has reviewed in its present form. They can see things, but not change them.',
    tried:
      'These apps registered themselves, and no one has connected them. They can’t do anything, and are removed after seven days.',
    noMatch: 'No app matches here.',
    none: 'There are no apps here.',
    among: plural('Show {count} match among all apps', 'Show {count} matches among all apps'),
    showAll: 'Show all apps',
    filter: {
      search: 'Name, client ID or address',
      kind: 'Kind',
      state: 'State',
      order: 'Order',
      all: 'All',
      submit: 'Filter',
    },
    sorts: {
      newest: 'Newest first',
      oldest: 'Oldest first',
      name: 'Name',
    } satisfies Record<ApplicationsView['filter']['sort'], string>,
    connected: counted('en-GB', {
      most: MOST_COUNTED,
      none: 'No one connected',
      one: '{count} person connected',
      other: '{count} people connected',
    }),
    neverUsed: 'Never used',
    used: (ago: Part) => html`Used ${ago}`,
    pages: 'Pages',
    previousPage: 'Previous page',
    page: (number: string) => `Page ${number}`,
  },

  detail: {
    edit: 'Edit',
    done: {
      saved: 'Saved. Your changes apply right away, also to people who are connected.',
      old_secret_ended: 'The old secret no longer works.',
      end_set: 'The end is changed. It applies right away, also to people who are connected.',
      disabled: 'Turned off. It no longer works for anyone.',
      enabled: 'Turned on. It works again for everyone who is connected.',
      disconnected: 'Disconnected. The app can no longer act for this person.',
      all_disconnected: 'Everyone is disconnected. The app can no longer act for them.',
      reviewed: 'Reviewed. People who connect it see that the school has reviewed it.',
      reviewed_without_logo:
        'Reviewed. People who connect it see that the school has reviewed it, but not its logo: we couldn’t fetch a small PNG, JPEG or WebP image.',
      blocked: 'Blocked. Everyone is disconnected, and no one can connect it.',
      unblocked: 'Unblocked. People can connect it again.',
      fetched: 'The document was fetched again.',
    } satisfies Record<ApplicationDone, string>,
    mcpOff: html`<strong>MCP connections are off</strong>, so member apps don’t work.`,
    turnOn: 'Turn them on',
    documentId: 'Document (also its client ID)',
    authentication: 'Authentication',
    authMethods: {
      none: 'Without a secret (public)',
      client_secret_post: 'With a secret (confidential)',
      private_key_jwt: 'With a key of its own (confidential)',
    } satisfies Record<TokenEndpointAuthMethod, string>,
    lastUsed: 'Last used',
    setUp: 'Set up',
    firstSeen: 'First seen',
    ends: 'Ends',
    ended: 'Ended',
    said: 'What it says about itself',
    scopes: 'What it can ask for',
    memberDecides: 'Each member decides for their own account.',
    personDecides: 'Each person decides, but can’t allow more than their role does.',
    showAll: (count: string) => `Show all ${count}`,
    nothingYet: 'Nothing has happened yet.',
    attempts: 'Connection attempts of this app',
    activity: 'All its activity',
  },

  document: {
    title: 'Its document',
    fetch: 'Fetch again',
    notFetched: (why: string) =>
      html`<strong>We couldn’t fetch it.</strong> ${why} We keep using the last copy for up to seven
        days.`,
    fetched: 'Fetched',
    freshUntil: 'Fresh until',
    wasFreshUntil: 'Was fresh until',
    reviewed: 'Reviewed',
    show: 'Show the document as we keep it',
    differences: 'What changed since the review',
    was: (value: Part) => html`Was: ${value}`,
    now: (value: Part) => html`Now: ${value}`,
    changed: (ago: Part) =>
      html`<strong>It changed ${ago}, after its review.</strong> Until someone reviews it again, it
        can see things but not change them. This also applies to people who are already connected.`,
    unreviewed: (school: string) =>
      html`<strong>No one at ${school} has reviewed it.</strong> People who connect it see a
        warning, and are asked every time. It can see things, but not change them.`,
    review: 'Review',
    notSaved: (why: string) => html`<strong>Nothing was saved.</strong> ${why}`,
    check: (school: string) =>
      `Check that the app is what it says it is, that its addresses belong to its publisher, and that ${school} wants it. Then tick what it can change. It can always see what each person’s role allows. If you tick nothing, it can’t change anything.`,
    changes: 'What it can change',
    save: 'Save the review',
    submit: 'Mark as reviewed',
    notInRole: 'Not in your role',
    notInRoleWhy: 'Someone whose role includes this has to allow it.',
  },

  people: {
    title: 'Connected people',
    disconnectAll: 'Disconnect everyone…',
    none: 'No one has connected it yet.',
    more: plural('And {count} more.', 'And {count} more.'),
    since: (moment: Part) => html`Since ${moment}`,
    neverUsed: 'never used',
    used: (ago: Part) => html`used ${ago}`,
    disconnect: 'Disconnect',
  },

  secret: {
    title: 'Secret',
    current: 'Current secret',
    inUse: 'In use',
    inUseSince: (moment: Part) => html`In use since ${moment}`,
    old: 'Old secret',
    worksUntil: (moment: Part) => html`Works until ${moment}`,
    endOld: 'End the old secret now',
    add: 'New secret',
    afterwards: 'Then the current secret …',
    stop: 'stops right away',
    keepFor: (span: string) => `works for ${span} more`,
    onlyTwo: 'Only two secrets can work at a time, so the old secret above stops right away.',
    submit: 'Create secret',
  },

  switches: {
    title: 'Status',
    buttons: {
      disable: 'Turn off',
      enable: 'Turn on',
      block: 'Block',
      unblock: 'Unblock',
      delete: 'Delete',
    } satisfies Record<SwitchAction, string>,
    texts: {
      disable: 'Turning it off stops it for everyone. Connections are kept.',
      enable: 'Turning it on makes it work again right away for everyone who is connected.',
      block: 'Blocking it disconnects everyone, and no one can connect it.',
      unblock: 'After that, people can connect it again, within the limits of its review.',
      delete: 'Deleting it is permanent. The activity log keeps its name.',
    } satisfies Record<SwitchAction, string>,
    end: {
      title: 'End',
      label: 'Last day (optional)',
      hint: 'The app works until midnight UTC after this day. Connections are kept, so a later day lets it continue.',
      submit: 'Save the end',
    },
  },

  form: {
    add: 'New app',
    edit: 'Edit app',
    /** The title of the page after an error. */
    error: (title: string) => `Error: ${title}`,
    create: 'Create app',
    save: 'Save changes',
    cancel: 'Cancel',
    lead: (school: string) =>
      `A member app acts for one member of ${school} at a time, and only if they allow it.`,
    nothingSaved: 'Nothing was saved.',
    check: 'Please check these:',
    line: (label: string, line: string) => `${label}, line ${line}`,
    fixed: (label: string) => `${label} (can’t be changed)`,
    labels: {
      name: 'Name',
      description: 'Description',
      icon: 'Icon',
      authMethod: 'Where it runs',
      keys: 'Public keys',
      redirectUris: 'Redirect addresses',
      scopes: 'What it can ask for',
    },
    optional: (label: string) => `${label} (optional)`,
    hints: {
      name: 'Members see it when the app asks to connect.',
      description: 'For the people who manage the apps. Members don’t see it.',
      authMethod: 'You can’t change this later.',
      keys: 'Only for an app that signs: the https address of its keys (jwks_uri), or the keys themselves as a JWK Set. Never paste a private key.',
      redirectUris: (loopback: Part) =>
        html`Where people return to the app. Enter one address per line, exactly as the app sends
        it. For ${loopback}, the port may differ.`,
      ofDevice:
        'Leave it empty for a device without a browser: it shows a code in place of an address.',
      newScopes:
        'Each member still decides. You can change this later. An AI assistant has to see something to change it.',
      scopes:
        'If you add something, members are asked for it the next time they connect. If you remove something, the app loses it right away.',
    },
    authMethods: {
      none: {
        label: 'On members’ own devices (public)',
        text: 'A phone, desktop, browser or AI app. It gets no secret, because a device can’t keep one.',
      },
      client_secret_post: {
        label: 'On a server (confidential)',
        text: 'A web app with its own server, which can keep a secret.',
      },
      private_key_jwt: {
        label: 'On a server, with a key',
        text: 'A web app that signs with a key of its own, and has no secret.',
      },
    } satisfies Record<TokenEndpointAuthMethod, { label: string; text: string }>,
    presets: 'Add the addresses of',
    thisComputer: 'An app on this computer',
    /** For screen readers, before a number. */
    lineNumber: 'Line ',
    valid: 'OK',
    always: 'Always included',
    removing: 'You’re removing something.',
    removes: counted('en-GB', {
      most: MOST_COUNTED,
      none: 'No one is connected now, so no one is affected.',
      one: '{count} person is connected now. As soon as you save, the app can do less for them, and they aren’t asked. To restore it, they have to connect again.',
      other:
        '{count} people are connected now. As soon as you save, the app can do less for them, and they aren’t asked. To restore it, they have to connect again.',
    }),
  },

  result: {
    titles: {
      created: (app: string) => `${app} is set up`,
      rotated: (app: string) => `New secret for ${app}`,
    },
    headings: {
      created: (app: Part) => html`${app} is set up`,
      rotated: (app: Part) => html`New secret for ${app}`,
    },
    copyNow: html`<strong>Copy the secret now. You won’t see it again.</strong> We keep only a
      fingerprint of it. Share it so that no one else can read it, and never put it into an app that
      runs on members’ devices.`,
    oldStopped: 'The old secret no longer works.',
    oldWorksUntil: (moment: Part) => html`The old secret works until ${moment}.`,
    forMakers: 'For the people who make the app',
    clientSecret: 'Client secret',
    toApp: 'Go to the app',
    secretSaved: 'I’ve saved the secret',
    forMembers: 'For members',
    paste: 'Paste this where your members can read it.',
    howTo: 'How to connect',
    /** For an app on the devices of members, and for one with a server. */
    publicCard: (parts: Card) =>
      card(parts, [
        `MCP server URL: ${parts.mcpUrl}`,
        `OAuth client ID: ${parts.clientId}`,
        '',
        '1. In your app, add a connector (also called an MCP server) with the URL above.',
        '2. If it asks for an OAuth client ID, enter the one above. You don’t need a client secret.',
      ]),
    confidentialCard: (parts: Card) =>
      card(parts, [
        `1. Open ${parts.app} and choose to connect your account at ${parts.school}.`,
        `2. If it asks for an MCP server URL, enter ${parts.mcpUrl}`,
        `   If it asks for an OAuth client ID, enter ${parts.clientId}`,
      ]),
  },

  settings: {
    title: 'Settings for your library',
    resource: html`Send <code>resource</code> with the authorization request, and again with the
      code.`,
    inForm: 'Send the client ID and the secret in the form: HTTP Basic is not accepted.',
    noSecret: 'This app has no secret: send only the client ID.',
    guide: 'Guide for makers of apps',
  },

  services: {
    title: 'Service access',
    kind: 'Service',
    lead: (school: string) =>
      `A service is a program of yours that works on its own, such as a nightly export. It never acts for a person of ${school}, and can do no more than you choose here.`,
    add: 'New service',
    none: 'There are no services.',
    states: { active: 'Active', off: 'Turned off', ended: 'Ended' },
    end: 'End…',
    endedOn: (moment: Part) => html`ended on ${moment}`,
    done: (app: Part) => html`The service ${app} has ended. It can’t do anything any more.`,
    formLead:
      'It gets a client ID and a secret. Anyone who has both can do what you choose here, so choose as little as the program needs.',
    nameHint: 'What it does, such as “Payroll sync”. The activity log shows this name.',
    role: 'Role',
    roleHint: 'The service can do nothing that this role doesn’t allow.',
    roles: {
      manager: 'Everything below that you tick.',
      lecturer: 'Courses, lectures, events and posts, but no orders and no members.',
      assistant: 'Looking up courses and students, and events.',
    } satisfies Record<ServiceRoleName, string>,
    chooseRole: 'Choose one of the roles.',
    scopesHint: 'Choose only what the program uses.',
    create: 'Create service',
    createdTitle: (app: string) => `${app} is a service now`,
    created: (app: Part) => html`${app} is a service now`,
    copyNow: html`<strong>Copy the secret now. You won’t see it again.</strong> We keep only a
      fingerprint of it. Keep it on the server that runs the program, and nowhere else.`,
    forMakers: 'For the people who run the program',
    noPerson: 'No one signs in: the program connects by itself, with its client ID and secret.',
    noAddresses: 'None, because no one signs in with it',
    roleDecides: 'Its role decides which of these it can use.',
    endTitle: (app: string) => `End the service: ${app}`,
    endQuestion: (app: Part) => html`End the service ${app}?`,
    endEffect: 'It stops working right away.',
    endText:
      'It can’t connect again, and this can’t be undone: a new service gets a new client ID and secret. The activity log keeps its name.',
    openTokens: 'Connections open now',
    endButton: 'End service',
    /** Names a service in the log, where people are named too. */
    named: (app: string) => `service: ${app}`,
  },

  confirm: {
    questions: {
      disable: (app: Part) => html`Turn off ${app}?`,
      delete: (app: Part) => html`Delete ${app}?`,
      disconnect_all: (app: Part) => html`Disconnect everyone from ${app}?`,
      block: (app: Part) => html`Block ${app}?`,
    } satisfies Record<ConfirmKind, unknown>,
    texts: {
      disable: 'All permissions are kept, so the app works again as soon as you turn it back on.',
      delete:
        'Its client ID and secret stop working for good. A new app gets new ones. The activity log keeps its name.',
      disconnect_all:
        'The app itself doesn’t change. People can connect it again, and are asked for permission again.',
      block:
        'No one can connect it until someone unblocks it, even if its document changes. After that, everyone has to connect it again.',
    } satisfies Record<ConfirmKind, string>,
    buttons: {
      disable: 'Turn off',
      delete: 'Delete for good',
      disconnect_all: 'Disconnect everyone',
      block: 'Block',
    } satisfies Record<ConfirmKind, string>,
    loseAccess: counted('en-GB', {
      most: MOST_COUNTED,
      none: 'No one is connected now.',
      one: '{count} person loses access right away.',
      other: '{count} people lose access right away.',
    }),
    areDisconnected: counted('en-GB', {
      most: MOST_COUNTED,
      none: 'No one is connected now.',
      one: '{count} person is disconnected right away.',
      other: '{count} people are disconnected right away.',
    }),
    typeName: 'Type the name of the app',
    itsName: (name: Part) => html`Its name is ${name}.`,
    otherName: 'That isn’t its name.',
    notDeleted: html`<strong>Nothing was deleted.</strong> Type the name again.`,
  },

  beta: {
    on: {
      title: 'Turn on MCP connections',
      question: 'Turn on MCP connections?',
      submit: 'Turn on',
      effect: (count: number, apps: number) =>
        html`<strong>${people(count)}</strong> connected ${memberApps(apps)} before, and
          ${count === 1 ? 'gets' : 'get'} access back right away.`,
      text: 'Members can then connect the apps that you set up for them.',
    },
    off: {
      title: 'Turn off MCP connections',
      question: 'Turn off MCP connections?',
      submit: 'Turn off',
      effect: (count: number, apps: number) =>
        html`<strong>${people(count)}</strong> ${count === 1 ? 'is' : 'are'} connected to
          ${memberApps(apps)}, and ${count === 1 ? 'loses' : 'lose'} access right away.`,
      text: 'Nothing is deleted, so everything works again as soon as you turn it back on. Platforms, document apps and apps on a computer aren’t affected.',
    },
  },

  log: {
    lead: (school: string) =>
      `Who connected, changed or stopped which app at ${school}, and what the apps did. Entries are kept for a year.`,
    entries: 'Entries',
    noMatch: 'Nothing matches.',
    showAll: 'Show everything',
    older: 'Older entries',
    csv: 'Download CSV',
    json: 'Download JSON',
    most: 'All that match, at most the newest 10,000.',
    search: 'App, person or what happened',
    period: 'Period',
    lastDays: plural('Last day', 'Last {count} days'),
  },

  attempt: {
    title: 'Connection attempt',
    lead: (school: string) =>
      `Each time an app tried to connect to ${school}, and what stopped it. They are kept for 30 days.`,
    toApp: 'Back to the app',
    empty: 'No app has tried to connect',
    emptyText: (school: string) =>
      `As soon as an app tries to connect to ${school}, you can see here how far it got. If someone says that an app doesn’t connect and it isn’t listed here, the app hasn’t reached this website.`,
    attempts: 'Attempts',
    onlyOf: (app: Part) => html`Only attempts of ${app}.`,
    allApps: 'Show all apps',
    noMatch: 'No attempt matches.',
    showAll: 'Show all attempts',
    search: 'Attempt ID, app or client ID',
    outcome: 'Outcome',
    all: 'All',
    outcomes: {
      stopped: 'Tried to connect',
      waiting: 'Connecting now',
      connected: 'Connected',
    } satisfies Record<AttemptOutcome, string>,
    turnOf: (who: string) => `Turn: ${who}`,
    turns: {
      client: 'The people who make the app',
      person: 'The person who connects it',
      manager: 'You, or another manager',
      developer: 'The people who run this website',
      nobody: 'No one: it works',
    } satisfies Record<AttemptTurn, string>,
    nameless: 'An app without a name',
    change: 'What to change:',
    turn: 'Whose turn it is:',
    steps: 'What happened',
    done: 'Done: ',
    failed: 'Failed: ',
    stages: {
      discovery: 'Looked the school up',
      registration: 'Registered',
      document: 'Its document was fetched',
      authorize: 'Asked to connect',
      sign_in: 'The sign-in page was shown',
      consent: 'The page with the permissions was shown',
      code: 'The person allowed it',
      token: 'Got access',
      first_call: 'Used its access',
    } satisfies Record<AttemptStage, string>,
    /** The stages of steps that failed. */
    failures: {
      discovery: 'Could not look the school up',
      registration: 'Could not register',
      document: 'Its document was refused',
      authorize: 'Its request was refused',
      sign_in: 'The person could not sign in',
      consent: 'The person could not allow it, or did not',
      code: 'The permission was not issued',
      token: 'Did not get access',
      first_call: 'Its access was refused',
    } satisfies Record<AttemptStage, string>,
    /** Why an attempt stopped without a refusal; `null` in English, the language of what hallpass itself says. */
    silences: null as Readonly<Record<AttemptSilence, string>> | null,
    requestId: 'Request ID',
    about: 'About this attempt',
    id: 'Attempt ID',
    open: 'Open the app',
    ofApp: 'All attempts of this app',
    scopes: 'Permissions it asked for',
    resource: 'Address it connects to',
  },

  /** The sentence that a manager reads, for each reason. */
  refusals: {
    name_malformed:
      'Enter a name of at most 100 characters, without line breaks and invisible characters.',
    description_malformed:
      'Enter at most 300 characters, without line breaks and invisible characters.',
    icon_malformed: 'Choose one of the icons.',
    redirect_uris_missing: 'Enter at least one address.',
    redirect_uris_too_many: 'Enter at most 10 addresses.',
    redirect_uri_malformed:
      'This isn’t a complete address. Enter all of it, from https:// on, without a # and without “..” in its path.',
    redirect_uri_not_allowed:
      'Use https:// and a host name in small letters. Only an address on a person’s own computer, such as http://127.0.0.1/callback, can begin with http://.',
    auth_method_not_supported: 'Choose where the app runs.',
    keys_malformed: 'Enter an https address of public keys, or the keys themselves as a JWK Set.',
    scopes_missing: 'Tick at least one.',
    scope_unknown:
      'One of these isn’t a permission of this school. Reload the page and tick again.',
    scope_of_other_audience:
      'Apps for members can’t ask for one of these. Tick only what is shown.',

    member_clients_off: 'MCP connections are off. Turn them on first, then save again.',
    client_changed_meanwhile:
      'Someone else changed this app in the meantime. Look at it in another window first: saving again replaces their changes with yours.',
    client_kind_not_editable: 'This app wasn’t set up here, so it can’t be edited here.',
    client_has_no_secret: 'This app has no secret, so there is none to replace.',
    overlap_out_of_range: 'The current secret can be kept for 72 hours at most.',
    client_end_malformed: 'That isn’t a day. Enter it as year, month and day.',
    client_is_a_document: 'This app can be blocked, but not turned off.',
    client_not_a_document: 'This app has no document to review.',
    client_unknown: 'This app no longer exists.',

    document_changed_meanwhile:
      'The document changed while you were reading. Look at it again, then review it.',
    scope_not_reviewable: 'One of these can’t be allowed by a review. Tick only what is shown.',
    scope_beyond_reviewer:
      'You ticked something that your own role doesn’t include. Someone whose role includes it has to allow it.',

    document_unavailable: 'Its host didn’t respond, or not with a valid document.',
    document_fetch_paced: 'We’ve fetched many documents just now. Wait a minute, then try again.',
    document_url_malformed: 'The address of the document isn’t one that we accept.',
    document_host_not_public: 'Its host isn’t on the public internet.',
    document_port_not_allowed: 'Its address names a port other than the usual one of https.',
    document_host_not_allowed: 'Its host is no longer on the school’s list.',
    document_status_not_200: 'Its host responded, but not with the document.',
    document_content_encoding_not_identity:
      'Its host sent the document compressed, although we didn’t ask for that.',
    document_media_type_not_json: 'What its host sent isn’t labelled as JSON.',
    document_not_an_object: 'What its host sent isn’t a valid document.',
    document_client_id_mismatch: 'The document names another address than its own.',
    document_name_malformed: 'The document has no name of the app that we can show.',
    document_name_resembles_vendor:
      'The name in the document looks like that of a known platform, which it isn’t.',
    document_redirect_uris_malformed: 'The document has no valid list of redirect addresses.',
    document_redirect_uri_malformed: 'A redirect address in the document isn’t a complete address.',
    document_redirect_uri_of_other_host:
      'A redirect address in the document leads to another host than the document’s.',
    document_secret_published: 'The document contains a secret, which everyone can read there.',
    document_auth_method_not_supported:
      'The document asks for a way to authenticate that the school doesn’t support.',
    document_grant_types_not_supported:
      'The document asks for ways to connect that the school doesn’t support.',
    document_response_types_not_supported:
      'The document asks for responses that the school doesn’t support.',
    document_link_malformed: 'A link in the document isn’t a web address.',
    document_contacts_malformed: 'The contacts in the document aren’t a list of short texts.',
  } satisfies Record<AreaReason, string>,
  /** The sentence for any other reason. */
  refusedOtherwise: 'That wasn’t possible. Load the page again, then repeat it.',
}

/** The names and addresses in the text for members. */
type Card = Readonly<Record<'app' | 'school' | 'mcpUrl' | 'clientId', string>>

/** The sentences of these pages in a language. A language that lacks one does not compile. */
export type ApplicationsWords = typeof applicationsInEnglish
