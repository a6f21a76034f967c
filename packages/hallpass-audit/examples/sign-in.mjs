// How hallpass-audit signs in at your server: copy this file, and change what is marked.
//
//   npx hallpass-audit http://127.0.0.1:3000 --sign-in ./sign-in.mjs

/** @type {import('hallpass-audit').SignIn} */
export default {
  // CHANGE: two people of a test system who may allow what apps request. The names are those of the fields of your
  // sign-in form. With one person, checks that need two are not reached.
  people: [
    { email: 'ines@school.example', password: process.env['AUDIT_PASSWORD'] ?? '' },
    { email: 'yuki@school.example', password: process.env['AUDIT_PASSWORD'] ?? '' },
  ],

  // The scope that clients request. Without it: openid, two of the scopes that your metadata names, and offline_access.
  // scope: 'openid courses:read',

  // Clients that you created for the audit, if your server has no open registration, or registers none with a secret.
  // Nothing listens at the redirect URI, and nothing has to.
  // For FAPI 2.0, each has the private key with which it signs, as private_jwk, and dpop_bound_access_tokens: true.
  // clients: {
  //   first: { client_id: 'audit-first', redirect_uri: 'http://127.0.0.1:47317/callback' },
  //   second: { client_id: 'audit-second', redirect_uri: 'http://127.0.0.1:47317/callback' },
  //   confidential: {
  //     client_id: 'audit-confidential',
  //     client_secret: process.env['AUDIT_CLIENT_SECRET'] ?? '',
  //     redirect_uri: 'http://127.0.0.1:47317/callback',
  //   },
  // },

  // For a server that publishes no metadata: its endpoints, by their names there.
  // endpoints: { token_endpoint: 'http://127.0.0.1:3000/token' },

  // The first of the client metadata documents that you publish for the audit: --write-client-documents writes them.
  // clientDocument: 'https://audit.school.example/client.json',

  // Paths of your API that require an access token. UserInfo and /mcp are always tried.
  // surfaces: [{ path: '/courses', scope: 'courses:read' }],

  // URLs of other origins: that of an API in `path`, and that of the MCP endpoint, if no metadata leads there.
  // mcp: 'https://mcp.school.example/mcp',

  // The buttons of the consent page, in a language that the audit does not know. It knows sixteen.
  // buttons: { allow: 'Tillåt', deny: 'Neka' },

  // The answer to a page, if your pages are not plain forms. Called until the browser is sent to the client, with a browser
  // that keeps cookies and runs no script. Without it, the audit fills in the form that has a password, checks all boxes,
  // and presses the button that says Allow, Accept, Continue or the like. For pages that a script builds, see
  // sign-in-with-script.mjs.
  // async answer({ browser, page, person, allow }) {
  //   if (page.url.pathname === '/login')
  //     return browser.post('/api/login', JSON.stringify(person))
  //   const [form] = page.forms
  //   const button = form.buttons.find(({ value }) => value === (allow ? 'yes' : 'no'))
  //   return browser.submit(page, form, button, { course: ['glazing', 'kilns'] })
  // },
}
