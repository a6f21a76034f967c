import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { readArguments } from '../arguments.mjs'
import { FRAMEWORKS } from '../project.mjs'
import { ROOT } from '../../../test/support/source/root.js'

const home = mkdtempSync(join(tmpdir(), 'create-hallpass-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const read = (...path: string[]): string => readFileSync(join(home, ...path), 'utf8')
const manifestOf = (name: string): Record<string, unknown> =>
  JSON.parse(read(name, 'package.json')) as Record<string, unknown>

/** Runs the command without a terminal, in a folder of its own. */
const create = (...args: readonly string[]): Promise<{ stdout: string }> =>
  promisify(execFile)(
    process.execPath,
    [`${ROOT}packages/create-hallpass/index.mjs`, ...args, '--no-install'],
    { cwd: home },
  )

describe('the command line', () => {
  it.each([
    [['--framework', 'expres'], /not "expres": did you mean express\?$/],
    [['--databse', 'sqlite'], /^there is no option --databse: did you mean --database\?$/],
    [['--framework', 'node', '--database', 'sqlte'], /did you mean sqlite\?$/],
  ])('names the word that was probably meant: %j [CREATE-01]', (args, message) => {
    expect(() => readArguments(['new', ...args])).toThrow(message)
  })

  it('leaves the frameworks that fit it', () => {
    const of = (...args: readonly string[]) => readArguments(args).frameworks
    expect(of()).toEqual(Object.keys(FRAMEWORKS))
    expect(of('--database', 'd1')).toEqual(['workers'])
    expect(of('--database-url', 'postgres://x')).toEqual(['express', 'fastify', 'hono'])
    expect(of('--serve', 'agents')).toEqual(['express'])
    expect(of('--schools', '--database', 'embedded')).toEqual(['schools'])
  })
})

const HAS_SQLITE = !process.versions.node.startsWith('20.')
/** A file of the examples, as a project has it. */
const store = (file: string): string =>
  readFileSync(`${ROOT}examples/store/${file}`, 'utf8').replaceAll('../common/', './')

describe('npm create hallpass', () => {
  it('creates by default a server on Express with tools for agents', async () => {
    const { version } = JSON.parse(
      readFileSync(`${ROOT}packages/create-hallpass/package.json`, 'utf8'),
    ) as {
      version: string
    }
    await create('first', '--yes')
    expect(manifestOf('first')).toMatchObject({
      name: 'first',
      private: true,
      scripts: {
        start: 'node --env-file=start.env --import ./run.mjs --import ./port.js server.js',
        password: 'node --env-file=start.env --import ./run.mjs ./password.js',
        typecheck: 'tsc',
      },
      dependencies: { express: expect.any(String), hallpass: `^${version}` },
    })
    expect(readdirSync(join(home, 'first'))).toEqual(
      expect.arrayContaining(['.gitignore', 'README.md', 'server.ts', 'tools.ts', 'tsconfig.json']),
    )
  })

  it('says what to type also where a folder has a space in its name', async () => {
    const { stdout } = await create('My Files/school', '--yes')
    expect(stdout).toContain(
      'Next: cd "My Files/school" && npm install && npm start, then open http',
    )
  })

  it('has the version of the library', () => {
    const [library, command] = ['package.json', 'packages/create-hallpass/package.json'].map(
      (path) => (JSON.parse(readFileSync(ROOT + path, 'utf8')) as { version: string }).version,
    )
    expect(command).toBe(library)
  })

  it.each([
    [['--framework', 'express', '--serve', 'server'], 'server'],
    [['--framework', 'express', '--serve', 'members'], 'members'],
    [['--framework', 'fastify'], 'fastify'],
    [['--framework', 'hono'], 'hono'],
    [['--framework', 'node'], 'minimal'],
  ])('copies the example: %j, %s', async (args, example) => {
    await create(`as-${example}`, '--yes', ...args)
    const program = readFileSync(`${ROOT}examples/${example}/server.ts`, 'utf8')
    expect(read(`as-${example}`, 'server.ts')).toBe(program.replaceAll('../common/', './'))
  })

  it.each([
    [
      'fastify',
      [
        'address',
        'health',
        'home',
        'pages',
        'password',
        'people',
        'port',
        'store',
        'style',
        'try-it',
      ].concat(HAS_SQLITE ? ['backup', 'data'] : []),
    ],
    ['workers', ['home', 'pages', 'style', 'try-it']],
    ['node', []],
  ])('puts what the examples share beside the rest: %s', async (framework, shared) => {
    await create(`beside-${framework}`, '--yes', '--framework', framework)
    const files = readdirSync(join(home, `beside-${framework}`)).filter((name) =>
      name.endsWith('.ts'),
    )
    const own = framework === 'workers' ? 'worker.ts' : 'server.ts'
    expect(files).toEqual([...shared.map((name) => `${name}.ts`), own].sort())
  })

  it.each([
    ['express', HAS_SQLITE ? '>=22.13.0' : '>=20.19.0'],
    ['node', HAS_SQLITE ? '>=22.13.0' : '>=20.19.0'],
    ['workers', '>=20.19.0'],
  ])('takes for %s the database that this Node has by default', async (framework, node) => {
    await create(`default-${framework}`, '--yes', '--framework', framework)
    expect(manifestOf(`default-${framework}`)).toMatchObject({ engines: { node } })
    if (framework === 'express')
      expect(read('default-express', 'store.ts')).toBe(
        store(HAS_SQLITE ? 'sqlite.ts' : 'postgres.ts'),
      )
  })

  it('marks in its help what this Node cannot run, and names what the server reads', async () => {
    const { stdout } = await create('--help')
    const [express, small] = HAS_SQLITE
      ? ['sqlite, memory, embedded, postgres', 'sqlite, memory']
      : ['embedded, postgres, sqlite*, memory*', 'memory, sqlite*']
    expect(stdout).toContain(`--database <where>     ${express}\n`)
    expect(stdout).toContain(`with --framework node: ${small}\n`)
    expect(stdout.includes('* needs Node 22.13 or later')).toBe(!HAS_SQLITE)
    expect(stdout).toContain('HOST (0.0.0.0 in a container)')
  })

  it.each([
    ['express', 'server'],
    ['express', 'members'],
    ['express', 'agents'],
    ['fastify', null],
    ['hono', null],
    ['node', null],
  ])(
    'keeps the data of %s, serving %s, in SQLite, without the packages of PostgreSQL',
    async (framework, serve) => {
      const name = `sqlite-${framework}-${serve}`
      const what = serve === null ? [] : ['--serve', serve]
      const args = ['--framework', framework, ...what, '--database', 'sqlite']
      const { stdout } = await create(name, '--yes', ...args)
      const note = `It needs Node 22.13 or later to start, and this is ${process.versions.node}.`
      expect(stdout.includes(note)).toBe(!HAS_SQLITE)
      // The server in one file opens its own.
      if (framework !== 'node') expect(read(name, 'store.ts')).toBe(store('sqlite.ts'))
      const { dependencies, devDependencies, engines } = manifestOf(name) as Readonly<
        Record<string, Readonly<Record<string, string>>>
      >
      expect(Object.keys({ ...dependencies, ...devDependencies }).join()).not.toMatch(/pg/)
      if (framework !== 'node') expect(devDependencies!['@types/node']).toBe('^22.13.0')
      expect(engines).toEqual({ node: '>=22.13.0' })
      expect(read(name, 'README.md')).toContain('That needs Node 22.13 or later.')
      expect(readdirSync(join(home, name))).not.toContain('.env')
      expect(readdirSync(join(home, name)).includes('backup.ts')).toBe(framework !== 'node')
    },
  )

  it.each([
    ['express', { esbuild: false }],
    ['workers', { esbuild: false, workerd: false }],
  ])('lets no package of %s run a script at its installation', async (framework, allowScripts) => {
    await create(`scripts-${framework}`, '--yes', '--framework', framework)
    expect(manifestOf(`scripts-${framework}`)).toMatchObject({ allowScripts })
  })

  it('keeps data in an embedded PostgreSQL', async () => {
    await create('embedded', '--yes', '--database', 'embedded')
    expect(read('embedded', 'store.ts')).toBe(store('postgres.ts'))
    expect(read('embedded', 'README.md')).toContain(
      'while the server is stopped, `npm run password',
    )
    expect(manifestOf('embedded')).toMatchObject({
      engines: { node: '>=20.19.0' },
      dependencies: { pg: expect.any(String), '@electric-sql/pglite': expect.any(String) },
      scripts: {
        start: 'node --env-file=start.env --import ./run.mjs --import ./port.js server.js',
      },
    })
  })

  it.each([
    ['node', '>=20.19.0', 'node --env-file=.env --import tsx server.ts'],
    [
      'hono',
      '>=22.13.0',
      'node --env-file=start.env --env-file=.env --import ./run.mjs --import ./port.js server.js',
    ],
  ])('keeps the data of %s in memory', async (framework, node, start) => {
    const name = `memory-${framework}`
    await create(name, '--yes', '--framework', framework, '--database', 'memory')
    expect(read(name, '.env')).toBe('HALLPASS_DATA_DIR=\n')
    expect(read(name, 'README.md')).toContain('Data is in memory: a restart loses everything.')
    // No command can reach users in the memory of a server.
    expect(read(name, 'README.md')).not.toContain('npm run password')
    expect(manifestOf(name)).toMatchObject({ engines: { node }, scripts: { start } })
  })

  it.each([
    ['embedded', 'In the folder, `npm run school` needs the server to be stopped.'],
    ['sqlite', 'Data is in `.data/school.db`'],
  ])('creates a platform of many schools with %s', async (database, sentence) => {
    const name = `schools-${database}`
    await create(name, '--yes', '--schools', '--database', database)
    for (const file of ['platform.ts', 'schools.ts', 'people.ts', 'schools.test.ts', 'try-it.ts'])
      expect(readdirSync(join(home, name))).toContain(file)
    // They know the tables of one school.
    for (const file of ['backup.ts', 'password.ts', 'home.ts'])
      expect(readdirSync(join(home, name))).not.toContain(file)
    expect(read(name, 'people.ts')).toContain('where school = $1')
    const { scripts } = manifestOf(name)
    expect(scripts).toEqual({
      start: 'node --env-file=start.env --import ./run.mjs --import ./port.js server.js',
      school: 'node --env-file=start.env --import ./run.mjs school.js',
      test: 'node --import tsx --test schools.test.ts',
      typecheck: 'tsc',
      build: 'tsc --noEmit false',
    })
    expect(read(name, 'README.md')).toContain(sentence)
    expect(read(name, 'README.md')).toContain('npm run school -- pottery')
    expect(read(name, 'README.md')).not.toMatch(/backup|\bDATA\b/)
  })

  it('binds D1 to a worker', async () => {
    await create('worker', '--yes', '--framework', 'workers', '--database', 'd1')
    expect(read('worker', 'wrangler.jsonc')).toContain('"binding": "DB"')
    expect(read('worker', 'worker.ts')).toContain('fromD1(env.DB)')
    // Wrangler reads secrets from the first, and keeps data in the second.
    expect(read('worker', '.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['.data/', '.env', '.dev.vars', '.wrangler/']),
    )
  })

  it('imports nothing from outside of the project', async () => {
    for (const [framework, ...databases] of [
      ['express', 'sqlite', 'embedded'],
      ['node', 'sqlite'],
      ['workers', 'd1'],
      ['schools', 'embedded'],
    ] as const)
      for (const database of databases) {
        const name = `own-${framework}-${database}`
        const what = framework === 'schools' ? ['--schools'] : ['--framework', framework]
        await create(name, '--yes', ...what, '--database', database)
        for (const file of readdirSync(join(home, name)).filter((path) => path.endsWith('.ts')))
          expect(read(name, file), file).not.toMatch(/(?:from|import\() ?'\.\.\//)
      }
  })

  it('keeps the URL of a database in a file that only its owner reads', async () => {
    const url = 'postgres://school:secret@127.0.0.1:5432/school'
    await create('own-database', '--yes', '--database', 'postgres', '--database-url', url)
    expect(read('own-database', '.env')).toBe(`DATABASE_URL=${url}\n`)
    expect(statSync(join(home, 'own-database', '.env')).mode & 0o777).toBe(0o600)
    expect(read('own-database', '.gitignore')).toContain('.env')
    expect(manifestOf('own-database')).toMatchObject({
      scripts: {
        start:
          'node --env-file=start.env --env-file=.env --import ./run.mjs --import ./port.js server.js',
        password: 'node --env-file=start.env --env-file=.env --import ./run.mjs ./password.js',
      },
    })
  })

  it.each([
    [
      ['Upper'],
      '"Upper" cannot name a package: use lower-case letters, digits and hyphens: did you mean upper?',
    ],
    [['My School!'], 'did you mean my-school?'],
    [['taken'], 'is not empty: choose another folder'],
    [
      ['new', 'fastify'],
      'only one folder can be named, not new, fastify: npm passes options on only after --',
    ],
    [
      ['new', '--framework', 'rails'],
      '--framework must be one of express, fastify, hono, node, workers, not "rails"\n',
    ],
    [['new', '--framework', 'expres'], 'not "expres": did you mean express?\n'],
    [['new', '--framework', 'Hnoo'], 'not "Hnoo": did you mean hono?\n'],
    [['new', '--framework', 'hon'], 'not "hon": did you mean hono?\n'],
    [['new', '--framework', 'h'], 'not "h"\n'],
    [['new', '--framework', 'constructor'], 'not "constructor"\n'],
    [
      ['new', '--serve', 'memebrs'],
      '--serve must be one of agents, members, server, not "memebrs": did you mean members?\n',
    ],
    [['new', '--framework', 'hono', '--serve', 'agents'], '--serve needs --framework express'],
    [['new', '--schools', '--framework', 'hono'], 'on node:http: leave out --framework\n'],
    [['new', '--schools', '--serve', 'server'], 'on node:http: leave out --serve\n'],
    [['new', '--schools', '--database', 'memory'], 'with --schools, --database must be one of '],
    [['new', '--schools=yes'], '--schools takes no value, not "yes"\n'],
    [['new', '--database', 'sqlite3'], 'not "sqlite3": did you mean sqlite?\n'],
    [['new', '--database', 'postgresql'], 'not "postgresql": did you mean postgres?\n'],
    [['new', '--database', 'postgres'], '--database postgres needs --database-url postgres://'],
    [
      ['new', '--database-url', 'mysql://x'],
      '--database-url: the URL of the database must begin with postgres://',
    ],
    [
      ['new', '--database', 'sqlite', '--database-url', 'postgres://x'],
      '--database-url is for --database postgres, not sqlite',
    ],
    [
      ['new', '--framework', 'node', '--database', 'postgres'],
      'with --framework node, --database must be one of ',
    ],
    [
      ['new', '--framework', 'workers', '--database', 'sqlite'],
      'with --framework workers, --database must be one of d1, not "sqlite"\n',
    ],
    [
      ['new', '--framework', 'fastify', '--database', 'embeded'],
      'not "embeded": did you mean embedded?\n',
    ],
    [
      ['new', '--serve', 'server', '--database', 'd1'],
      'with --framework express, --database must be one of ',
    ],
    [['new', '--databse', 'sqlite'], 'there is no option --databse: did you mean --database?\n'],
    [['new', '--colour'], 'there is no option --colour: --help lists them\n'],
    [['new', '-q'], 'there is no option -q: --help lists them\n'],
    [['new', '--framework'], '--framework needs a value: see --help\n'],
    [['new', '--framework='], '--framework needs a value: see --help\n'],
    [['new', '--database', '--no-start'], '--database needs a value: see --help\n'],
    [['new', '--no-install=no'], '--no-install takes no value, not "no"\n'],
  ])('writes nothing for %j', async (args, message) => {
    const taken = join(home, 'taken')
    mkdirSync(taken, { recursive: true })
    writeFileSync(join(taken, 'mine.txt'), 'mine')
    const before = [readdirSync(home), readdirSync(taken)]
    await expect(create(...args, '--yes')).rejects.toThrow(message)
    expect([readdirSync(home), readdirSync(taken)]).toEqual(before)
  })
})
