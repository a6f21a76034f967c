import { readdirSync } from 'node:fs'
import { join } from 'node:path/posix'
import ts from 'typescript'
import { readSource } from './compile.js'
import { ROOT } from './root.js'
import { visit } from './imports.js'

/**
 * Modules that open no connection, or these of their exports. Every other module counts as one that does, so
 * a new package is either added here or described in SECURITY.md.
 */
const QUIET: Readonly<Record<string, true | readonly string[]>> = {
  '@electric-sql/pglite': true,
  '@electric-sql/pglite-prepopulatedfs': true,
  '@graphql-yoga/render-graphiql': true,
  '@hallpass/example-school': true,
  '@modelcontextprotocol/sdk': true,
  '@modelcontextprotocol/server': true,
  '@noble/hashes': true,
  '@opentelemetry/api': true,
  '@opentelemetry/context-async-hooks': true,
  '@opentelemetry/resources': true,
  '@opentelemetry/sdk-metrics': true,
  '@opentelemetry/sdk-trace-base': true,
  cookie: true,
  'css-tree': true,
  express: true,
  graphql: true,
  'graphql-http': true,
  hallpass: true,
  'hallpass-opentelemetry': true,
  'ipaddr.js': true,
  jose: [
    'CompactEncrypt',
    'SignJWT',
    'calculateJwkThumbprint',
    'compactDecrypt',
    'compactVerify',
    'createLocalJWKSet',
    'EmbeddedJWK',
    'decodeJwt',
    'decodeProtectedHeader',
    'errors',
    'exportJWK',
    'generateKeyPair',
    'importJWK',
    'jwtVerify',
  ],
  'markdown-it': true,
  // Its telemetry, in `next build`, is off: examples/nextjs/.env.
  next: true,
  'node:async_hooks': true,
  'node:crypto': true,
  'node:diagnostics_channel': true,
  'node:events': true,
  'node:fs': true,
  'node:http': ['createServer'],
  'node:module': true,
  'node:net': ['Server', 'isIP', 'isIPv4', 'isIPv6'],
  'node:path': true,
  'node:timers': true,
  'p-limit': true,
  pino: true,
  'rate-limiter-flexible': true,
  'sanitize-html': true,
  zod: true,
}
const GLOBALS = [
  'fetch',
  'WebSocket',
  'WebTransport',
  'EventSource',
  'XMLHttpRequest',
  'sendBeacon',
]
const HOLDERS = ['globalThis', 'global', 'window', 'self', 'navigator']

const FOLDERS = [
  'src',
  'examples/school/src',
  'examples/express/src',
  'examples/operations',
  'examples/pages',
  'examples/playground',
  'examples/walk',
]
const NEXTJS = ['app', 'lib']

/** Every source file of the library and of the service, browser scripts included. */
export const SHIPPED: readonly string[] = [
  ...FOLDERS.flatMap((folder) => filesIn(folder)),
  ...NEXTJS.flatMap((folder) => filesIn(`examples/nextjs/${folder}`)),
  ...filesIn('examples/nextjs', false),
]

function filesIn(folder: string, recursive = true): readonly string[] {
  return readdirSync(ROOT + folder, { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length))
    .filter((path) => /(?<!\.d)\.[cm]?[jt]sx?$/.test(path))
    .sort()
}

/** What a file can open connections with: imports by module and name, and globals. */
export function connectorsIn(path: string, source: string = readSource(path)): readonly string[] {
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.ESNext, true)
  const found = new Set<string>()
  visit(tree, (node) => {
    for (const name of [...importedBy(node), ...globalsIn(node)]) found.add(name)
  })
  return [...found].sort()
}

/** Imports and re-exports of values, with `import('…')` and `require('…')`. */
function importedBy(node: ts.Node): readonly string[] {
  if (ts.isImportDeclaration(node)) {
    const { importClause } = node
    if (importClause?.isTypeOnly === true) return []
    return loud(node.moduleSpecifier, importClause && namesOf(importClause))
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && !node.isTypeOnly)
    return loud(node.moduleSpecifier, elementsOf(node.exportClause))
  if (!ts.isCallExpression(node)) return []
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  return isImport || isRequire ? loud(node.arguments[0], null) : []
}

/** The names of an import, or `null` if it takes the whole module. */
function namesOf({ name, namedBindings }: ts.ImportClause): readonly string[] | null {
  const names = elementsOf(namedBindings) ?? (namedBindings === undefined ? [] : null)
  return names === null ? null : [...(name === undefined ? [] : ['default']), ...names]
}

function elementsOf(bindings: ts.Node | undefined): readonly string[] | null {
  if (bindings === undefined || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings)))
    return null
  return bindings.elements
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ name, propertyName }) => (propertyName ?? name).text)
}

function loud(
  specifier: ts.Expression | undefined,
  names: readonly string[] | null | undefined,
): readonly string[] {
  if (specifier === undefined || !ts.isStringLiteral(specifier)) return ['a module without a name']
  const { text } = specifier
  if (/^(?:\.|#lib\/)/.test(text) || names?.length === 0) return []
  const [, module = text] = /^((?:@[^/]+\/|node:)?[^/]+)/.exec(text)!
  // `node:fs/promises` and `node:dns/promises` are as quiet as the module that has them.
  const quiet = Object.hasOwn(QUIET, module) ? QUIET[module]! : []
  if (quiet === true) return []
  return (names ?? ['*']).filter((name) => !quiet.includes(name)).map((name) => `${text} ${name}`)
}

/** Globals that the file does not declare itself around the place where it uses them. */
function globalsIn(node: ts.Node): readonly string[] {
  if (!ts.isIdentifier(node) || !GLOBALS.includes(node.text)) return []
  const { parent, text } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return HOLDERS.includes(parent.expression.getText()) ? [text] : []
  const { name, propertyName } = parent as { name?: ts.Node; propertyName?: ts.Node }
  const isName =
    ((name === node || propertyName === node) && !ts.isShorthandPropertyAssignment(parent)) ||
    ts.isTypeNode(parent) ||
    ts.isTypeQueryNode(parent)
  return isName || isDeclaredAround(node) ? [] : [text]
}

function isDeclaredAround(node: ts.Identifier): boolean {
  let declared = false
  visit(node.getSourceFile(), (one) => {
    if (!ts.isIdentifier(one) || one.text !== node.text) return
    const { parent } = one
    const isDeclaration =
      (ts.isVariableDeclaration(parent) ||
        ts.isBindingElement(parent) ||
        ts.isParameter(parent) ||
        ts.isFunctionDeclaration(parent) ||
        ts.isImportSpecifier(parent)) &&
      parent.name === one
    if (!isDeclaration) return
    const scope = ts.findAncestor(
      ts.isFunctionDeclaration(parent) ? parent.parent : parent,
      (at) => ts.isSourceFile(at) || ts.isBlock(at) || ts.isFunctionLike(at),
    )
    declared ||= ts.findAncestor(node, (at) => at === scope) !== undefined
  })
  return declared
}
