import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import ts from 'typescript'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createProgram } from '../support/source/compile.js'
import { readReference, runnable } from '../support/docs/reference.js'
import { ROOT } from '../support/source/root.js'

type Call = (options: Record<string, unknown>, ...more: readonly unknown[]) => unknown
const { calls, recording } = vi.hoisted(() => {
  const recorded = new Map<string, { of: Call; args: Parameters<Call>; made: unknown }[]>()
  const wrapped = (name: string, of: Call): Call =>
    Object.assign((...args: Parameters<Call>) => {
      const made = of(...args)
      recorded.set(name, [...(recorded.get(name) ?? []), { of, args, made }])
      return made
    }, of)
  return {
    calls: recorded,
    recording: (all: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        Object.entries(all).map(([name, one]) => [
          name,
          typeof one === 'function' ? wrapped(name, one as Call) : one,
        ]),
      ),
  }
})
vi.mock('hallpass/policy', async (original) => recording(await original()))
vi.mock('hallpass/token', async (original) => recording(await original()))

const ENTRIES = { policy: 'src/policy.ts', token: 'src/token.ts' }
const FOLDER = `${ROOT}test/.tmp/mistaken-calls-${process.pid}`
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

/** The members of the first argument of each function that its type requires. */
function requiredOf(): ReadonlyMap<string, readonly string[]> {
  const program = createProgram(Object.values(ENTRIES).map((path) => ROOT + path))
  const checker = program.getTypeChecker()
  return new Map(
    Object.values(ENTRIES).flatMap((path) => {
      const source = program.getSourceFile(ROOT + path)!
      return checker.getExportsOfModule(checker.getSymbolAtLocation(source)!).map((symbol) => {
        const [signature] = checker
          .getTypeOfSymbol(
            symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
          )
          .getCallSignatures()
        const [first] = signature?.getParameters() ?? []
        const members = first === undefined ? [] : checker.getTypeOfSymbol(first).getProperties()
        return [
          symbol.name,
          members
            .filter(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0)
            .map(({ name }) => name),
        ] as const
      })
    }),
  )
}

const isNo = (made: unknown): boolean =>
  made === false || made === null || (made as { ok?: unknown }).ok === false

describe('a call in JavaScript that lacks what its type requires', () => {
  it('throws, is refused, or is answered as with it: the calls are those of the reference', async () => {
    mkdirSync(FOLDER, { recursive: true })
    for (const { name, comment } of readReference(ENTRIES).exports)
      for (const [index, code] of comment.examples.entries()) {
        const path = `${FOLDER}/${name}-${index}.ts`
        writeFileSync(path, runnable(code))
        await import(/* @vite-ignore */ path)
      }
    const required = requiredOf()
    const tried = new Set<string>()
    const faults = new Set<string>()
    // It takes a refusal, which no host writes.
    calls.delete('challengeFor')
    for (const [name, all] of calls)
      for (const { of, args, made } of all) {
        const [options, ...more] = args
        if (typeof options !== 'object') continue
        for (const member of required.get(name)!.filter((one) => one in options)) {
          tried.add(`${name}: ${member}`)
          const lacking = Object.fromEntries(
            Object.entries(options).filter(([one]) => one !== member),
          )
          const said = await (async () => of(lacking, ...more))().catch(() => null)
          if (!isNo(said) && !isDeepStrictEqual(said, await made))
            faults.add(`${name} without ${member}`)
        }
      }
    expect([...faults]).toEqual([])
    expect(tried.size).toBeGreaterThan(60)
  })
})
