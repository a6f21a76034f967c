import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startChild } from '../../../test/support/processes/child.js'
import { CONTROL_C, CONTROL_D, DOWN, ENTER, startInTerminal, withNpm } from '../../../test/support/processes/terminal.js' // prettier-ignore
import { ROOT } from '../../../test/support/source/root.js'

const COMMAND = `${ROOT}packages/create-hallpass/index.mjs`
const home = mkdtempSync(join(tmpdir(), 'create-hallpass-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The folder that the command runs in: new for each test. */
let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(home, 'in-'))
})

const create = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  startInTerminal([COMMAND, ...args], { cwd, environment })

/** The questions, in their order, each with an answer. Those behind the last are not asked. */
const QUESTIONS = [
  ['Which folder?', `mine${ENTER}`],
  ['Which framework?', ENTER],
  ['What should it serve?', ENTER],
  ['Which database?', ENTER],
] as const

describe('npm create hallpass on a terminal', () => {
  it.each([
    [['mine', '--framework', 'rails'], '--framework must be one of express'],
    [['mine', '--databse', 'sqlite'], 'did you mean --database?'],
    [['mine', '--database'], '--database needs a value'],
    [['mine', '--framework', 'node', '--database', 'postgres'], 'with --framework node, '],
    [['mine', '--framework', 'hono', '--serve', 'agents'], '--serve needs --framework express'],
    [['mine', '--database-url', 'mysql://x'], 'must begin with postgres://'],
    [['mine', '--database', 'postgres', '--yes'], '--database postgres needs --database-url'],
    [['Mine'], 'did you mean mine?'],
    [['taken'], 'is not empty: choose another folder'],
    [['mine', 'express'], 'only after --'],
  ])('ends with the sentence, and asks nothing, for %j', async (args, message) => {
    mkdirSync(join(cwd, 'taken'))
    writeFileSync(join(cwd, 'taken/mine.txt'), 'mine')
    const terminal = create(args)
    expect(await terminal.ended()).toBe(1)
    expect(terminal.screen()).toContain(message)
    expect(terminal.screen().trim()).toMatch(/^create-hallpass: [^\n]+$/)
    expect(readdirSync(cwd)).toEqual(['taken'])
  })

  it.each([
    ...QUESTIONS.map(([question], index) => [CONTROL_C, question, index] as const),
    [CONTROL_D, QUESTIONS[0][0], 0] as const,
  ])('is ended by %j at "%s", and leaves nothing', async (keys, question, index) => {
    const terminal = create(['--no-install'])
    for (const [before, answer] of QUESTIONS.slice(0, index)) await terminal.type(answer, before)
    await terminal.type(keys, question)
    expect(await terminal.ended()).toBe(130)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('is ended by Ctrl+C at the URL of the database', async () => {
    const terminal = create(['mine', '--framework', 'hono', '--database', 'postgres'])
    await terminal.type(CONTROL_C, 'The URL of the database')
    expect(await terminal.ended()).toBe(130)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('asks for what no option says, again where an answer is wrong, and takes the answers', async () => {
    const terminal = create(['--no-install', '--database', 'postgres'])
    await terminal.type(`Mine${ENTER}`, 'Which folder?')
    await terminal.type(`\x7f\x7f\x7f\x7fmine${ENTER}`, 'did you mean mine?')
    await terminal.type(DOWN + ENTER, 'Which framework?')
    await terminal.type(`mysql://x${ENTER}`, 'The URL of the database')
    await terminal.type(`${'\x7f'.repeat(9)}postgres://127.0.0.1/x${ENTER}`, 'must begin with')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).not.toMatch(/node:http|Which database/)
    expect(terminal.screen()).toContain('mine: fastify, postgres')
    expect(readFileSync(join(cwd, 'mine/.env'), 'utf8')).toBe('DATABASE_URL=postgres://127.0.0.1/x\n') // prettier-ignore
  })

  it.each([
    [['mine', '--framework', 'express', '--serve', 'members', '--database', 'memory']],
    [['mine', '--framework', 'workers']],
    [['mine', '--database', 'd1']],
    [['--yes']],
  ])('asks nothing for %j', async (args) => {
    const terminal = create([...args, '--no-install'])
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).not.toMatch(/Which|What/)
    expect(terminal.screen().trim().split('\n').at(-1)).toMatch(
      /^Next: cd (?:mine|my-school) && npm install && npm start, then open http:\/\/127\.0\.0\.1:3000$/,
    )
  })
})

/** An npm that warns, and a server that says where it is. */
const NPM = `case $1 in
  install)
    echo 'npm http fetch GET 200 https://packages.example/express/-/express-5.3.0.tgz 12ms (cache miss)' >&2
    echo 'npm warn install-scripts 1 package has install scripts' >&2
    while [ -e ../wait ]; do sleep 0.05; done
    echo 'added 106 packages in 6s';;
  start) echo 'School at http://127.0.0.1:6400';;
esac`
const ARGS = ['mine', '--yes', '--framework', 'node', '--database', 'memory']

describe('the installation', () => {
  const npm = (script: string): Readonly<Record<string, string>> => ({
    ...withNpm(join(home, `npm-${script.length}`), script),
    PORT: '6400',
  })

  it('shows what arrives and for how long, then what npm says, then what to do next', async () => {
    writeFileSync(join(cwd, 'wait'), '')
    const terminal = create([...ARGS, '--no-start'], npm(NPM))
    await terminal.type('', '1 package, express')
    rmSync(join(cwd, 'wait'))
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).toMatch(/Installing … \d+ s, 1 package, express/)
    expect(terminal.screen()).not.toContain('npm http')
    expect(terminal.screen().trim().split(/\r*\n/).slice(-3)).toEqual([
      expect.stringMatching(/npm warn install-scripts 1 package has install scripts$/),
      'added 106 packages in 6s',
      'Next: cd mine && npm start, then open http://127.0.0.1:6400',
    ])
  })

  it('is plain lines without a terminal', async () => {
    const { output, ended } = startChild(process.execPath, [COMMAND, ...ARGS], {
      cwd,
      environment: npm(NPM),
    })
    expect(await ended).toBe(0)
    expect(output().split('\n')).toEqual([
      '',
      `Created ${join(cwd, 'mine')}: node, memory`,
      'Installing …',
      'npm warn install-scripts 1 package has install scripts',
      'added 106 packages in 6s',
      'Next: open http://127.0.0.1:6400, which starts now. Ctrl+C stops it.',
      '',
      'School at http://127.0.0.1:6400',
      '',
      'Next: cd mine && npm start, then open http://127.0.0.1:6400',
      '',
    ])
  })

  it('can be stopped, and says how it goes on', async () => {
    writeFileSync(join(cwd, 'wait'), '')
    const terminal = create(ARGS, npm(NPM))
    await terminal.type(CONTROL_C, '1 package, express')
    expect(await terminal.ended()).toBe(130)
    expect(terminal.screen().trim()).toMatch(/Stopped\. Next: cd mine && npm install$/)
  })

  it('shows what npm says if it fails', async () => {
    const terminal = create(ARGS, npm('echo "npm error no such package" >&2; exit 1'))
    expect(await terminal.ended()).toBe(1)
    expect(terminal.screen()).toMatch(
      /npm error no such package\s+create-hallpass: npm install failed: see above, then run it again: cd mine && npm install\s*$/,
    )
  })

  it('begins only what this Node can run', async () => {
    const { output, ended } = startChild(
      process.execPath,
      [COMMAND, 'mine', '--yes', '--database', 'sqlite'],
      { cwd, environment: npm(NPM) },
    )
    const isOld = process.versions.node.startsWith('20.')
    expect(await ended).toBe(isOld ? 1 : 0)
    const refusal = `with --database sqlite, the server needs Node 22.13 or later, and this is ${process.versions.node}: choose embedded or postgres, or add --no-start\n`
    expect(output().endsWith(refusal)).toBe(isOld)
    expect(readdirSync(cwd)).toEqual(isOld ? [] : ['mine'])
  })

  it('says how to start the server again if it fails, or npm is not there', async () => {
    const failing = create(ARGS, npm('[ "$1" = install ]'))
    expect(await failing.ended()).toBe(1)
    expect(failing.screen()).toContain('npm start failed: see above, then run it again: cd mine && npm start') // prettier-ignore
    rmSync(join(cwd, 'mine'), { recursive: true })
    const without = startChild(process.execPath, [COMMAND, ...ARGS], { cwd, environment: { PATH: home } }) // prettier-ignore
    expect(await without.ended).toBe(1)
    expect(without.output()).toContain('create-hallpass: npm cannot be started: ')
  })
})
