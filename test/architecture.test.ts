import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { SIBLINGS } from '../scripts/siblings.mjs'
import { ACCOUNT_PATH, MCP_PATH, PATHS } from '../src/site/paths.js'
import { readSource } from './support/source/compile.js'
import {
  type Arrow,
  arrowsOf,
  PACKAGE_SOURCES,
  parse,
  SOURCES,
  TEST_SOURCES,
  visit,
} from './support/source/imports.js'
import { rowsOf, sectionOf } from './support/docs/pages.js'
import { ROOT } from './support/source/root.js'

/**
 * What each folder of `src` uses beside itself, as the table of docs/understand/architecture.md has it: folders by
 * their names, packages by theirs, and with `type` where nothing is left of it at run time. A folder may
 * use what stands above it; the arrows point one way. A new arrow is a decision: draw it there.
 */
const FOLDERS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...readSource('docs/understand/architecture.md').matchAll(
      /^\| `([a-z\d-]+)` +\|[^|]*\| (.+?) +\|$/gm,
    ),
  ].map(([, folder, uses]) => [folder!, uses === 'nothing' ? '' : uses!.replaceAll('`', '')]),
)

/** Entries that show more than the folder of their name. */
const WIDER: Readonly<Record<string, string>> = {
  'authorization-server.ts': 'authorization-server, site, type http',
  'blocks.ts': 'blocks, policy, type authorization-server, type site',
  'clients.ts': 'clients, policy',
  'operations.ts': 'operations, site',
  'sqlite.ts': 'sqlite, type sql',
  'testing.ts': 'store-contract, testing',
  'index.ts': 'authorization-server, options, protected-resource, scope, site, store',
}

const ENTRIES = SOURCES.filter((path) => !path.includes('/'))
const ARROWS: Readonly<Record<string, string>> = {
  ...FOLDERS,
  ...Object.fromEntries(ENTRIES.map((path) => [path, WIDER[path] ?? path.replace(/\.ts$/, '')])),
}
const arrows = SOURCES.flatMap((path) => arrowsOf(path))
const partOf = (path: string): string => path.split('/')[0]!

function nameOf({ to, isPackage }: Arrow): string {
  if (!isPackage) return partOf(to)
  return to.startsWith('@') ? to.split('/').slice(0, 2).join('/') : to.split('/')[0]!
}

function usedBy(part: string): string {
  const outward = arrows.filter((arrow) => partOf(arrow.from) === part && nameOf(arrow) !== part)
  const names = [...new Set(outward.map(nameOf))].map((name) =>
    outward.some((arrow) => nameOf(arrow) === name && !arrow.isType) ? name : `type ${name}`,
  )
  return names.sort().join(', ')
}

function reachedFrom(paths: readonly string[]): ReadonlySet<string> {
  const reached = new Set(paths)
  for (const path of reached)
    for (const { to, isPackage } of arrowsOf(path)) if (!isPackage) reached.add(to)
  return reached
}

