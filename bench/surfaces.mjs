/**
 * The surfaces that the gate measures. A target is `folder/subject/scenario`. The ratio is CPU time per request of `ours`,
 * divided by that of another server in the same round.
 *
 * `aim` is what the ratio should be, and `reached` what it was on each line of Node when it was last changed. The
 * gate fails if a ratio is more than `MARGIN` above what was reached. After a change that makes a surface cheaper,
 * lower the figure.
 *
 * Where `aim` is below `reached`, docs/understand/performance.md says why. The figures are the highest of three runs on a
 * busy machine, on which a median moved by up to 20 % between runs.
 */
export const MARGIN = 1.15

export const SURFACES = [
  {
    title: 'code exchange with an ES256 ID token',
    requests: 1000,
    ours: 'subjects/hallpass/exchange',
    against: {
      'subjects/bare/exchange': { aim: 1.25, reached: { 20: 2, 22: 1.7, 24: 1.62, 26: 1.64 } },
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
    requests: 1500,
    ours: 'subjects/hallpass/refresh',
    against: {
      'subjects/bare/refresh': { aim: null, reached: { 20: 2.93, 22: 2.22, 24: 2.12, 26: 2.44 } },
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
    requests: 1500,
    ours: 'subjects/hallpass/refresh',
    against: {
      'subjects/bare/refresh-signed': {
        aim: 1,
        reached: { 20: 1.23, 22: 0.97, 24: 1.05, 26: 1.13 },
      },
    },
    peers: [],
  },
  {
    title: 'UserInfo',
    requests: 2500,
    ours: 'subjects/hallpass/bearer',
    against: {
      'subjects/bare/bearer': { aim: 1.25, reached: { 20: 2.58, 22: 2.04, 24: 2.2, 26: 2.1 } },
    },
    peers: [
      'subjects/hallpass-before-express/bearer',
      'subjects/hallpass-express/bearer',
      'subjects/oidc-provider/bearer',
    ],
  },
  {
    title: 'a gate around a handler',
    requests: 2500,
    ours: 'subjects/hallpass/gate',
    against: {
      'subjects/bare/bearer': { aim: 1.1, reached: { 20: 1.93, 22: 1.6, 24: 1.41, 26: 1.64 } },
    },
    peers: [],
  },
  {
    title: 'discovery',
    requests: 3000,
    ours: 'subjects/hallpass/discovery',
    against: {
      'subjects/bare/discovery': { aim: 1.1, reached: { 20: 1.58, 22: 1.6, 24: 1.47, 26: 1.72 } },
    },
    peers: [
      'subjects/hallpass-before-express/discovery',
      'subjects/hallpass-express/discovery',
      'subjects/oidc-provider/discovery',
    ],
  },
  {
    title: 'a query of the Account API over twenty courses',
    requests: 400,
    ours: 'account/hallpass/known',
    against: {
      'account/mercurius-jit/known': {
        aim: 0.95,
        reached: { 20: 1.32, 22: 1.31, 24: 1.42, 26: 1.42 },
      },
    },
    peers: ['account/bare/known', 'account/mercurius/known', 'account/yoga/known'],
  },
  {
    title: '`tools/call` of a public tool',
    requests: 800,
    ours: 'mcp/direct/public',
    against: {
      'mcp/hand/public': { aim: 2, reached: { 20: 2.01, 22: 2.02, 24: 2.05, 26: 1.83 } },
      'mcp/sdk-session/public': { aim: 0.33, reached: { 20: 0.56, 22: 0.42, 24: 0.5, 26: 0.48 } },
    },
    peers: ['mcp/server/public', 'mcp/bare-server/public', 'mcp/bare-sdk/public'],
  },
]

/** How the tables name a target that does more than its subject is named for. */
export const NAMES = {
  'subjects/bare/refresh-signed': 'bare `node:http` handler that signs an ID token',
}
