import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const BOOK = `${ROOT}test/mutants.json`

/** A folder of `src` with the entry of its name, or a list of files, that is mutated. */
export interface Part {
  readonly name: string
  /** The share of its mutants that tests must kill. */
  readonly threshold: number
  /** Which survivors need a reason: each, or those of lines that changed since the book did. */
  readonly reasons: 'each' | 'changed'
  readonly files: readonly string[]
}

/** Parts, and the tests that can kill their mutants: those that run in this process and end quickly. */
export interface Group {
  readonly parts: readonly Part[]
  readonly tests: readonly string[]
}

/**
 * Files of texts only, which `test/types/reasons.test.ts` checks against `docs/look-up/errors.md` and the types, or which
 * a test writes, and those whose tests need processes.
 */
const OUTSIDE = new Set([
  'src/policy/refusals.ts',
  'src/policy/lookalikes.ts',
  'src/node/folder-lock.ts',
  'src/node/serve.ts',
])

function part(name: string, threshold: number, reasons: Part['reasons'] = 'each'): Part {
  const inside = readdirSync(ROOT + name).filter((file) => file.endsWith('.ts'))
  const files = [...inside.sort().map((file) => `${name}/${file}`), `${name}.ts`]
  return {
    name,
    threshold,
    reasons,
    files: files.filter((file) => !OUTSIDE.has(file) && existsSync(ROOT + file)),
  }
}

/** Tests that repeat thousands of times what others check: they cost more than they kill. */
const LONG = new Set([
  ...[
    'client-property',
    'client-races',
    'code-races',
    'flood',
    'property',
    'storage',
    'who-pays-property',
  ].map((name) => `test/authorization-server/${name}.test.ts`),
  'test/clients/move-grant-stores.test.ts',
  'test/clients/move-in.test.ts',
  'test/postgres/isolation.test.ts',
  'test/postgres/plans.test.ts',
  'test/site/wrong-values.test.ts',
])

/** Tests that write a file anew with `-u`, start processes or measure time, which need Vitest itself. */
const ELSEWHERE = new Set([
  'test/admin/lint.test.ts',
  'test/attempts/matrix.test.ts',
  'test/attempts/others.test.ts',
  'test/authorization-server/create-server-time.test.ts',
  'test/clients/lookalikes-table.test.ts',
  'test/http/answers.test.ts',
  'test/mcp/page.test.ts',
  'test/node/folder-lock.test.ts',
  'test/node/serve.test.ts',
  'test/openapi/document.test.ts',
  'test/openapi/lint.test.ts',
  'test/options/factories.test.ts',
])

const words = (...lines: readonly string[]): string[] => lines.join(' ').split(' ')

/** The tests of folders, whose names are in one text or in several. */
const testsIn = (...folders: readonly string[]): string[] =>
  words(...folders)
    .flatMap((folder) =>
      readdirSync(`${ROOT}test/${folder}`).map((name) => `test/${folder}/${name}`),
    )
    .filter((path) => path.endsWith('.test.ts') && !LONG.has(path) && !ELSEWHERE.has(path))
    .sort()

export const GROUPS: readonly Group[] = [
  {
    parts: [
      part('src/time', 0.95),
      part('src/policy', 0.95),
      part('src/clients', 0.9),
      part('src/http', 0.9),
      part('src/authorization-server', 0.9),
      part('src/operations', 0.9),
      part('src/protected-resource', 0.9),
      part('src/token', 0.9),
      part('src/node', 0.9),
      {
        name: "the example's sessions and sign-in",
        threshold: 0.9,
        reasons: 'each',
        files: ['form', 'password', 'sessions', 'sign-in'].map(
          (name) => `examples/school/src/sign-in/${name}.ts`,
        ),
      },
      part('src/blocks', 0.75, 'changed'),
      part('src/clients/attempts', 0.65, 'changed'),
      part('src/encoding', 0.7, 'changed'),
      part('src/options', 0.9, 'changed'),
      part('src/scope', 0.9, 'changed'),
      part('src/site', 0.8, 'changed'),
    ],
    tests: [
      ...testsIn(
        'time policy scope site authorization-server operations protected-resource clients token node http encoding',
        'attempts options',
      ).filter((path) => path !== 'test/attempts/stores.test.ts'),
      ...words(
        'client-credentials/decision client-credentials/grant client-secret-basic device/clients device/flow device/page',
        'device/policy device/request dpop/flow dpop/resources dpop/theft dpop/token-endpoint fapi2 grant-type',
        'identity-assertion identity-assertion/mutations private-key-jwt private-key-jwt/assertions',
        'private-key-jwt/documents private-key-jwt/keys private-key-jwt/management private-key-jwt/real-clients',
        'private-key-jwt/words pushed-requests step-up uses',
      ).map((name) => `test/blocks/${name}.test.ts`),
      'test/flow/oauth4webapi.test.ts',
      'test/platform/host.test.ts',
      'test/store/core-store.test.ts',
      ...['form', 'password', 'sessions', 'sign-in'].map(
        (name) => `test/example/sign-in/${name}.test.ts`,
      ),
    ],
  },
  {
    parts: [
      part('src/account', 0.8, 'changed'),
      part('src/account/api', 0.75, 'changed'),
      part('src/admin', 0.9, 'changed'),
      part('src/authorization-server/auth-md', 0.5, 'changed'),
      part('src/mcp', 0.9, 'changed'),
      part('src/mcp/member-tools', 0.75, 'changed'),
      part('src/openapi', 0.45, 'changed'),
    ],
    tests: testsIn('account', 'account-api', 'admin', 'mcp', 'member-tools', 'openapi'),
  },
  {
    parts: [
      part('src/store', 0.8, 'changed'),
      part('src/sql', 0.9, 'changed'),
      part('src/sqlite', 0.7, 'changed'),
      part('src/postgres', 0.85, 'changed'),
      part('src/mysql', 0.7, 'changed'),
    ],
    tests: [
      ...testsIn('store', 'sql', 'sqlite', 'postgres', 'mysql'),
      'test/attempts/stores.test.ts',
      'test/platform/wrong-storage.test.ts',
    ],
  },
  {
    parts: [part('src/platform', 0.8, 'changed')],
    tests: testsIn('platform'),
  },
  {
    parts: [part('src/store-contract', 0.55, 'changed'), part('src/testing', 0.4, 'changed')],
    tests: [
      ...testsIn('store-contract', 'testing'),
      'test/store/memory.test.ts',
      'test/store/storage.test.ts',
    ],
  },
]

export const PARTS: readonly Part[] = GROUPS.flatMap(({ parts }) => parts)

export const WORKERS = 2
/**
 * The limit for the tests of one mutant, by the time that they take without it, and that for tests of its file's name.
 * Where it is short, it counts how long their files take to load, too.
 */
export const BUDGETS_MS = {
  each: { other: 20_000, own: 30_000, countsLoads: false },
  changed: { other: 3_000, own: 6_000, countsLoads: true },
} as const
/** The share of the mutants of a part that are tried where few survivors need a reason, unless all are asked for. */
export const SHARE = 0.2
/** How long `--sample` tries mutants, once it knows what each test reaches. */
export const SAMPLE_MS = 60_000
/** In how many groups it does. */
export const SAMPLE_GROUPS = 2
/** How many files without a change `--sample` chooses from. */
export const SAMPLE_FILES = 15