describe('the arrows between the parts', () => {
  it('are the ones of the table, no more and no fewer', () => {
    const actual = [...new Set(SOURCES.map(partOf))].map((part) => [part, usedBy(part)])
    expect(Object.fromEntries(actual)).toEqual(ARROWS)
  })

  it('point one way', () => {
    const above = new Set<string>()
    for (const [part, uses] of Object.entries(ARROWS)) {
      for (const use of uses.split(', ').map((name) => name.replace('type ', '')))
        if (use in ARROWS) expect([...above], `${part} uses ${use}`).toContain(use)
      above.add(part)
    }
  })

  it('lead from an entry to its own folder and to those above it', () => {
    const order = Object.keys(FOLDERS)
    for (const path of ENTRIES.filter((one) => one !== 'index.ts')) {
      const own = order.indexOf(path.replace(/\.ts$/, ''))
      const below = arrowsOf(path).filter(({ to }) => order.indexOf(partOf(to)) > own)
      expect(below, path).toEqual([])
    }
  })

  it('make no circle between files, types included, here and in each package', () => {
    const all = new Set([...SOURCES, ...PACKAGE_SOURCES])
    expect(PACKAGE_SOURCES.length).toBeGreaterThan(100)
    const below = new Map<string, ReadonlySet<string>>()
    const circles: string[] = []
    const follow = (path: string, way: readonly string[]): ReadonlySet<string> => {
      const known = below.get(path)
      if (known !== undefined) return known
      if (way.includes(path)) {
        circles.push([...way.slice(way.indexOf(path)), path].join(' > '))
        return new Set()
      }
      const next = arrowsOf(path).filter(({ to }) => all.has(to))
      const found = new Set(next.flatMap(({ to }) => [to, ...follow(to, [...way, path])]))
      below.set(path, found)
      return found
    }
    for (const path of all) follow(path, [])
    expect(circles).toEqual([])
  })

  it('lead from token to policy only for the words of a refusal', () => {
    const from = arrows.filter((arrow) => partOf(arrow.from) === 'token')
    expect(from.filter(({ to }) => partOf(to) === 'policy').map(({ to }) => to)).toEqual([
      'policy/decision.ts',
    ])
  })

  it('lead to Node from the folder node alone', () => {
    const users = arrows
      .filter(({ to, isType }) => to.startsWith('node:') && !isType)
      .map(({ from }) => partOf(from))
    expect([...new Set(users)]).toEqual(['node'])
  })

  it('reach every file from a public entry', () => {
    expect([...reachedFrom(ENTRIES)].sort()).toEqual(SOURCES)
  })
})

