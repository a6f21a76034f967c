import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const src = fileURLToPath(new URL('src', import.meta.url))
const graphql = fileURLToPath(new URL('node_modules/graphql/index.js', import.meta.url))
const graphql17 = fileURLToPath(new URL('test/graphql-17/node_modules/graphql', import.meta.url))
const isBeforeNode22 = Number.parseInt(process.versions.node, 10) < 22

/** What holds of the service whichever framework it stands on: once on Express, once on Next.js. */
const SERVICE = [
  'test/example/{before-blocks,description,front-page,school}.test.ts',
  'test/example/admin/auth-md.test.ts',
  'test/flow/{account-api,mcp-example,mcp-inspector,mcp-sdk,mcp-step-up,openid-client}.test.ts',
]
/** The same, where it takes long: on Next.js before a release only. */
const LONG_SERVICE = 'test/{example/{blocks,breaks,limits},audit/{plain,running}}.test.ts'
const SERVICE_PAGES =
  'test/browser/{api-reference,breaks,clients,connect,graphiql,sign-in,walk}.test.ts'
/** Where the two differ. */
const NEXTJS = 'test/example/{nextjs,nextjs-server}.test.ts'
/** What starts the demo or looks at it, on Express, and the pages of the documentation, whose programs run. */
const DEMO = ['test/{example,audit}/**/*.test.ts', 'test/{docs,reference}.test.ts', ...SERVICE]
/** Thousands of hostile inputs against both, each in a worker of its own: `npm run test:attack`. */
const ATTACK = 'test/attack/{express,blocks}.test.ts'
/** The same before a release: on Next.js, and what applies of it to the small examples. */
const ATTACK_NEXTJS = 'test/attack/{nextjs*,rungs}.test.ts'
/** All that a browser shows. */
const PAGES = 'test/browser/*.test.ts'
/** What takes long. */
const THOROUGH = {
  alone: [
    // Processes that are killed and started again, or a client started anew for each call.
    'test/example/restart.test.ts',
    'test/flow/mcp-inspector.test.ts',
    // An empty folder and two tarballs become a server.
    'packages/create-hallpass/test/from-tarball.test.ts',
    // The same for the demo.
    'packages/hallpass-demo/test/from-tarball.test.ts',
    // Every endpoint of the description: `npm test` walks to those beside the admin API.
    'test/example/description-walk.test.ts',
    // What other people's linters say; of those the quick one runs over a small description as well.
    'test/{example/admin,admin}/lint.test.ts',
  ],
  // On PGlite, as on PostgreSQL.
  again: ['test/example/account/{source,changes}.test.ts', 'test/example/members/erase.test.ts'],
}

/** What repeats a race, a contract or hostile values for long: in `npm run check`, not in `npm test`. */
const REPEATED = [
  'test/postgres/{isolation,kin,partitions,plans,site-of-many,store,versions}.test.ts',
  'test/{store-contract/broken-stores,site/wrong-values,attempts/matrix,attempts/stores,payers/property}.test.ts',
  'test/authorization-server/{client-races,code-races,flood}.test.ts',
  'test/policy/reading/*.test.ts',
  'test/platform/isolation/{long,mutants,statements}.test.ts',
  'test/blocks/{assertion-race,dpop/clients,dpop/second-process}.test.ts',
]

/** Every check of the audit against a broken server of each subject. */
const WHOLE_AUDITS = 'packages/hallpass-audit/test/whole.test.ts'
/** A release of a clone; an hour of a flood; an audit of every small example, of the school, and of broken schools; a contract once more. */
const BEFORE_RELEASE =
  'test/{release,old-tables,example/platform/flood,audit/{plain,rungs,school},postgres/store-of-storage}.test.ts'

/** What a package of its own is made of. */
const PACKAGES = 'packages/*/test/**/*.test.ts'
/** The audit imports nothing of hallpass. It is tried on servers that each break one thing. */
const AUDIT = 'packages/hallpass-audit/test/*.test.ts'

/** What surrounds the service hangs, dies or lies: minutes, and real servers. */
const FAULTS = 'test/faults/**/*.test.ts'
/** Too much load: its figures need a machine that does nothing else. */
const OVERLOAD = 'test/faults/overload.test.ts'
/** A database whose primary is killed again and again: a quarter of an hour. `npm run test:failover`. */
const FAILOVER = 'test/failover/*.test.ts'

