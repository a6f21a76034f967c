// Signs in at a project that `npm create hallpass` made. Its first start prints the password; `npm run password
// owner@example.com` sets a new one.
//
//   AUDIT_PASSWORD=… npx hallpass-audit http://127.0.0.1:3000 --sign-in node_modules/hallpass-audit/sign-in/created-project.mjs

import { deviations } from './deviations.mjs'

const password = process.env['AUDIT_PASSWORD']
if (!password)
  throw new Error(
    'AUDIT_PASSWORD must be the password of owner@example.com: the first start of the server prints it, and npm run password owner@example.com sets a new one',
  )

/** @type {import('hallpass-audit').SignIn} */
export default {
  // The project has one person of staff. With a second one, add them: some checks need two people.
  people: [{ email: process.env['AUDIT_EMAIL'] ?? 'owner@example.com', password }],
  scope: 'openid profile email courses:read',
  accepts: deviations,
  // A path that requires an access token.
  surfaces: [{ path: '/courses', scope: 'courses:read' }],
}
