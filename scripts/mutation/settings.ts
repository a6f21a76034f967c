import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const RECORD = `${ROOT}test/mutants.json`

/** A folder or a list of files that is mutated, and the share of its mutants that tests must kill. */
export interface Part {
  readonly name: string
  readonly threshold: number
  readonly files: readonly string[]
}

/** Words alone: `test/types/reasons.test.ts` compares `docs/look-up/errors.md` with them, and asks the compiler. */
const TABLES = new Set(['src/policy/refusals.ts'])

const inFolder = (folder: string, end: string): string[] =>
  readdirSync(ROOT + folder)
    .filter((name) => name.endsWith(end) && !TABLES.has(`${folder}/${name}`))
    .sort()
    .map((name) => `${folder}/${name}`)

const part = (name: string, threshold: number): Part => ({
  name,
  threshold,
  files: inFolder(name, '.ts'),
})

export const PARTS: readonly Part[] = [
  part('src/policy', 0.95),
  part('src/clients', 0.9),
  part('src/http', 0.9),
  part('src/authorization-server', 0.9),
  part('src/protected-resource', 0.9),
  part('src/token', 0.9),
  part('src/node', 0.9),
  {
    name: "the example's sessions and sign-in",
    threshold: 0.9,
    files: ['form', 'password', 'sessions', 'sign-in', 'throttle'].map(
      (name) => `examples/school/src/sign-in/${name}.ts`,
    ),
  },
]

/** These repeat what others hold, thousands of times: they would cost more than they kill. */
const LONG = new Set(
  ['client-property', 'client-races', 'property', 'storage'].map(
    (name) => `test/authorization-server/${name}.test.ts`,
  ),
)

/** It asks every endpoint, and loads all that they need. */
const EVERYTHING = 'test/http/answers.test.ts'

/** The tests that can kill: those that run in this process and answer at once. */
export const TESTS: readonly string[] = [
  ...[
    'policy', 'scope', 'site', 'authorization-server', 'protected-resource', 'clients', 'token',
    'node', 'http', 'encoding',
  ] // prettier-ignore

    .flatMap((folder) => inFolder(`test/${folder}`, '.test.ts'))
    .filter((path) => !LONG.has(path) && path !== EVERYTHING),
  'test/flow/oauth4webapi.test.ts',
  ...['form', 'password', 'sessions', 'sign-in', 'throttle'].map(
    (name) => `test/example/sign-in/${name}.test.ts`,
  ),
]

export const WORKERS = 2
/** The tests of one mutant: no more than take this long without it. */
export const BUDGET_MS = 6_000
/** As long as these may take that bear the name of the file. */
export const OWN_BUDGET_MS = 30_000
/** What `--changed` may take, from its start. */
export const CHANGED_MS = 110_000
