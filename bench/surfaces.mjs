/**
 * What the gate measures. A target is `folder/subject/scenario`. The ratio is CPU time per request of `ours`,
 * divided by that of another server in the same round.
 *
 * `aim` is what the ratio should be, and `reached` what it was on each line of Node when it was last changed. The
 * gate fails if a ratio is more than `MARGIN` above what was reached. After a change that makes a surface cheaper,
 * lower the figure.
 */
export const MARGIN = 1.15

export const SURFACES = [
  {
    title: 'code exchange with an ES256 ID token',
    requests: 150,
    ours: 'subjects/hallpass/exchange',
    against: {
      'subjects/bare/exchange': { aim: 1.25, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
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
      'subjects/bare/refresh-signed': { aim: 1, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
      'subjects/bare/refresh': { aim: null, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
    },
    peers: [
      'subjects/hallpass-before-express/refresh',
      'subjects/hallpass-express/refresh',
      'subjects/jmondi/refresh',
      'subjects/oidc-provider/refresh',
    ],
  },
  {
    title: 'UserInfo',
    requests: 300,
    ours: 'subjects/hallpass/bearer',
    against: {
      'subjects/bare/bearer': { aim: 1.25, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
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
      'subjects/bare/bearer': { aim: 1.1, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
    },
    peers: [],
  },
  {
    title: 'discovery',
    requests: 400,
    ours: 'subjects/hallpass/discovery',
    against: {
      'subjects/bare/discovery': { aim: 1.1, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
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
      'account/mercurius-jit/known': { aim: 0.95, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
    },
    peers: ['account/bare/known', 'account/mercurius/known', 'account/yoga/known'],
  },
  {
    title: '`tools/call` of a public tool',
    requests: 120,
    ours: 'mcp/direct/public',
    against: {
      'mcp/hand/public': { aim: 2, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
      'mcp/sdk-session/public': { aim: 0.33, reached: { 20: 9, 22: 9, 24: 9, 26: 9 } },
    },
    peers: ['mcp/server/public', 'mcp/bare-server/public', 'mcp/bare-sdk/public'],
  },
]

/** How the tables name a target that does more than its subject is named for. */
export const NAMES = {
  'subjects/bare/refresh-signed': 'bare `node:http` handler that signs an ID token',
}
