// The checks that a server of hallpass does not hold, with the reasons, for `accepts` of a sign-in. They are those of
// docs/look-up/standards.md, "Deviations".

/** @type {Readonly<Record<string, string>>} */
export const deviations = {
  'authorization/errors-to-client':
    'Errors of an app that no one has reviewed are shown on a page: a redirect would send people wherever its document says.',
  'client-authentication/challenge':
    'Only a client that sent an Authorization header gets a challenge. Others would take it as a request to use it.',
  'code/used-twice-revokes':
    'A code that comes again within five seconds has lost a race and ends nothing: a client whose answer was lost sends it twice. Later it ends the grant.',
  'id-token/rs256-offered':
    'The description of the service says that ID tokens are signed with ES256.',
  'openid/made-up-hint':
    'A hint with the signature of another key is ignored, because clients keep hints for longer than keys are published.',
  'scope/unknown-ignored':
    'The description of the service says that a scope which a client may not have is answered by invalid_scope.',
}
