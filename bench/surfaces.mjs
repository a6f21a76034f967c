/**
 * The surfaces that the gate measures. A target is `folder/subject/scenario`. The ratio is CPU time per request of `ours`,
 * divided by that of another server in the same round.
 *
 * `aim` is what the ratio should be, and `reached` what it was on each line of Node when it was last changed. The
 * gate fails if a ratio is more than `MARGIN` above what was reached. After a change that makes a surface cheaper,
 * lower the figure.
 *
 * Where `aim` is below `reached`, docs/understand/performance.md says why. The figures are means of two or three runs on
 * a busy machine.
 */
export const MARGIN = 1.15

export const SURFACES = [
  {
    title: 'code exchange with an ES256 ID token',
    requests: 150,
    ours: 'subjects/hallpass/exchange',
    against: {
      'subjects/bare/exchange': { aim: 1.25, reached: { 20: 2.0, 22: 1.69, 24: 1.62, 26: 1.56 } },
    },
    peers: [
      'subjects/hallpass-before-express/exchange',
      'subjects/hallpass-express/exchange',
      'subjects/jmondi/exchange',
      'subjects/oidc-provider/exchange',
    ],
  },
  {
    title: 'refresh with rotation',
    requests: 200,
    ours: 'subjects/hallpass/refresh',
    against: {
      'subjects/bare/refresh': { aim: null, reached: { 20: 2.58, 22: 2.09, 24: 2.07, 26: 2.08 } },
    },
    peers: [
      'subjects/hallpass-before-express/refresh',
      'subjects/hallpass-express/refresh',
      'subjects/jmondi/refresh',
      'subjects/oidc-provider/refresh',
    ],
  },
  {
    // By itself: a target that works right after another one of its process would find its memory cached.
    title: 'refresh with rotation',
    requests: 200,
    ours: 'subjects/hallpass/refresh',
    against: {
      'subjects/bare/refresh-signed': {
        aim: 1,
        reached: { 20: 1.15, 22: 0.96, 24: 0.99, 26: 1.08 },
      },
    },
    peers: [],
  },
  {
    title: 'UserInfo',
    requests: 300,
    ours: 'subjects/hallpass/bearer',
    against: {
      'subjects/bare/bearer': { aim: 1.25, reached: { 20: 2.58, 22: 1.83, 24: 2.2, 26: 2.0 } },
    },
    peers: [
      'subjects/hallpass-before-express/bearer',
      'subjects/hallpass-express/bearer',
      'subjects/oidc-provider/bearer',
    ],
  },
  {
    title: 'a gate around a handler',
    requests: 300,
    ours: 'subjects/hallpass/gate',
    against: {
      'subjects/bare/bearer': { aim: 1.1, reached: { 20: 1.78, 22: 1.6, 24: 1.41, 26: 1.52 } },
    },
    peers: [],
  },
  {
    title: 'discovery',
    requests: 400,
    ours: 'subjects/hallpass/discovery',
    against: {
      'subjects/bare/discovery': { aim: 1.1, reached: { 20: 1.48, 22: 1.48, 24: 1.38, 26: 1.69 } },
    },
    peers: [
      'subjects/hallpass-before-express/discovery',
      'subjects/hallpass-express/discovery',
      'subjects/oidc-provider/discovery',
    ],
  },
  {
    title: 'a query of the Account API over twenty courses',
    requests: 80,
    ours: 'account/hallpass/known',
    against: {
      'account/mercurius-jit/known': {
        aim: 0.95,
        reached: { 20: 1.29, 22: 1.27, 24: 1.33, 26: 1.42 },
      },
    },
    peers: ['account/bare/known', 'account/mercurius/known', 'account/yoga/known'],
  },
  {
    title: '`tools/call` of a public tool',
    requests: 120,
    ours: 'mcp/direct/public',
    against: {
      'mcp/hand/public': { aim: 2, reached: { 20: 1.83, 22: 1.76, 24: 1.8, 26: 1.83 } },
      'mcp/sdk-session/public': { aim: 0.33, reached: { 20: 0.45, 22: 0.39, 24: 0.49, 26: 0.47 } },
    },
    peers: ['mcp/server/public', 'mcp/bare-server/public', 'mcp/bare-sdk/public'],
  },
]

/** How the tables name a target that does more than its subject is named for. */
export const NAMES = {
  'subjects/bare/refresh-signed': 'bare `node:http` handler that signs an ID token',
}
