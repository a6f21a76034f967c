import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

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

// To read the declarations of the platform and of the packages is most of what a program costs.
const declarations = new Map<string, ts.SourceFile | undefined>()

/**
 * Files as one program, with the compiler options of this repository.
 *
 * @param texts - files that exist in memory only, by their whole path
 */
export function createProgram(
  paths: readonly string[],
  texts: ReadonlyMap<string, string> = new Map(),
): ts.Program {
  const options = { ...compilerOptions(), noUnusedLocals: false }
  const host = ts.createCompilerHost(options)
  const onDisk = { ...host }
  host.fileExists = (path) => texts.has(path) || onDisk.fileExists(path)
  host.getSourceFile = (path, languageVersionOrOptions, ...rest) => {
    const text = texts.get(path)
    if (text !== undefined) return ts.createSourceFile(path, text, languageVersionOrOptions)
    if (!path.endsWith('.d.ts'))
      return onDisk.getSourceFile(path, languageVersionOrOptions, ...rest)
    if (!declarations.has(path))
      declarations.set(path, onDisk.getSourceFile(path, languageVersionOrOptions, ...rest))
    return declarations.get(path)
  }
  return ts.createProgram([...paths], options, host)
}

/**
 * Type-checks files that exist in memory only, as if they lay in the repository, with its own
 * compiler options.
 *
 * @param files - path from the root of the repository to text
 * @returns for each path what the compiler says, one `TS1234: …` per fault
 */
export function compile(
  files: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly string[]> {
  const texts = new Map(Object.entries(files).map(([path, text]) => [ROOT + path, text]))
  const program = createProgram([...texts.keys()], texts)
  const check = (path: string): string[] => {
    const file = program.getSourceFile(path)
    return ts
      .getPreEmitDiagnostics(program, file)
      .map(
        ({ code, messageText }) =>
          `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      )
  }
  return new Map(Object.keys(files).map((path) => [path, check(ROOT + path)]))
}