/** The Account API on graphql 17, which needs Node.js 22: `npm run test:graphql-17`. */
const GRAPHQL_17 = 'test/graphql-17/*.test.ts'

/** Clients that others wrote, which have packages of their own: `npm run test:clients`. */
const CLIENTS = 'test/real-clients/*.test.ts'
/** Servers in Java; with `npm run test:clients -- --java`, after the clients in Java. */
const JAVA = 'test/java/*.test.ts'

/** The store over query builders that others wrote, which have packages of their own: `npm run test:query-builders`. */
const QUERY_BUILDERS = 'test/query-builders/*.test.ts'
/** One flow on each runtime and framework, which have packages of their own: `npm run test:everywhere`. */
const EVERYWHERE = 'test/everywhere/*.test.ts'
/** The store on MariaDB and on drivers of SQLite, which have packages of their own: `npm run test:stores`. */
const STORES = 'test/stores/*.test.ts'
/** The OpenID Foundation's suite, which has to run: `npm run test:openid`. */
const OPENID = 'test/openid/*.test.ts'

/** Files that take longest, longest first: what begins last must not be long. */
const LONG = [
  'packages/hallpass-audit/test/audit',
  'packages/hallpass-audit/test/fapi2',
  'test/attack/nextjs',
  'test/attack/nextjs-blocks',
  'test/attack/blocks',
  'test/audit/running',
  'test/example/breaks',
  'test/browser/playground',
  'test/browser/walk',
  'test/browser/pages',
  'test/example/restart',
  'test/example/server',
  'test/example/blocks',
  'test/example/schools',
  'test/browser/api-reference',
  'test/example/description-walk',
  'test/flow/mcp-inspector',
  'test/example/admin/every-operation',
  'test/example/admin/operations',
  'test/authorization-server/client-races',
  'test/docs',
  'test/browser/sign-in',
  'test/browser/clients',
  'test/example/limits',
  'test/example/agents/calls',
  'test/postgres/plans',
  'test/postgres/store',
  'test/site/wrong-values',
  'test/node/document-fetcher',
  'test/node/body',
].map((name) => `/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((path) => moduleId.endsWith(path))
      return at === -1 ? LONG.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

// A folder for each state of the packages. Where they have changed, Vitest deletes a folder that it writes to afterwards.
const installed = readFileSync(new URL('node_modules/.package-lock.json', import.meta.url))
const COMPILED = fileURLToPath(
  new URL(
    `node_modules/.vitest/compiled-${createHash('sha256').update(installed).digest('hex').slice(0, 16)}`,
    import.meta.url,
  ),
)

const common = {
  setupFiles: 'test/support/run/clean.ts',
  // What files share is loaded once for each worker, not once for each file.
  isolate: false,
  execArgv: [
    // PGlite makes a cluster once and ends: to optimize its code takes longer than to run it.
    '--liftoff-only',
    // Most of what a test makes is garbage at once, and cheap to leave behind where it has room to lie.
    '--max-semi-space-size=64',
  ],
  // Ends a test that would never end. What has to be quick is counted or measured, not timed: machines differ tenfold.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
}
/**
 * Where browsers, processes and servers are real, CI runs a red test once more. It is not hidden: `scripts/parts.mjs`
 * prints it and fails if there are more than two. `npm test` repeats none.
 */
const real = { ...common, retry: process.env['CI'] === 'true' ? 1 : 0 }
const resolve = {
  // Tests under test/ run on the source; the examples and the packed-tarball check run on dist.
  alias: [
    { find: /^hallpass$/, replacement: `${src}/index.ts` },
    { find: /^hallpass\/(.+)$/, replacement: `${src}/$1.ts` },
    {
      find: /^(hallpass-(?:audit|lab|opentelemetry))$/,
      replacement: `${src}/../packages/$1/src/index.ts`,
    },
    // The copy that Node finds, which graphql-http has too: they tell errors by their class.
    { find: /^graphql$/, replacement: graphql },
  ],
}

export default defineConfig({
  resolve,
  test: {
    projects: [
      {
        resolve,
        test: {
          ...common,
          name: 'hallpass',
          include: ['test/**/*.test.ts'],
          // MCP's conformance suite needs Node 22. There is no such thing as a skipped test here.
          exclude: [
            ...configDefaults.exclude,
            ...DEMO,
            ...REPEATED,
            NEXTJS,
            ATTACK,
            ATTACK_NEXTJS,
            PAGES,
            ...THOROUGH.alone,
            BEFORE_RELEASE,
            FAULTS,
            FAILOVER,
            GRAPHQL_17,
            CLIENTS,
            JAVA,
            QUERY_BUILDERS,
            EVERYWHERE,
            STORES,
            OPENID,
            ...(isBeforeNode22 ? ['test/conformance/{authorization-server,server}.test.ts'] : []),
          ],
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: 'demo',
          include: DEMO,
          exclude: [...configDefaults.exclude, NEXTJS, BEFORE_RELEASE, ...THOROUGH.alone],
        },
      },
      { resolve, test: { ...common, name: 'repeated', include: REPEATED } },
      {
        resolve,
        test: {
          ...common,
          name: 'packages',
          include: [PACKAGES],
          exclude: [...configDefaults.exclude, AUDIT, ...THOROUGH.alone],
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: 'audit',
          include: [AUDIT],
          exclude: [...configDefaults.exclude, WHOLE_AUDITS],
        },
      },
      {
        resolve,
        test: { ...common, name: 'release', include: [BEFORE_RELEASE, WHOLE_AUDITS] },
      },
      {
        resolve,
        test: {
          ...common,
          name: 'nextjs',
          include: [NEXTJS, ...SERVICE],
          env: { HALLPASS_TEST_EXAMPLE: 'nextjs' },
        },
      },
      {
        resolve,
        test: {
          ...real,
          name: 'long-nextjs',
          include: [SERVICE_PAGES, LONG_SERVICE],
          env: { HALLPASS_TEST_EXAMPLE: 'nextjs' },
        },
      },
      { resolve, test: { ...real, name: 'browser', include: [PAGES] } },
      {
        resolve,
        test: {
          ...common,
          name: 'thorough',
          include: [...THOROUGH.alone, ...THOROUGH.again],
          env: { HALLPASS_TEST_DATABASE: 'pglite' },
        },
      },
      {
        resolve: {
          alias: [{ find: /^graphql$/, replacement: `${graphql17}/index.mjs` }, ...resolve.alias],
        },
        test: {
          ...common,
          name: 'graphql-17',
          include: [GRAPHQL_17, 'test/{account,account-api,member-tools}/**/*.test.ts'],
          // As the test's own modules, so that it has the same graphql.
          server: { deps: { inline: ['graphql-http'] } },
        },
      },
      {
        resolve,
        test: {
          ...real,
          name: 'faults',
          include: [FAULTS],
          exclude: [...configDefaults.exclude, OVERLOAD],
          fileParallelism: false,
        },
      },
      {
        resolve,
        test: { ...real, name: 'overload', include: [OVERLOAD], fileParallelism: false },
      },
      {
        resolve,
        test: { ...real, name: 'failover', include: [FAILOVER], fileParallelism: false },
      },
      {
        resolve,
        test: { ...real, name: 'attack', include: [ATTACK] },
      },
      {
        resolve,
        test: { ...real, name: 'attack-nextjs', include: [ATTACK_NEXTJS] },
      },
      {
        resolve,
        test: { ...real, name: 'clients', include: [CLIENTS] },
      },
      {
        resolve,
        test: {
          ...real,
          name: 'java',
          include: ['test/real-clients/run.test.ts', JAVA],
          env: { HALLPASS_CLIENTS: 'java' },
        },
      },
      { resolve, test: { ...common, name: 'query-builders', include: [QUERY_BUILDERS] } },
      {
        resolve,
        test: { ...common, name: 'stores', include: [STORES] },
      },
      { resolve, test: { ...common, name: 'openid', include: [OPENID] } },
      {
        resolve,
        test: { ...real, name: 'everywhere', include: [EVERYWHERE], maxConcurrency: 3 },
      },
    ],
    globalSetup: 'test/support/run/setup.ts',
    // What was compiled for one run serves the next: most of what a single file takes.
    experimental: { fsModuleCache: true, fsModuleCachePath: COMPILED },
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      './test/support/run/rerun-reporter.ts',
      './test/support/run/flaky-reporter.ts',
      [
        './test/support/run/report.ts',
        { outputFile: process.env['HALLPASS_REPORT'] ?? 'node_modules/.vitest/report.json' },
      ],
    ],
    // One for each core: one more would overlap what waits, and costs more than that to load.
    maxWorkers: availableParallelism(),
    coverage: { provider: 'v8', include: ['src/**'] },
  },
})
