import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hash } from '../../src/store-contract/samples.js'
import { print } from '../support/http/code-load.js'
import { rounds } from '../support/run/rounds.js'

// No machine is switched off: what a process asks of its disk is recorded, and each state is tried that a disk may be in
// when the power fails. It has what was written before the last sync of a file, and any part of what came later.

const CODES = rounds(25, { soak: 100 })
/** A disk writes as many bytes wholly or not at all. */
const SECTOR = 512

const home = mkdtempSync(join(tmpdir(), 'hallpass-power-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const shim = join(home, 'recorded-disk.so')
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
beforeAll(() => {
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, here('recorded-disk.c'), '-ldl'])
})

interface Step {
  readonly kind: 'write' | 'truncate' | 'sync' | 'print'
  readonly file: string
  readonly at: number
  readonly data: Buffer
}

function readSteps(path: string): readonly Step[] {
  const text = readFileSync(path)
  const steps: Step[] = []
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const [kind, file, at, length] = text.toString('latin1', from, end).split(' ')
    from = end + 1 + Number(length)
    steps.push({ kind: kind as Step['kind'], file: file!, at: Number(at), data: text.subarray(end + 1, from) }) // prettier-ignore
  }
  return steps
}

/** Repeatable numbers from 0 up to 1. */
let state = 20_261_129
const chance = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32

/** Applies a write or a truncation, wholly or by some of its sectors. */
function apply(content: Buffer, { kind, at, data }: Step, isTorn = false): Buffer {
  const size = kind === 'truncate' ? at : Math.max(content.length, at + data.length)
  const changed = Buffer.alloc(size)
  content.copy(changed)
  for (let from = 0; from < data.length; from += SECTOR)
    if (!isTorn || chance() < 0.5) data.copy(changed, at + from, from, from + SECTOR)
  return changed
}

/** What a disk may have of the steps that no sync has followed. */
const CHOICES: Readonly<Record<string, (content: Buffer, step: Step) => Buffer>> = {
  none: (content) => content,
  all: apply,
  some: (content, step) => (chance() < 0.5 ? apply(content, step) : content),
  torn: (content, step) => (chance() < 0.5 ? apply(content, step, chance() < 0.5) : content),
}

/** How many tokens a file lacks of those that were acknowledged; all of them if it does not open. */
function lacking(place: string, acknowledged: readonly string[]): number {
  const database = new DatabaseSync(join(place, 'school.db'))
  try {
    // The copy need not last.
    database.exec('pragma synchronous = off')
    const hashes = ['access', 'refresh'].flatMap((kind) =>
      database.prepare(`select token_hash from hallpass_${kind}_token`).all(),
    ) as { token_hash: string }[]
    const found = new Set(hashes.map(({ token_hash }) => token_hash))
    const whole = database.prepare('pragma quick_check').all() as { quick_check: string }[]
    if (whole[0]!.quick_check !== 'ok') return 2 * acknowledged.length
    return acknowledged.flatMap((n) => [`access ${n}`, `refresh ${n}`]).filter((name) => !found.has(hash(name))).length // prettier-ignore
  } catch {
    return 2 * acknowledged.length
  } finally {
    database.close()
  }
}

function cutEverywhere(driver: string, level: string) {
  const place = mkdtempSync(join(home, 'run-'))
  const [folder, log, cut] = ['data', 'log', 'cut'].map((name) => join(place, name)) as [string, string, string] // prettier-ignore
  mkdirSync(folder)
  execFileSync(
    process.execPath,
    ['--import=tsx', here('recorded-process.ts'), driver, join(folder, 'school.db'), join(folder, 'acknowledged'), level, String(CODES)],
    { env: { ...process.env, LD_PRELOAD: shim, RECORDED_FOLDER: folder, RECORDED_LOG: log } },
  ) // prettier-ignore
  const safe = new Map<string, Buffer>()
  const open = new Map<string, Step[]>()
  const acknowledged: string[] = []
  const found = { states: 0, lacking: 0, syncs: 0 }
  for (const [index, step] of readSteps(log).entries()) {
    const { kind, file, data } = step
    const later = open.get(file) ?? []
    if (kind === 'print') acknowledged.push(data.toString().trim())
    else if (kind === 'sync') {
      found.syncs++
      safe.set(file, later.reduce((content, one) => apply(content, one), safe.get(file) ?? Buffer.alloc(0))) // prettier-ignore
      open.set(file, [])
    } else open.set(file, [...later, step])
    if (acknowledged.length === 0 || (kind !== 'print' && index % 5 > 0)) continue
    for (const choose of Object.values(CHOICES)) {
      rmSync(cut, { recursive: true, force: true })
      mkdirSync(cut)
      for (const name of ['school.db', 'school.db-wal'])
        writeFileSync(join(cut, name), (open.get(name) ?? []).reduce(choose, safe.get(name) ?? Buffer.alloc(0))) // prettier-ignore
      found.states++
      if (lacking(cut, acknowledged) > 0) found.lacking++
    }
  }
  expect(acknowledged).toHaveLength(CODES)
  return found
}

describe.each(['node:sqlite', 'better-sqlite3'])('a power failure beside %s', (driver) => {
  it('loses no token that was acknowledged, and leaves a whole file', () => {
    const found = cutEverywhere(driver, 'full')
    print(`a power failure at any step of ${driver}`, found)
    expect(found.syncs).toBeGreaterThan(2 * CODES)
    expect(found.lacking).toBe(0)
  }, 300_000)

  it('loses some at the level that says so', () => {
    expect(cutEverywhere(driver, 'normal').lacking).toBeGreaterThan(0)
  }, 300_000)
})
