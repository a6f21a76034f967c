/** What the runner can measure: subjects, scenarios, what to aim for, where the figures stand. */
export const SETS = {
  server: {
    folder: 'subjects',
    subjects: {
      bare: 'bare `node:http` handler, no checks',
      hallpass: '**hallpass** on `node:http`',
      'hallpass-express': '**hallpass** in Express',
      'hallpass-hono': '**hallpass** behind @hono/node-server',
      jmondi: '@jmondi/oauth2-server (no ID token)',
      'oidc-provider': 'oidc-provider',
    },
    scenarios: {
      exchange: 'code exchange',
      refresh: 'refresh',
      bearer: 'bearer check (UserInfo)',
      discovery: 'discovery',
    },
    target: {
      scenario: 'exchange',
      atLeast: { 'oidc-provider': 4, jmondi: 1.5, bare: 0.75 },
    },
    marker: 'figures',
    withSizes: true,
  },
  account: {
    folder: 'account',
    subjects: {
      bare: 'bare `node:http` handler, one answer for all',
      hallpass: '**hallpass**, gate, limits and cost included',
      'hallpass-jit': '**hallpass** executing with graphql-jit',
      yoga: 'graphql-yoga',
      mercurius: 'mercurius on Fastify, without JIT',
      'mercurius-jit': 'mercurius on Fastify, with its JIT',
      'graphql-http': 'graphql-http, bare',
    },
    scenarios: {
      known: 'a document seen before',
      new: 'a document never seen before',
    },
    target: {
      scenario: 'known',
      atLeast: { yoga: 3, mercurius: 1 },
    },
    marker: 'account figures',
    withSizes: false,
  },
}