describe('the tests', () => {
  // An entry of an example is a file of its folder. Deeper ones are known to the tests of the examples.
  it('use the examples by their entries, except for the tests of the examples', () => {
    const inner = TEST_SOURCES.filter((path) => !path.startsWith('../test/example/'))
      .flatMap((path) => arrowsOf(path))
      .filter(({ to }) => /^\.\.\/examples\/[^/]+\/.+\//.test(to))
    expect(inner.map(({ from, to }) => `${from} uses ${to}`)).toEqual([])
  })
})

describe('the entries', () => {
  it('are exactly the files directly under src', () => {
    const { exports } = JSON.parse(readSource('package.json')) as { exports: object }
    const expected = ENTRIES.map((path) => path.replace(/\.ts$/, '')).map((name) => [
      name === 'index' ? '.' : `./${name}`,
      { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
    ])
    expect(exports).toEqual({
      ...Object.fromEntries(expected),
      './package.json': './package.json',
    })
  })

  /** Packages of which no declaration has a type: only functions do. */
  const WITHIN = /^@modelcontextprotocol\//

  // `scripts/check-package.mjs` imports and compiles each entry with these and no others.
  it('need the optional peers of scripts/peers.json, types included', () => {
    const { peerDependencies } = JSON.parse(readSource('package.json')) as {
      peerDependencies: object
    }
    const needed = ENTRIES.map((path) => {
      const packages = [...reachedFrom([path])]
        .flatMap((reached) => arrowsOf(reached).filter(({ isPackage }) => isPackage))
        .filter((arrow) => !(arrow.isType && WITHIN.test(arrow.to)))
        .map(nameOf)
      const peers = [...new Set(packages)].filter((name) => name in peerDependencies).sort()
      return [path.replace(/\.ts$/, ''), peers] as const
    })
    expect(Object.fromEntries(needed.filter(([, peers]) => peers.length > 0))).toEqual(
      JSON.parse(readSource('scripts/peers.json')),
    )
  })

  it('re-export by name and do nothing else', () => {
    for (const path of ENTRIES)
      for (const statement of parse(path).statements)
        expect(
          ts.isExportDeclaration(statement) && statement.exportClause !== undefined,
          `${path}: ${statement.getText()}`,
        ).toBe(true)
  })

  it.each(ENTRIES)(
    'leave nothing in a bundle that imports %s and uses none of it',
    async (path) => {
      const { outputFiles } = await bundle(`import './src/${path}'`)
      expect(outputFiles[0]!.text.trim()).toBe('')
    },
  )
})

const gzippedBytes = ({ outputFiles }: { outputFiles: { contents: Uint8Array }[] }): number =>
  gzipSync(outputFiles[0]!.contents).length

describe('hallpass/policy', () => {
  const ALL = `export * from './src/policy.ts'`

  it('bundles to policy, encoding, scope, time and one package', async () => {
    const { metafile } = await bundle(ALL)
    const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>')
    const strange = inputs.filter(
      (path) =>
        !/^(?:src\/(?:policy|encoding|scope|time)[./]|node_modules\/@noble\/hashes\/)/.test(path),
    )
    expect(strange).toEqual([])
    expect(inputs).toContain('src/policy/pkce.ts')
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  })

  it('is under 12.9 kB without the SHA-256 of that package', async () => {
    expect(gzippedBytes(await bundle(ALL, ['@noble/hashes/*']))).toBeLessThan(12_900)
  })
})

describe('a block', () => {
  const SERVER = `export { createServer, defineSite, createMemoryStore } from './src/index.ts'
    export { createRouter } from './src/authorization-server.ts'`
  const WITHOUT = {
    'a server': SERVER,
    'a gate': `export { createProtectedResource, createRemoteGate, defineSite } from './src/index.ts'`,
    'hallpass/policy': `export * from './src/policy.ts'`,
  }
  const words = wordsOfBlocks()
  /** What these three had before there were blocks, in commit 1d4fb50a. */
  const before = new Set([
    ...readSource('test/blocks/words-before.txt').trim().split('\n'),
    // Clients are stored with their method, which says whether they prove who they are.
    'private_key_jwt',
  ])

  it.each(Object.entries(WITHOUT))(
    'leaves no word of its own in %s that does not import it',
    async (_, contents) => {
      const [{ text } = { text: '' }] = (await bundle(contents)).outputFiles
      const left = [...words].filter(([word]) => !before.has(word) && isIn(text, word))
      expect(left).toEqual([])
    },
  )

  it('has words: reasons, members, addresses and names, which a bundle with all blocks has', async () => {
    const all = await bundle(`${SERVER}\nexport * from './src/blocks.ts'`)
    const { text } = all.outputFiles[0]!
    expect([...words].filter(([word]) => !isIn(text, word))).toEqual([])
    const own = [...words.keys()].filter((word) => !before.has(word))
    expect(own).toEqual(
      expect.arrayContaining(['assertion_used_before', 'client_assertion', 'client_secret_basic']),
    )
  })

  it('is the page at a step-up link too [STEP-02]', async () => {
    const PAGE = `${SERVER}
    export { createStepUp } from './src/authorization-server.ts'`
    const [without, having] = [await bundle(SERVER), await bundle(PAGE)]
    for (const word of ['oauth.grant.widened', 'step_up'])
      expect(
        [without, having].map(({ outputFiles }) => outputFiles[0]!.text.includes(word)),
      ).toEqual([false, true])
  })
})

/**
 * The words of the modules that only blocks have, each with its module: names of refusals, parameters and members, addresses
 * and URNs. These are all modules of `blocks`, and of `policy` those whose decisions and tables `hallpass/blocks` exports.
 */
function wordsOfBlocks(): ReadonlyMap<string, string> {
  const decided = parse('blocks.ts').statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return []
    const { exportClause, moduleSpecifier } = statement
    const names = ts.isNamedExports(exportClause!) ? exportClause.elements : []
    const isOfBlock = names.some(({ name }) => /^decide|_REFUSALS$/.test(name.text))
    const [, path] = /^\.\/(policy\/.+)\.js$/.exec((moduleSpecifier as ts.StringLiteral).text) ?? []
    return isOfBlock && path !== undefined ? [`${path}.ts`] : []
  })
  const words = new Map<string, string>()
  for (const path of [...SOURCES.filter((one) => one.startsWith('blocks/')), ...decided]) {
    const add = (text: string): void => {
      for (const [word] of text.matchAll(WORD)) words.set(word, path)
    }
    const read = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
      if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
        return
      if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) add(node.text)
      if (ts.isPropertyAssignment(node) || ts.isBindingElement(node))
        add(node.getChildAt(0).getText())
      ts.forEachChild(node, read)
    }
    read(parse(path))
  }
  return words
}
const WORD =
  /urn:[\w:-]+\w|(?<![\w.])\/(?:api|oauth|\.well-known)\/[\w/-]+|(?<!\w)[a-z][a-z\d]*(?:_[a-z\d]+)+(?!\w)/g

