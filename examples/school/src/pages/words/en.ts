import { html } from '../html.js'
import type { Language } from './words.js'

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
      thenBackTo: (place) => html`After that, you go back to ${place}.`,
      neverSeesPassword: (app) =>
        html`${app} never sees your password. Next, you decide what it can do.`,
      unreviewedProgram: html`<strong>No one has reviewed this app.</strong> It runs on a computer
        and chose its own name. Sign in only if you started it yourself just now.`,
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
      programOnDevice: (scheme, first) =>
        html`${first ? 'A' : 'a'} program on this device, through ${scheme} links`,
      known: 'Known',
      notReviewed: 'Not reviewed',
      madeBySchool: (school) => `Made by your school, ${school}`,
      knownPlatform: 'A known platform',
      choseItsName: 'An app on this computer. It chose its own name.',
      choseItsNameElsewhere: 'An app on a computer. It chose its own name.',
      identifiedBy: (host) => html`Identified by ${host}`,
      identifiedAndReviewed: (host, school) => html`Identified by ${host}, reviewed by ${school}`,
      aboutItself: 'What it says about itself',
      links: { site: 'Website', policy: 'Privacy policy', terms: 'Terms' },
      linksUnchecked: (school) => `${school} hasn’t checked these addresses, so they aren’t links.`,
      elsewhere: ', not the app’s own address',
    },
    consent: {
      title: (app) => `Let ${app} connect?`,
      heading: (app, school) => html`Let ${app} connect to ${school}?`,
      can: 'What it can do',
      cannot: 'What it can’t do',
      lasts: (span) => `Access lasts up to ${span}. Then the app has to ask again.`,
      clientEnds: (moment) => html`The school lets this app connect until ${moment}.`,
      disconnect: html`You can disconnect it at any time under
        <strong>Account › Connected apps</strong>.`,
      allow: 'Allow',
      cancel: 'Cancel',
      blockedTitle: (app) => `${app} can’t connect with this account`,
      blockedHeading: (app) => html`${app} can’t connect with this account`,
      notStaff: (school) =>
        html`<strong>This app is for people who run the school.</strong> Your role at ${school}
          doesn’t include that. Use another account, or ask the school’s owner.`,
      noMember: (school) =>
        html`<strong>This account isn’t a member of ${school}.</strong> Only members can connect
          apps to the school. Use another account, or ask the school to invite you.`,
      startedProgram: (app) =>
        html`<strong>Did you start this app yourself?</strong> Any program on this computer can call
          itself ${app}. Allow it only if you started it just now. You’ll be asked every time.`,
      unreviewed: (school) =>
        html`<strong>${school} hasn’t reviewed this app.</strong> Until the school does, the app can
          see things but not change them, and you’ll be asked every time.`,
      toThisComputer: (app) =>
        html`If you allow it, access goes to a program on this computer. Allow it only if you
        started ${app} just now.`,
      from: 'Where it’s from',
      sendsBackTo: 'Sends you back to',
      account: 'Your account',
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
    scopeList: { makesChanges: 'Makes changes', personalData: 'Personal data', stop: '.' },
    roles: {},
    noRole: 'No role',
    nameless: 'a member without a name',
    groups: null,
    scopes: null,
  },
}
