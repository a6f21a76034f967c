import { createContext, Script } from 'node:vm'
import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { rounds } from './support/run/rounds.js'
import { parse, SOURCES, visit } from './support/source/imports.js'

const LENGTH = 100 * 1024
const MOST_MILLISECONDS = 50
// What takes for ever is interrupted. A try may fail because the machine is busy with something else.
const PATIENCE_MILLISECONDS = 200
const TRIES = 4

/** Every regular expression of `src` that is written as one, once. */
const PATTERNS: ReadonlyMap<string, RegExp> = new Map(
  SOURCES.flatMap((path) => {
    const found: [string, RegExp][] = []
    visit(parse(path), (node) => {
      if (!ts.isRegularExpressionLiteral(node)) return
      const end = node.text.lastIndexOf('/')
      found.push([node.text, new RegExp(node.text.slice(1, end), node.text.slice(end + 1))])
    })
    return found
  }),
)

/** A text that a pattern nearly matches: a part of one that it does match, again and again. */
interface NearMiss {
  readonly head: string
  readonly pump: string
  readonly tail: string
}

const textOf = ({ head, pump, tail }: NearMiss): string =>
  head + pump.repeat(Math.ceil(LENGTH / pump.length)) + tail

/** Among these, fast-check looks for what a class leaves, for ever if it leaves none of them. */
const PRINTABLE = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index))

/** Near misses of a pattern, the same ones each time. */
function nearMissesOf({ source, flags }: RegExp): readonly NearMiss[] {
  // What fast-check cannot make texts for: letters in either case, what must not follow, halves of
  // characters. Without them the texts still are near misses.
  const readable = source
    .replace(/\(\?[!=][^)]*\)/g, '')
    .replace(/\\p\{(?:Surrogate|Cs)\}/g, '')
    .replace(/\[\^(?:\\.|[^\]\\])*\]/g, (rest) => (new RegExp(rest).test(PRINTABLE) ? rest : 'é'))
  const matches = fc.stringMatching(new RegExp(readable, flags.replace(/[gi]/g, '')))
  const nearMiss = matches
    .filter((match) => match !== '')
    .chain((match) =>
      fc.record({
        match: fc.constant(match),
        from: fc.nat(match.length - 1),
        length: fc.constantFrom(1, 1, 2, 3, match.length),
        rest: fc.boolean(),
        // Characters that most patterns stop at, and none at all.
        end: fc.constantFrom('\u0000', '\u0000', '!', ''),
      }),
    )
    .map(({ match, from, length, rest, end }) => ({
      head: match.slice(0, from),
      pump: match.slice(from, from + length),
      tail: (rest ? match.slice(from + length) : '') + end,
    }))
  return fc.sample(nearMiss, { numRuns: rounds(20, { soak: 200 }), seed: 1 })
}

// All matches of a global pattern, else the first.
const SEARCH = new Script(`text.replace(pattern, '')`)
const SANDBOX = createContext({})

/** Whether a search was over after 50 ms of the processor's time. */
function isQuick(pattern: RegExp, text: string): boolean {
  Object.assign(SANDBOX, { pattern, text })
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const begun = process.cpuUsage()
    try {
      SEARCH.runInContext(SANDBOX, { timeout: PATIENCE_MILLISECONDS })
    } catch {
      continue
    }
    const { user, system } = process.cpuUsage(begun)
    if (user + system < MOST_MILLISECONDS * 1000) return true
  }
  return false
}

const firstSlow = (pattern: RegExp): NearMiss | undefined =>
  nearMissesOf(pattern).find((nearMiss) => !isQuick(pattern, textOf(nearMiss)))

describe('regular expressions', () => {
  it.each([...PATTERNS])(
    'answer near misses of 100 KiB within 50 ms: %s [LIM-08]',
    (_, pattern) => {
      expect(firstSlow(pattern)).toBe(undefined)
    },
  )

  it('are all found where they are written down', () => {
    const made = SOURCES.filter((path) => {
      let makes = false
      visit(parse(path), (node) => {
        if (
          (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
          node.expression.getText() === 'RegExp'
        )
          makes = true
      })
      return makes
    })
    // A pattern of the host's own tool, tried on one short sentence.
    expect(made).toEqual(['mcp/free-text.ts'])
    expect(PATTERNS.size).toBeGreaterThan(60)
  })

  it.each([
    ['doubles with each character', /^(?:a+)+$/],
    ['grows with the square, from wherever it begins', /\s+$/],
    ['grows with the square, where two parts take the same', /^[a-z]*[a-z0-9]*$/],
  ])('that would be slow are found out: what %s', (_, pattern) => {
    expect(firstSlow(pattern)).toBeDefined()
  })
})