const isIn = (text: string, word: string): boolean =>
  new RegExp(`(?<![\\w])${word.replaceAll('.', '\\.')}(?!\\w)`).test(text)

describe('the packages next to the library', () => {
  const { exports } = JSON.parse(readSource('package.json')) as { exports: object }

  it.each(SIBLINGS)('see of it only its entries, and what they name as peers: %s', (name) => {
    const manifest = JSON.parse(readSource(`packages/${name}/package.json`)) as {
      peerDependencies?: object
      dependencies?: object
      bin?: string
    }
    const { peerDependencies = {}, dependencies = {}, bin } = manifest
    // An audit knows nothing of the library: it is for the servers of others too.
    const isForLibrary = 'hallpass' in peerDependencies
    const allowed = new Set([
      ...(isForLibrary ? Object.keys(exports).map((key) => `hallpass${key.slice(1)}`) : []),
      ...Object.keys(peerDependencies),
      ...Object.keys(dependencies),
      // Its examples import it.
      name,
    ])
    const files = readdirSync(`${ROOT}packages/${name}/src`, { recursive: true, encoding: 'utf8' })
    const specifiers = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [
          ...readSource(`packages/${name}/src/${file}`).matchAll(
            /^(?:import|export) [^;]*?from '([^']+)'/gm,
          ),
        ].map(([, specifier]) => specifier!),
      )
    expect(specifiers.includes('hallpass')).toBe(isForLibrary)
    // Only a package with a command runs nowhere but on Node.
    const own =
      bin === undefined
        ? /^\.{1,2}\/[\w./-]+\.js$/
        : /^(?:\.{1,2}\/[\w./-]+\.js|node:\w+(?:\/\w+)?)$/
    expect(specifiers.filter((one) => !allowed.has(one) && !own.test(one))).toEqual([])
  })
})

describe('a module', () => {
  it('only declares: no statement runs when it is imported', () => {
    const isDeclaration = (statement: ts.Statement): boolean =>
      ts.isImportDeclaration(statement) ||
      ts.isExportDeclaration(statement) ||
      ts.isVariableStatement(statement) ||
      ts.isDeclarationStatement(statement)
    const running = SOURCES.flatMap((path) =>
      parse(path)
        .statements.filter((statement) => !isDeclaration(statement))
        .map((statement) => `${path}: ${statement.getText()}`),
    )
    expect(running).toEqual([])
  })

  it('neither logs nor reads the environment', () => {
    const uses = usesOf((text) => /^(?:console|process|globalThis)$/.test(text))
    // The runtime's own SHA-256, where it can be had without an import.
    expect(uses.filter((use) => !use.startsWith('encoding/native.ts: '))).toEqual([])
  })

  it('reads the clock only as the default of an option called now', () => {
    const isDefault = (node: ts.Node): boolean => {
      const owner = ts.findAncestor(node, ts.isArrowFunction)?.parent
      const whole = owner && ts.isParenthesizedExpression(owner) ? owner.parent : owner
      return /^(?:now =|options\.now \?\?) \(?\(\) => Math\.floor\(Date\.now\(\) \/ 1000\)\)?$/.test(
        whole?.getText() ?? '',
      )
    }
    const readsClock = (node: ts.Node): boolean =>
      /^(?:Date\.now|new Date\(\))/.test(node.parent.getText())
    expect(usesOf((text, node) => text === 'Date' && readsClock(node) && !isDefault(node))).toEqual(
      [],
    )
  })

  it('takes chance from the platform generator, except in the store contract', () => {
    const uses = usesOf((text, node) => text === 'random' && /^Math\b/.test(node.parent.getText()))
    expect(uses.filter((use) => !use.startsWith('store-contract/'))).toEqual([])
  })

  it('uses nothing up but by the uses of its request, so that a 503 gives it back', () => {
    const uses = usesOf(
      (text, node) =>
        text === 'useOnce' &&
        ts.isCallExpression(node.parent.parent) &&
        !node.parent.getText().endsWith('.uses.useOnce'),
    )
    const others = uses.filter(
      (use) => !/^(?:http\/uses|store-contract\/|sql\/|postgres\/)/.test(use),
    )
    // A proof is one for one request: who sends another makes another. A turn of a process is of no request.
    expect(
      others.filter((use) => !/^(?:blocks\/dpop|platform\/(?:turns|in-time))\.ts: /.test(use)),
    ).toEqual([])
  })
})

