import ts from 'typescript'
import { expect, it } from 'vitest'
import { parse, SOURCES, visit } from '../support/source/imports.js'

const COMPARISONS = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
])

/** What times and durations are called in `src`. */
const TIME =
  /^(?:now|at|age|since|until|time)$|(?:At|Age|Since|Until|End|Ends|Before|Time|Date|Seconds|_SECONDS)$/

/** Tools that tests use, on clocks of their own: what they judge must not share its comparison with them. */
const isTool = (path: string): boolean => /^(?:testing|store-contract)\//.test(path)

it('is that of src/time alone, wherever times are compared', () => {
  const found: string[] = []
  for (const path of SOURCES.filter((one) => !isTool(one) && !one.startsWith('time/')))
    visit(parse(path), (node) => {
      if (!ts.isBinaryExpression(node) || !COMPARISONS.has(node.operatorToken.kind)) return
      const names: string[] = []
      visit(node, (inner) => {
        const isCalled = ts.isPropertyAccessExpression(inner.parent) && inner.parent.name === inner
        if (ts.isIdentifier(inner) && !(isCalled && inner.text === 'at')) names.push(inner.text)
      })
      const isCount = names.includes('length') || names.includes('size')
      if (!isCount && names.some((name) => TIME.test(name)))
        found.push(`${path}: ${node.getText()}`)
    })
  expect(found).toEqual([])
})
