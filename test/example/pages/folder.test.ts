import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDER = new URL('../../../examples/pages/', import.meta.url)

/** The modules that a file imports, those in its own folder and below left out. */
const outwardOf = (name: string): readonly string[] => {
  const depth = name.split('/').length - 1
  return [...readFileSync(new URL(name, FOLDER), 'utf8').matchAll(/ from '([^']+)'/g)]
    .map(([, module]) => module!)
    .filter((module) => !module.startsWith('.') || module.split('../').length - 1 > depth)
}

it('the folder of the pages can be copied: it imports nothing but itself and types of hallpass', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/'))
  expect(files).toContain('words/applications/ar.ts')
  const outward = new Map(files.map((name) => [name, outwardOf(name)]))
  const others = [...outward].flatMap(([name, modules]) =>
    modules.filter((module) => !module.startsWith('hallpass/')).map((module) => [name, module]),
  )
  expect(others).toEqual([])
  for (const [name, modules] of outward) {
    const text = readFileSync(new URL(name, FOLDER), 'utf8')
    for (const module of modules.filter((one) => one.startsWith('hallpass/')))
      expect([name, text]).toEqual([
        name,
        expect.stringMatching(new RegExp(`import type [^;]*? from '${module}'`)),
      ])
  }
})