describe('the paths of the endpoints', () => {
  const written = SOURCES.flatMap((source) => {
    const found: (readonly [source: string, path: string])[] = []
    visit(parse(source), (node) => {
      if (!ts.isStringLiteral(node) && !ts.isTemplateLiteralToken(node)) return
      const [path] = /^\/(?:\.well-known|oauth|api|account|mcp)\b[\w./-]*/.exec(node.text) ?? []
      if (path !== undefined) found.push([source, path])
    })
    return found
  })

  it('are written in site/paths.ts and for resources in policy, each once', () => {
    const isInTable = ([source]: readonly [string, string]): boolean =>
      source === 'site/paths.ts' || source === 'policy/resource-indicator.ts'
    const table = written.filter(isInTable).map(([, path]) => path)
    expect(table).toContain(PATHS.interaction)
    expect(table).toHaveLength(new Set(table).size)
    // What the paths of the metadata that belongs to discovery begin with.
    expect(written.filter((one) => !isInTable(one))).toEqual([
      ['clients/attempts/record-attempts.ts', '/.well-known/o'],
    ])
  })

  it('end with the path of their resource, for its metadata', () => {
    const { protectedResourceMetadata, mcpResourceMetadata, accountResourceMetadata } = PATHS
    expect([mcpResourceMetadata, accountResourceMetadata]).toEqual(
      [MCP_PATH, ACCOUNT_PATH].map((path) => protectedResourceMetadata + path),
    )
  })
})

function usesOf(isUse: (text: string, node: ts.Identifier) => boolean): string[] {
  const uses: string[] = []
  for (const path of SOURCES)
    visit(parse(path), (node) => {
      if (ts.isIdentifier(node) && isUse(node.text, node))
        uses.push(`${path}: ${node.parent.getText()}`)
    })
  return uses
}

function bundle(contents: string, external: readonly string[] = []) {
  return build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*', ...external],
    logLevel: 'silent',
    absWorkingDir: ROOT,
  })
}

const TESTING = { path: 'docs/testing.md', text: readSource('docs/testing.md') }

describe('test/support', () => {
  it('has the folders of the table in docs/testing.md, each with a line, and no other file', () => {
    const named = rowsOf(sectionOf(TESTING, '## Where a helper is'))
    const found = readdirSync(join(ROOT, 'test/support'), { withFileTypes: true })
    expect(found.map((one) => `\`${one.name}${one.isDirectory() ? '/' : ''}\``).toSorted()).toEqual(
      named.map(([folder = '']) => folder).toSorted(),
    )
  })
  it('has no hook of its own: a file is loaded once for a worker, so only the first test that loads it would have it', () => {
    const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    const loaded = files.filter((path) =>
      /^(?!\.tmp|.*\bnode_modules\b).*(?<!\.test)\.ts$/.test(path),
    )
    expect(loaded.length).toBeGreaterThan(100)
    expect(
      loaded.filter((path) => /^(?:before|after)(?:Each|All)\(/m.test(readSource(`test/${path}`))),
    ).toEqual([join('support', 'run', 'clean.ts')]) // a setup file, which runs for each test file
  })
})

it('src is written by prettier alone', () => {
  const ignored = SOURCES.filter((path) => readSource(`src/${path}`).includes('prettier-ignore'))
  expect(ignored).toEqual([])
})
