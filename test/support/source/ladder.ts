import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readSource } from './compile.js'
import { ROOT } from './root.js'

/** The rungs of the ladder in `examples` that are built one upon the other, in order. */
export const RUNGS = ['server', 'members', 'agents'] as const

/** The program of an example: its own files by name, without README and package.json. */
export function filesOf(example: string): ReadonlyMap<string, string> {
  const folder = join('examples', example)
  const names = readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs|sql)$/.test(entry.name))
    .map(({ name }) => name)
    .sort()
  return new Map(names.map((name) => [name, readSource(`${folder}/${name}`)]))
}

/** The lines of a program that are neither blank nor a comment. */
export const codeLines = (text: string): readonly string[] =>
  text.split('\n').filter((line) => !/^\s*(?:$|\/\/|\/?\*|--)/.test(line))

/** A step of a difference: a line that stays, goes or comes. */
export type Change = readonly [kind: ' ' | '-' | '+', line: string]

/** The shortest difference of two texts, line by line. */
export function difference(before: string, after: string): readonly Change[] {
  const [old, young] = [linesOf(before), linesOf(after)]
  // The length of the longest common subsequence of what is left from each place on.
  const common = Array.from({ length: old.length + 1 }, () =>
    Array.from({ length: young.length + 1 }, () => 0),
  )
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = young.length - 1; j >= 0; j--)
      common[i]![j] =
        old[i] === young[j]
          ? common[i + 1]![j + 1]! + 1
          : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const changes: Change[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < young.length)
    if (i < old.length && old[i] === young[j]) {
      changes.push([' ', old[i++]!])
      j++
    } else if (i < old.length && (j === young.length || common[i + 1]![j]! >= common[i]![j + 1]!))
      changes.push(['-', old[i++]!])
    else changes.push(['+', young[j++]!])
  return changes
}

const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n')

const CONTEXT = 1

/** A difference as a page prints it: each change with the line before and after it, `@@` between. */
export function printed(changes: readonly Change[]): string {
  const near = (index: number): boolean =>
    changes.slice(Math.max(index - CONTEXT, 0), index + CONTEXT + 1).some(([kind]) => kind !== ' ')
  const lines: string[] = []
  for (const [index, [kind, line]] of changes.entries())
    if (near(index)) lines.push(`${kind}${line}`.trimEnd())
    else if (lines.length > 0 && lines.at(-1) !== '@@') lines.push('@@')
  if (lines.at(-1) === '@@') lines.pop()
  return lines.join('\n')
}
