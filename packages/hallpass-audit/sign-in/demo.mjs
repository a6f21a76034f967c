// Signs in at the demo school of hallpass: `npx hallpass-demo`, or `npm start` in its repository.
//
//   npx hallpass-audit http://127.0.0.1:3000 --sign-in node_modules/hallpass-audit/sign-in/demo.mjs
//
// It waits for the limits of the demo, two minutes in all: start that with HALLPASS_RATE_LIMITS=off to wait for nothing.

import { deviations } from './deviations.mjs'

const password = process.env['AUDIT_PASSWORD'] ?? 'hallpass-demo'

/** @type {import('hallpass-audit').SignIn} */
export default {
  // An owner and a manager: a client that registers itself acts for staff only.
  people: [
    { email: 'ines.duarte@example.com', password },
    { email: 'tomasz.wilk@example.com', password },
  ],
  scope: 'openid profile email courses:read',
  clients: {
    // The school registers no client with a secret by itself, but the demo has one, for data of members.
    confidential: {
      client_id: 'portfolio-hub',
      client_secret: 'portfolio-hub-demo-secret',
      redirect_uri: 'http://127.0.0.1:7777/callback',
      scope: 'openid account:read',
    },
    // With the blocks private-key-jwt and client-credentials, the demo has two more. This key is a secret of the demo only.
    signing: {
      client_id: 'term-planner',
      private_jwk: {
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        kid: 'term-planner-demo',
        x: 'xlE4r2wXyr5m_qyxe-sQaxM5wvE7fbd0Ht4J6F_1SVU',
        y: 'eEASBJqRBnimipJluW9bI6-aUOnH0ZQCx-ZoEPBnci8',
        d: 'n1ygY12TO94F5BzkknX07h7Gk-D0YfyLZRTyVAa_jN0',
      },
      redirect_uri: 'http://127.0.0.1:7777/callback',
      scope: 'openid account:read',
    },
    service: {
      client_id: 'course-export',
      client_secret: 'course-export-demo-secret',
      redirect_uri: 'http://127.0.0.1:7777/callback',
      scope: 'courses:read',
    },
  },
  // One of the platforms that are known by name.
  vendor: { name: 'Claude', client_id: 'claude' },
  // A student, and an app for students.
  member: {
    person: { email: 'mei-ling.chou@example.com', password },
    client: {
      client_id: 'study-buddy',
      redirect_uri: 'http://127.0.0.1:7777/callback',
      scope: 'openid profile email account:read',
    },
  },
  // The demo publishes these documents itself, at a host that does not exist.
  clientDocument: 'https://audit.example/client.json',
  accepts: deviations,
  // Paths that require an access token. UserInfo and /mcp are always tried.
  surfaces: [{ path: '/api/v1/courses', scope: 'courses:read' }],
}
