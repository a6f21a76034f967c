import { readdirSync } from 'node:fs'
import { join } from 'node:path/posix'
import ts from 'typescript'
import { routesOf } from '../../../src/authorization-server.js'
import { PATHS } from '../../../src/site/paths.js'
import { readSource } from './compile.js'
import { ROOT } from './root.js'
import { visit } from './imports.js'

/** A path that a server responds at. */
export interface Route {
  /** The only method, where the router knows it; `null` where the endpoint decides. */
  readonly method: string | null
  /** With `:id` for a parameter, and `/…` at its end if everything below belongs to it. */
  readonly path: string
}

const EXPRESS = 'examples/express/src/app.ts'
const NEXTJS = 'examples/nextjs/app'

/** The routes of the library. */
export const LIBRARY_ROUTES: readonly Route[] = routesOf(PATHS).map(([path]) => ({
  method: null,
  path,
}))

const METHODS = ['all', 'get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'use', 'route']

/**
 * The routes of the Express application, read from its source: what is mounted without a path has none.
 *
 * @throws Error if the path of a route cannot be read, so that no route is missed
 */
export function expressRoutes(source: string = readSource(EXPRESS)): readonly Route[] {
  const routes: Route[] = []
  visit(ts.createSourceFile(EXPRESS, source, ts.ScriptTarget.ESNext, true), (node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
    const { expression, name } = node.expression
    if (expression.getText() !== 'app' || !METHODS.includes(name.text)) return
    const [at] = node.arguments
    if (at === undefined || (name.text === 'use' && isHandler(at))) return
    const method = ['all', 'use', 'route'].includes(name.text) ? null : name.text.toUpperCase()
    const end = name.text === 'use' ? '/…' : ''
    routes.push(...pathsOf(at).map((path) => ({ method, path: path + end })))
  })
  return routes
}

const isHandler = (node: ts.Expression): boolean =>
  ts.isArrowFunction(node) ||
  ts.isFunctionExpression(node) ||
  ts.isCallExpression(node) ||
  ts.isSatisfiesExpression(node)

function pathsOf(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteral(node)) return [node.text]
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(pathsOf)
  const loop = ts.findAncestor(node, ts.isForOfStatement)
  if (loop?.initializer.getText().includes(`[${node.getText()},`) === true)
    if (/^routesOf\(\w+\)$/.test(loop.expression.getText()))
      return LIBRARY_ROUTES.map(({ path }) => path)
  throw new Error(`the path of a route cannot be read: ${node.getText()}`)
}

/** Every file of the Next.js application, as its path below `app`. */
const nextFiles = (): readonly string[] =>
  readdirSync(join(ROOT, NEXTJS), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(ROOT, NEXTJS).length))

/**
 * The routes of the Next.js application: its files. What is not a route handler counts as a route of its
 * name, because Next.js serves pages, icons and site maps from this folder as well.
 */
export function nextRoutes(files: readonly string[] = nextFiles()): readonly Route[] {
  return files.flatMap((file): readonly Route[] => {
    if (!file.endsWith('/route.ts')) return [{ method: null, path: file }]
    const path = file
      .slice(0, -'/route.ts'.length)
      .replace(/\/\[?\[\.\.\.\w+\]\]?$/, '/…')
      .replaceAll(/\[(\w+)\]/g, ':$1')
    return methodsOf(readSource(NEXTJS + file)).map((method) => ({ method, path: path || '/' }))
  })
}

/** A handler that takes all methods leaves the decision to the endpoint. */
function methodsOf(source: string): readonly (string | null)[] {
  const [, names = ''] = /^export const \{ ([A-Z, ]+) \} = at\(/m.exec(source) ?? []
  const methods = names.split(', ').filter((name) => name !== 'HEAD')
  return methods.includes('OPTIONS') ? [null] : methods
}

/** The routes that a page names in the first column of a table, such as `GET /docs`. */
export function routesNamed(rows: readonly (readonly string[])[]): readonly Route[] {
  return rows.flatMap(([first = '']) =>
    [...first.matchAll(/`(?:([A-Z]+) )?(\/[^`\s]*)`/g)].map(([, method = null, path]) => ({
      method,
      path: path!,
    })),
  )
}

/** The routes that are not in a list. A mount may be there by the paths below it. */
export const routesBeyond = (
  routes: readonly Route[],
  listed: readonly Route[],
): readonly Route[] =>
  routes.filter(({ path, method }) => {
    const base = path.endsWith('/…') ? path.slice(0, -1) : null
    return !listed.some(
      (one) =>
        (one.method === null || method === null || one.method === method) &&
        (one.path === path ||
          (base !== null && (`${one.path}/` === base || one.path.startsWith(base)))),
    )
  })
