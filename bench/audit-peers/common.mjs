import { once } from 'node:events'

/** The redirect URI of clients that a server knows beforehand, as the audit has it. */
export const REDIRECT_URI = 'http://127.0.0.1:47317/callback'
/** Two people, as sign-in forms ask for them. */
export const PEOPLE = [
  { email: 'ines@school.example', password: 'a-password-of-ines' },
  { email: 'yuki@school.example', password: 'a-password-of-yuki' },
]
export const SECRET = 'a secret of the confidential client'
/** Clients for servers without registration. */
export const CLIENTS = {
  first: { client_id: 'first', redirect_uri: REDIRECT_URI },
  second: { client_id: 'second', redirect_uri: REDIRECT_URI },
  confidential: { client_id: 'desk', client_secret: SECRET, redirect_uri: REDIRECT_URI },
}

/** Lets a server listen on a free port of this computer. */
export async function listening(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { origin: `http://127.0.0.1:${server.address().port}`, stop }
}

/** Whether a check is about a page that signs people in. */
export const ofSignIn = (check) =>
  check.startsWith('sign-in/') && check !== 'sign-in/grants-something'
/** Whether a check is about a page that asks for consent, and not about what follows from the decision. */
export const ofConsent = (check) =>
  check.startsWith('pages/') ||
  /^consent\/(?:scripts|name-escaped|not-stored|popup|form-action|second-hop)$/.test(check)
/** Whether a check is about the form of such a page, and about whose decision it takes. */
const ofDecision = (check) =>
  /^consent\/(?:form-token|other-site|other-browser|other-person|answered-once)$/.test(check)
/** Parts that the documentation of a library without pages leaves to a host, and that are written here. */
export const HOST_PAGES = {
  what: 'the sign-in, and the page and the form of consent',
  checks: (check) => ofSignIn(check) || ofConsent(check) || ofDecision(check),
}
/** Whether a check is of these, or of RFC 9700. */
export const ofHostOrRfc9700 = (check, { document }) =>
  HOST_PAGES.checks(check) || document === 'RFC 9700'
/** Whether a check is about messages of MCP, and not about the token that comes with them. */
export const ofProtocol = (check) =>
  check.startsWith('mcp/') && !/^mcp\/(?:bad-token|insufficient-scope)$/.test(check)
