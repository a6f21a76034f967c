import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const BOOK = `${ROOT}test/mutants.json`

/** A folder or a list of files that is mutated, and the share of its mutants that tests must kill. */
export interface Part {
  readonly name: string
  readonly threshold: number
  readonly files: readonly string[]
}

/**
 * Files of texts only, which `test/types/reasons.test.ts` checks against `docs/look-up/errors.md` and the types, or which
 * a test writes, and those whose tests need processes or other timers.
 */
const OUTSIDE = new Set([
  'src/policy/refusals.ts',
  'src/policy/lookalikes.ts',
  'src/node/folder-lock.ts',
  'src/node/serve.ts',
])

const inFolder = (folder: string, end: string): string[] =>
  readdirSync(ROOT + folder)
    .filter((name) => name.endsWith(end) && !OUTSIDE.has(`${folder}/${name}`))
    .sort()
    .map((name) => `${folder}/${name}`)

const part = (name: string, threshold: number): Part => ({
  name,
  threshold,
  files: inFolder(name, '.ts'),
})

export const PARTS: readonly Part[] = [
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
    files: ['form', 'password', 'sessions', 'sign-in'].map(
      (name) => `examples/school/src/sign-in/${name}.ts`,
    ),
  },
]

/** Tests that repeat thousands of times what other tests check: they cost more than they kill. */
const LONG = new Set(
  [
    'client-property',
    'client-races',
    'code-races',
    'flood',
    'property',
    'storage',
    'who-pays-property',
  ].map((name) => `test/authorization-server/${name}.test.ts`),
)

/** Tests that write a file anew with `-u`, start a database, or whose timers are fake: they need vitest itself. */
const WRITING = new Set([
  'test/authorization-server/create-server-time.test.ts',
  'test/attempts/matrix.test.ts',
  'test/attempts/others.test.ts',
  'test/attempts/stores.test.ts',
  'test/http/answers.test.ts',
  'test/node/folder-lock.test.ts',
  'test/node/serve.test.ts',
  'test/site/deadline.test.ts',
  'test/clients/lookalikes-table.test.ts',
  'test/site/wrong-values.test.ts',
  // On databases of the whole run.
  'test/clients/move-grant-stores.test.ts',
  'test/clients/move-in.test.ts',
])

/** The tests that can kill a mutant: those that run in this process and end quickly. */
export const TESTS: readonly string[] = [
  ...[
    'time', 'policy', 'scope', 'site', 'authorization-server', 'operations', 'protected-resource', 'clients', 'token',
    'node', 'http', 'encoding', 'attempts',
  ] // prettier-ignore

    .flatMap((folder) => inFolder(`test/${folder}`, '.test.ts'))
    .filter((path) => !LONG.has(path) && !WRITING.has(path)),
  ...[
    'client-secret-basic', 'client-credentials/decision', 'client-credentials/grant', 'device/page', 'device/policy',
    'device/request', 'dpop/resources', 'dpop/theft', 'dpop/token-endpoint', 'fapi2', 'grant-type',
    'identity-assertion', 'identity-assertion/mutations', 'private-key-jwt', 'private-key-jwt/assertions',
    'private-key-jwt/documents', 'private-key-jwt/keys', 'private-key-jwt/management',
    'pushed-requests', 'step-up', 'uses',
  ].map((name) => `test/blocks/${name}.test.ts`), // prettier-ignore
  'test/flow/oauth4webapi.test.ts',
  'test/options/identifiers.test.ts',
  'test/options/mistakes.test.ts',
  'test/store/core-store.test.ts',
  ...['form', 'password', 'sessions', 'sign-in'].map(
    (name) => `test/example/sign-in/${name}.test.ts`,
  ),
]

export const WORKERS = 2
/** The limit for the tests of one mutant, by the time that they take without it. */
export const BUDGET_MS = 20_000
/** The limit for tests of the file with the same name. */
export const OWN_BUDGET_MS = 30_000
/** How long `--sample` tries mutants, once it knows what each test reaches. */
export const SAMPLE_MS = 90_000
/** How many files without a change `--sample` chooses from. */
export const SAMPLE_FILES = 30
