import { applicationsInEnglish } from './applications/en.js'
import { html } from '../html.js'
import { counted } from './counted.js'
import type { Language } from './words.js'

const START_AGAIN = 'Go back to the app and start again.'
const TELL_MAKER = 'You can’t fix this here. Please tell the people who make the app.'

const permissions = counted('en-GB', { other: 'Of these {count} permissions' })
const changing = counted('en-GB', {
  none: 'none can change anything',
  other: '{count} can change things',
})
const showing = counted('en-GB', {
  none: 'none shows personal data',
  one: '{count} shows personal data',
  other: '{count} show personal data',
})

/** English, the language of a reader whose own the pages do not have. */
export const english: Language = {
  tag: 'en',
  locale: 'en-GB',
  dir: 'ltr',
  words: {
    signIn: {
      title: 'Sign in',
      titleAgain: 'Sign in again',
      error: (title) => `Error: ${title}`,
      continueAsTitle: (name) => `Continue as ${name}?`,
      continueAs: (name) => html`Continue as ${name}?`,
      welcome: (school) => `Welcome back to ${school}.`,
      confirm:
        'You signed in a while ago. The next step changes what apps can do here, so please confirm it’s you.',
      waits: (app, school) => html`<strong>${app}</strong> is waiting to connect to ${school}.`,
      asksAgain: (app, school) =>
        html`<strong>${app}</strong> asks you to sign in to ${school} again.`,
      asksOther: (app, school) =>
        html`<strong>${app}</strong> asks for another account of ${school} than the one you’re
          signed in with. Sign in with the account that you use in the app.`,
      thenBackTo: (place) => html`After that, you go back to ${place}.`,
      neverSeesPassword: (app) =>
        html`${app} never sees your password. Next, you decide what it can do.`,
      unreviewedProgram: html`<strong>No one has reviewed this app.</strong> It runs on a computer
        and chose its own name. Sign in only if you started it yourself just now.`,
      unreviewedPage: html`<strong>No one has reviewed this app.</strong> It’s a page of this
        school. Sign in only if you opened it yourself just now.`,
      unreviewedSite: (school, host) =>
        html`<strong>${school} hasn’t reviewed this app.</strong> All we know is that ${host}
          publishes it. Sign in only if you trust that site.`,
      wrongCredentials: (school) => `That email and password don’t match an account at ${school}.`,
      throttled: (span) => html`<strong>Too many attempts.</strong> Wait ${span}, then try again.`,
      suspended: (school) =>
        html`<strong>Your account is suspended.</strong> Contact ${school} if you think this is a
          mistake.`,
      email: 'Email',
      password: 'Password',
      submit: 'Sign in',
      proceed: 'Continue',
      otherAccount: 'Use another account',
    },
    app: {
      onThisComputer: (host) => html`${host} on this computer`,
      ownPage: (first) => `${first ? 'A' : 'a'} page of this school`,
      programOnDevice: (scheme, first) =>
        html`${first ? 'A' : 'a'} program on this device, through ${scheme} links`,
      known: 'Known',
      notReviewed: 'Not reviewed',
      madeBySchool: (school) => `Made by your school, ${school}`,
      knownPlatform: 'A known platform',
      choseItsName: 'An app on this computer. It chose its own name.',
      choseItsNameHere: 'A page of this school. It chose its own name.',
      choseItsNameElsewhere: 'An app on a computer. It chose its own name.',
      identifiedBy: (host) => html`Identified by ${host}`,
      identifiedAndReviewed: (host, school) => html`Identified by ${host}, reviewed by ${school}`,
      aboutItself: 'What it says about itself',
      links: { site: 'Website', policy: 'Privacy policy', terms: 'Terms' },
      linksUnchecked: (school) => `${school} hasn’t checked these addresses, so they aren’t links.`,
      elsewhere: ', not the app’s own address',
    },
    backToApp: {
      title: (app) => `Go back to ${app}`,
      heading: (app) => html`Go back to ${app}`,
      headingAllowed: (app) => html`Go back to ${app} and try again`,
      allowed: (app) => html`${app} can now do what you allowed.`,
      denied: (app) => html`Nothing has changed. ${app} can do what it could before.`,
      close: 'You can close this page.',
    },
    consent: {
      title: (app) => `Let ${app} connect?`,
      heading: (app, school) => html`Let ${app} connect to ${school}?`,
      moreTitle: (app) => `Let ${app} do more?`,
      moreHeading: (app, school) => html`Let ${app} do more at ${school}?`,
      can: 'What it can do',
      sum: ({ all, changes, personal }) =>
        `${permissions(all)}, ${changing(changes)} and ${showing(personal)}.`,
      canMore: 'What else it can do',
      cannot: 'What it can’t do',
      lasts: (span) => `Access lasts up to ${span}. Then the app has to ask again.`,
      clientEnds: (moment) => html`The school lets this app connect until ${moment}.`,
      disconnect: html`You can disconnect it at any time under
        <strong>Account › Connected apps</strong>.`,
      laterMore: (apps) =>
        html`If it needs more later, it shows you a link, and you decide again. See
        ${apps('what each app can do')} at any time.`,
      allow: 'Allow',
      cancel: 'Cancel',
      paste: 'My terminal is on another computer',
      pasteMeans: 'This allows it too, and shows an address to paste there.',
      blockedTitle: (app) => `${app} can’t connect with this account`,
      blockedHeading: (app) => html`${app} can’t connect with this account`,
      notStaff: (school, ask) =>
        html`<strong>This app is for people who run the school.</strong> Your role at ${school}
          doesn’t include that. Use another account, or ${ask('ask the school’s owner')}.`,
      noMember: (school) =>
        html`<strong>This account isn’t a member of ${school}.</strong> Only members can connect
          apps to the school. Use another account, or ask the school to invite you.`,
      startedProgram: (app) =>
        html`<strong>Did you start this app yourself?</strong> Any program on this computer can call
          itself ${app}. Allow it only if you started it just now. You’ll be asked every time.`,
      startedProgramMore: (app) =>
        html`<strong>Did you start this app yourself?</strong> Any program on this computer can call
          itself ${app}. Allow it only if you just asked it to do this.`,
      openedPage: (app) =>
        html`<strong>Did you open this app yourself?</strong> ${app} is a page of this school, and
          what you allow goes to that page in your browser. Allow it only if you’re using it now.`,
      unreviewed: (school) =>
        html`<strong>${school} hasn’t reviewed this app.</strong> Until the school does, the app can
          see things but not change them, and you’ll be asked every time.`,
      toThisComputer: (app) =>
        html`If you allow it, access goes to a program on this computer. Allow it only if you
        started ${app} just now.`,
      from: 'Where it’s from',
      sendsBackTo: 'Sends you back to',
      account: 'Your account',
      here: 'At this school',
      history: {
        isNew: 'No one has connected it yet.',
        since: (moment) => html`Since ${moment}`,
        peopleCount: (count) => `People who connected it: ${count}`,
      },
      rolesAt: (roles, school) => `${roles} at ${school}`,
      limits: {
        secrets: 'See or change your password, or see card numbers',
        changes: 'Change anything',
        otherMembers: 'See other members’ data',
        buying: 'Buy anything, ask for a refund or cancel a membership',
        personalData: 'See other people’s personal data',
        payments: 'Take or refund payments',
        beyondRole: 'Do more than your own role allows, now or later',
      },
      notInRole: 'Not in your role',
      notInRoleWhy: 'The app asks for this, but your role doesn’t include it, so it has no effect.',
      alreadyAllowed: 'Already allowed',
      isNew: 'New',
      howLong: 'How long do you want to allow it?',
      untilDisconnected: 'Until I disconnect it',
      atMost: (span) => `At most ${span}.`,
      thenStops: 'Then it stops working by itself, and has to ask again.',
      ends: null,
      howMuch: 'How much do you want to allow?',
      everything: 'Everything it asks for',
      everythingMeans: 'All the access listed below.',
      readOnly: 'Read only',
      readOnlyMeans: 'It can see things, but not change them.',
      choose: 'Let me choose',
      chooseMeans: 'Tick what it can do. It always learns who you are.',
      nothingLeft: html`<strong>There’s nothing left to allow.</strong> Tick at least one thing
        below, or choose Cancel.`,
    },
    device: {
      title: 'Connect a device',
      enter: (school) =>
        `Enter the code that your device or your terminal shows. It wants to connect to ${school}.`,
      compare: 'Is this the code on your device?',
      compareMeans:
        'A link brought you here with a code. Compare it with your device, letter by letter.',
      onlyOwn: html`<strong>Continue only if you started this yourself.</strong> If someone sent you
        a code or a link, close this page: they are trying to use your account.`,
      code: 'Code',
      codeMeans: (example) => html`Eight letters, such as ${example}.`,
      malformed: 'That can’t be a code. Check each letter.',
      unknown:
        'We don’t know this code. It works only once, and not for long: start again on the device.',
      proceed: 'Continue',
      started: (app) =>
        html`<strong>Did you start ${app} yourself, just now?</strong> Anyone can start an app of
          that name, anywhere. Allow it only if your own device shows the code below. If someone
          sent you the code or a link, choose Cancel.`,
      shown: 'Code on the device',
      askedFrom: 'Asks from',
      nowhere: 'An unknown place',
      calledItself: (program) => html`It calls itself ${program}`,
      allowedTitle: (app) => `${app} is connected`,
      allowedHeading: (app) => html`${app} is connected`,
      allowed: (app) => html`Go back to your device. ${app} continues there in a few seconds.`,
      deniedTitle: (app) => `${app} isn’t connected`,
      deniedHeading: (app) => html`${app} isn’t connected`,
      denied: () => html`Nothing was allowed. The device learns that in a few seconds.`,
    },
    pasteAddress: {
      title: 'Paste an address into your terminal',
      heading: (app) => html`Paste this address for ${app}`,
      waits: (app) => html`${app} waits for it in your terminal, on the other computer.`,
      address: 'Address to paste',
      only: (app) =>
        html`<strong>Paste it only into the terminal where you started ${app}.</strong> Anyone with
          this address gets the access that you allowed. Send it to no one.`,
      once: (span) =>
        `It works once, for ${span}. If it no longer does, start again in the terminal.`,
      close: 'You can close this page afterwards.',
    },
    copy: {
      button: 'Copy',
      done: 'Copied.',
      selected: 'It is selected: copy it with your keyboard.',
    },
    errors: {
      pages: {
        other: {
          title: 'We can’t accept this request',
          what: 'An app sent you here with a request that breaks our rules.',
          advice: START_AGAIN,
        },
        document_at_fault: {
          title: 'We can’t accept this app',
          what: 'This app identifies itself with a web address. The address, or what we found there, breaks our rules.',
          advice: TELL_MAKER,
        },
        document_host_not_allowed: {
          title: 'We don’t know this app',
          what: 'This app identifies itself with a web address. The school accepts only addresses on its list, and this one isn’t on it.',
          advice: 'Ask the school whether it can allow the app.',
        },
        client_unknown: {
          title: 'We don’t know this app',
          what: 'An app sent you here, but it isn’t registered with this school. Apps that are never used are removed after a while.',
          advice: 'In the app, remove this school and connect it again.',
        },
        client_disabled: {
          title: 'This app is turned off',
          what: 'The school has turned this app off. The permissions you gave it are kept.',
          advice: 'Ask the school whether it will turn the app back on.',
        },
        client_blocked: {
          title: 'This app is blocked',
          what: 'The school blocked this app and disconnected everyone from it. It can’t use your account any more.',
          advice: 'Ask the school whether it will unblock the app. You can then connect it again.',
        },
        client_ended: {
          title: 'This app’s time here is over',
          what: 'The school let this app connect until a date, and that date has come. There’s nothing wrong with your account.',
          advice: 'Ask the school whether the app may continue.',
        },
        member_clients_off: {
          title: 'Connections are turned off here',
          what: 'Members can’t use apps with this school at the moment. There’s nothing wrong with the app, and the permissions you gave it are kept.',
          advice: 'Ask the school whether it will turn connections back on.',
        },
        document_unavailable: {
          title: 'We can’t check this app',
          what: 'This app identifies itself with a web address, but we got no usable response from there.',
          advice:
            'Try again in a few minutes. If it keeps happening, tell the people who make the app.',
        },
        document_fetch_paced: {
          title: 'We can’t check this app right now',
          what: 'This app identifies itself with a web address. We’ve had to check many such addresses, so we’re taking a short break.',
          advice: 'Wait a minute, then load this page again.',
        },
        request_paced: {
          title: 'Please wait a moment',
          what: 'Very many sign-ins were started from your network in the last minutes. We’re taking a short break, and nothing is lost.',
          advice: 'Wait a few minutes, then go back to the app and start again.',
        },
        redirect_uri_missing: {
          title: 'This app sent an incomplete request',
          what: 'It didn’t say where to send you next, so we stopped here.',
          advice: TELL_MAKER,
        },
        redirect_uri_not_registered: {
          title: 'We stopped, to keep your account safe',
          what: 'The app wants to send you to an address that isn’t registered for it. Someone else could be listening there, so we sent nothing.',
          advice:
            'If a link in a message brought you here, close this page. Otherwise, tell the people who make the app.',
        },
        person_signed_out: {
          title: 'You’re not signed in',
          what: 'An app asked to connect without showing you a page. The school hasn’t reviewed this app, so we stopped here and didn’t send you to it.',
          advice: 'Sign in to the school first. Then go back to the app and start again.',
        },
        interaction_expired: {
          title: 'This request has ended',
          what: 'It was already answered, or it waited for more than a few minutes.',
          advice: START_AGAIN,
        },
        interaction_of_other_browser: {
          title: 'This request started in another browser',
          what: 'You can only answer it there. If someone sent you this link, they may be trying to use your account.',
          advice: 'If you started it yourself, go back to the app and start again in this browser.',
        },
        grant_not_of_person: {
          title: 'This link isn’t for this account',
          what: 'It’s for the person who connected the app, and only while the app is connected. Nothing was changed.',
          advice: 'Sign in with the account that connected the app. Or connect the app again.',
        },
        scope_beyond_role: {
          title: 'Your role doesn’t include this',
          what: 'The app needs a permission that your role at the school doesn’t have. Nothing was changed.',
          advice: 'Ask the school’s owner whether your role can change.',
        },
        csrf_token_mismatch: {
          title: 'This page was out of date',
          what: 'You may have signed in to another account in the meantime, or the form wasn’t sent from our own page. Nothing was allowed.',
          advice: START_AGAIN,
        },
        service_unavailable: {
          title: 'We can’t do this right now',
          what: 'Something that we need doesn’t respond at the moment. Nothing is lost, and nothing was allowed.',
          advice:
            'Wait a minute, then load this page again. If you had sent a form, go back to the app.',
        },
        too_many_requests: {
          title: 'Too many requests',
          what: 'Your network sent us so many requests that we’re taking a short break.',
          advice: 'Wait a minute, then load this page again.',
        },
        request_too_long: {
          title: 'This request is too long',
          what: 'The app sent more than we can accept.',
          advice: TELL_MAKER,
        },
      },
      forMakers: 'For the app’s makers',
      code: 'Code',
      attemptId: 'Attempt ID: give this to the school’s staff, who can look up what went wrong',
      requestId: 'Request ID',
      notFound: {
        title: 'Page not found',
        heading: 'There’s nothing here',
        what: 'The address may be mistyped, or the page may have moved.',
        home: (school) => `Go to ${school}`,
      },
      fault: {
        title: 'Something went wrong',
        what: 'This is our mistake. Wait a minute, then load this page again.',
      },
      tooManyTries: {
        title: 'Too many attempts',
        wait: (span) => `Wait ${span}, then try again. Your account isn’t locked.`,
        why: 'This pause keeps other people from guessing passwords.',
      },
      areas: {
        role: {
          title: 'Your role doesn’t include this',
          what: 'Only the school’s owner and its managers can manage its apps. Ask one of them, or sign in with another account.',
        },
        form: {
          title: 'We didn’t accept this form',
          what: 'It contains a field that our form doesn’t have. Nothing was changed. Go back, reload the page and try again.',
        },
        method: {
          title: 'That doesn’t work here',
          what: 'This address can’t be used that way. Nothing was changed.',
        },
        sent_before: {
          title: 'You sent this already',
          what: 'We received this form before and didn’t do anything again. Look at how things are now. A secret is shown only once: if you don’t have it, create a new one.',
        },
        too_many: {
          title: 'Too many forms',
          what: 'You’ve sent very many forms in the last hours, so we didn’t accept this one. Nothing was changed. Try again later.',
        },
      },
      seeNow: 'See how things are',
    },
    signOut: {
      title: 'Sign out',
      question: 'Sign out?',
      signedInAs: (school, name) =>
        html`You’re signed in to ${school} as <strong>${name}</strong>. Apps that you connected stay
          connected.`,
      submit: 'Sign out',
      stay: 'Stay signed in',
    },
    account: {
      name: 'Your account',
      home: 'Home',
      apps: 'Connected apps',
      appsAre: 'See which apps can act for you, and disconnect them',
      applications: 'OAuth applications',
      applicationsAre: 'Manage the apps that members and staff can connect to this school',
      hello: (name) => html`Hello, ${name}`,
      welcome: (school) =>
        `You’re signed in to ${school}. When an app wants to connect, we ask you here first.`,
      signedInAs: (name, roles) => html`Signed in as <strong>${name}</strong>, ${roles}`,
      justNow: 'just now',
    },
    apps: {
      lead: (school) =>
        `These apps can act for you at ${school}. When you disconnect an app, it stops working right away. It can ask you again later.`,
      disconnected: (app) =>
        html`<strong>${app} is disconnected.</strong> It can’t use your account any more. It may
          still have what it read before: ask its makers to delete it.`,
      allDisconnected: html`<strong>All your apps are disconnected.</strong> None of them can use
        your account any more. They may still have what they read before: ask their makers to delete
        it.`,
      disconnectAll: (count) => `Disconnect all ${count} apps…`,
      ask: {
        title: (app) => `Ask for ${app}`,
        heading: (app) => html`Ask for ${app}?`,
        effect: (school) =>
          `Those who manage apps at ${school} see your name and this app for 30 days. They can give you a role that allows it.`,
        submit: 'Ask',
        keep: 'Don’t ask',
        done: (app) =>
          html`<strong>You asked for ${app}.</strong> Connect it again when your role has changed.`,
      },
      empty: {
        title: 'No apps connected',
        text: 'When you connect an app, it asks you here first. You see who made it and what it wants to do, and you decide. After that, it appears in this list.',
        how: (school) => `Not sure how? ${school} can tell you which apps it offers.`,
      },
      turnedOff: (school) =>
        html`<strong>Turned off by ${school}.</strong> It can’t do anything now. If the school turns
          it back on, it works as before, unless you disconnect it.`,
      connected: 'Connected',
      lastUsed: 'Last used',
      never: 'Never',
      ends: 'Ends',
      ended: 'Ended',
      can: 'What it can do',
      showAll: (count) => `Show all ${count}`,
      recent: 'Recent activity',
      disconnect: 'Disconnect',
      confirm: {
        title: (app) => `Disconnect ${app}`,
        heading: (app) => html`Disconnect ${app}?`,
        effect: 'It stops working right away, and can no longer see or change anything of yours.',
        neverUsed: 'It was never used.',
        lastUsed: (ago) => html`It was last used ${ago}.`,
        again: 'You can connect it again at any time. It will ask for your permission again.',
        keep: 'Keep it',
      },
      confirmAll: {
        title: 'Disconnect all apps',
        heading: 'Disconnect all apps?',
        effect:
          'Each app in this list stops working right away, and can no longer see or change anything of yours:',
        again:
          'You can connect each of them again at any time. It will ask for your permission again.',
        submit: 'Disconnect all',
        keep: 'Keep them',
      },
    },
    applications: applicationsInEnglish,
    acts: {
      'oauth.client.created': 'App created',
      'service.created': 'Service created',
      'service.ended': 'Service ended',
      'oauth.client.updated': 'App changed',
      'oauth.client.disabled': 'Turned off',
      'oauth.client.enabled': 'Turned on',
      'oauth.client.deleted': 'Deleted',
      'oauth.client.secret_rotated': 'New secret created',
      'oauth.client.old_secret_ended': 'Old secret ended',
      'oauth.client.end_set': 'End changed',
      'oauth.client.disconnected': 'Disconnected',
      'oauth.client.registered': 'Registered itself',
      'oauth.client.refused': 'Registration refused',
      'oauth.client.cimd.fetched': 'Document fetched',
      'oauth.client.cimd.reviewed': 'Reviewed',
      'oauth.client.cimd.changed': 'Document changed',
      'oauth.client.cimd.blocked': 'Blocked',
      'oauth.client.cimd.unblocked': 'Unblocked',
      'oauth.client.cimd.fetch_failed': 'Document couldn’t be fetched',
      'oauth.authorization.requested': 'Asked to connect',
      'oauth.authorization.denied': 'Connection declined',
      'oauth.authorization.approved': 'Connection allowed',
      'oauth.authorization.code_redeemed': 'Connection completed',
      'oauth.authorization.code_replayed': 'Sent a used code again, so it was disconnected',
      'oauth.grant.created': 'Connected',
      'oauth.grant.scope_changed': 'Permissions changed',
      'oauth.grant.widened': 'Got more permissions',
      'oauth.grant.revoked': 'Disconnected',
      'oauth.grant.reuse_detected': 'Sent a used token again, so it was disconnected',
      'oauth.grant.reuse_recovered': 'Asked for the same token twice',
      'oauth.grant.reuse_frequent':
        'Asked for the same tokens again and again: a copy may be in use',
      'oauth.grant.used_after_end': 'Sent a token of a connection that has ended',
      'oauth.token.issued': 'Got access',
      'oauth.token.refreshed': 'Renewed its access',
      'oauth.token.revoked': 'Gave up its access',
      'oauth.token.rejected': 'Sent a token that isn’t valid',
      'mcp.tool_called': 'Used a tool',
      'mcp.denied': 'Wasn’t allowed to use a tool',
      'api.write': 'Changed something',
      'api.denied': 'Wasn’t allowed to make a request',
      'graphql.operation': 'Read or changed account data',
    },
    by: (actor) => html`by ${actor}`,
    scopeList: {
      makesChanges: 'Makes changes',
      personalData: 'Personal data',
      sensitive: 'Sensitive',
      stop: '.',
    },
    roles: {},
    noRole: 'No role',
    nameless: 'a member without a name',
    groups: null,
    scopes: null,
  },
}
