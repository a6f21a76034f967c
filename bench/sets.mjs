/** The sets that the runner can measure: their subjects, scenarios, targets, and place in the docs. */
export const SETS = {
  server: {
    folder: 'subjects',
    subjects: {
      bare: 'bare `node:http` handler, no checks',
      hallpass: '**hallpass** on `node:http`',
      'hallpass-before-express': '**hallpass** in front of Express',
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
    targets: [{ scenario: 'exchange', atLeast: { 'oidc-provider': 4, jmondi: 1.5, bare: 0.75 } }],
    marker: 'figures',
    withSizes: true,
  },
  telemetry: {
    folder: 'telemetry',
    subjects: {
      off: '**hallpass** without telemetry',
      metrics: 'metrics',
      sampled: 'metrics, and one trace in twenty',
      all: 'metrics, and every trace',
    },
    scenarios: {
      exchange: 'code exchange',
      refresh: 'refresh',
    },
    targets: [],
    marker: 'telemetry figures',
    withSizes: false,
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
    targets: [{ scenario: 'known', atLeast: { yoga: 3, mercurius: 1 } }],
    marker: 'account figures',
    withSizes: false,
  },
  operator: {
    folder: 'operator',
    subjects: {
      bare: 'bare `node:http` handler, token looked up',
      hallpass: '**hallpass**',
      'hono-zod-openapi': '@hono/zod-openapi, answer parsed by its schema',
      'hono-zod-openapi-unparsed': '@hono/zod-openapi, answer not parsed',
    },
    scenarios: {
      page: 'a page of twenty courses',
    },
    targets: [
      { scenario: 'page', atLeast: { 'hono-zod-openapi': 1, 'hono-zod-openapi-unparsed': 1 } },
    ],
    marker: 'operator figures',
    withSizes: false,
  },
  mcp: {
    folder: 'mcp',
    subjects: {
      'bare-sdk': '@modelcontextprotocol/sdk 1 by itself, no checks',
      sdk: '**hallpass** with `sdkAdapter`',
      'bare-server': '@modelcontextprotocol/server 2 by itself, no checks',
      server: '**hallpass** with `serverAdapter`',
      hand: 'JSON-RPC by hand, no checks',
      direct: '**hallpass** with `directAdapter`',
      'sdk-session': '@modelcontextprotocol/sdk 1 with one session, no checks',
    },
    scenarios: {
      public: 'a public tool',
      courses: '`list_my_courses`',
    },
    targets: [
      { subject: 'sdk', scenario: 'public', atLeast: { 'bare-sdk': 0.87 } },
      { subject: 'sdk', scenario: 'courses', atLeast: { 'bare-sdk': 0.87 } },
      { subject: 'server', scenario: 'public', atLeast: { 'bare-server': 0.87 } },
      { subject: 'server', scenario: 'courses', atLeast: { 'bare-server': 0.87 } },
      { subject: 'direct', scenario: 'public', atLeast: { hand: 0.5, 'bare-sdk': 3 } },
    ],
    marker: 'mcp figures',
    withSizes: false,
  },
}
