import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import ts from 'typescript'
import { ROOT } from './root.js'

const TSC = `${ROOT}node_modules/@typescript/native/bin/tsc`

/** The change that `npm run mutate:requirements` tries, as JSON. */
export const mutant = (): string | undefined => process.env['HALLPASS_MUTANT']

/** The text of a file of this repository, with the mutant in it. */
export function readSource(path: string): string {
  const text = readFileSync(ROOT + path, 'utf8')
  const { file, find, replace } = JSON.parse(mutant() ?? '{}') as Record<string, string>
  return file === path ? text.replace(find!, () => replace!) : text
}

/** This repository's compiler options. */
function compilerOptions(): ts.CompilerOptions {
  const config = ts.readConfigFile(`${ROOT}tsconfig.json`, (path) => ts.sys.readFile(path))
  return ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT).options
}

/** The source as one program, with the compiler options of this repository. */
export function createProgram(paths: readonly string[]): ts.Program {
  return ts.createProgram([...paths], compilerOptions())
}

/**
 * Type-checks files that exist for as long as this takes, as if they lay in the repository, with its own
 * compiler options. The native compiler does it in half the time of the one that this process loads.
 *
 * @param files - path from the root of the repository to text
 * @returns for each path what the compiler says, one `TS1234: …` per fault
 */
export async function compile(
  files: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const folder = mkdtempSync(`${ROOT}test/.tmp-`)
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const config = {
      extends: `${ROOT}tsconfig.json`,
      compilerOptions: { noUnusedLocals: false, rootDirs: [ROOT, '.'] },
      files: Object.keys(files),
      include: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const faults = new Map(Object.keys(files).map((path): [string, string[]] => [path, []]))
    for (const [path, fault] of faultsIn(await output(folder))) faults.get(path)!.push(fault)
    return faults
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function output(folder: string): Promise<string> {
  // Two cores are busy with tests.
  const args = [TSC, '-p', '.', '--pretty', 'false', '--singleThreaded']
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_, stdout) => resolve(stdout))
  })
}

// A fault begins with its place; what follows it is indented.
const faultsIn = (text: string): readonly (readonly [string, string])[] =>
  [...text.matchAll(/^(\S.*?)\(\d+,\d+\): error (TS\d+: .*(?:\n +.*)*)/gm)].map(
    ([, path = '', fault = '']) => [path, fault],
  )
