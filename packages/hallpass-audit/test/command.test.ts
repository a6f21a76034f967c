import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AuditReport,
  auditServer,
  type AuditServerOptions,
  CHECKS,
  clientDocuments,
  renderReport,
  selectChecks,
} from 'hallpass-audit'
import { afterAll, describe, expect, it } from 'vitest'
import { loadSignIn } from '../src/command/load-sign-in.js'
import { createProgress } from '../src/command/progress.js'
import { runCommand } from '../src/command/run.js'
import { createHttp } from '../src/engine/http.js'
import { requirePermission } from '../src/engine/permission.js'
import { openServer } from '../../../test/support/http/open-server.js'
import { startChild } from '../../../test/support/processes/child.js'
import { startInTerminal } from '../../../test/support/processes/terminal.js'
import { ROOT } from '../../../test/support/source/root.js'
import { fixedReport, reportOf, row } from './fixed-report.js'

const ORIGIN = 'http://127.0.0.1:3000'
const folder = mkdtempSync(join(tmpdir(), 'hallpass-audit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const inFolder = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(inFolder(name), 'utf8')
function write(name: string, content: unknown): string {
  writeFileSync(inFolder(name), typeof content === 'string' ? content : JSON.stringify(content))
  return name
}

/** What the command did. */
interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What the audit was asked for; `null` if none began. */
  readonly asked: { readonly origin: string; readonly options: AuditServerOptions } | null
}

interface Around {
  readonly report?: AuditReport
  readonly audit?: (origin: string, options: AuditServerOptions) => Promise<AuditReport>
  /** Columns of a terminal. Default: a pipe. */
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Runs the command in this process, by default with an audit that finds one report. */
async function command(
  args: readonly string[],
  {
    report = fixedReport,
    audit,
    columns,
    env = {},
    signal = new AbortController().signal,
  }: Around = {},
): Promise<Ran> {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => void (written[name] += text),
    ...(columns !== undefined && { isTTY: true, columns }),
  })
  let asked: Ran['asked'] = null
  const found = async (origin: string, options: AuditServerOptions): Promise<AuditReport> => {
    asked = { origin, options }
    if (audit !== undefined) return audit(origin, options)
    options.onBegin?.(selectChecks({}, 'people').checks, () => report.created)
    for (const one of report.rows) options.onRow?.(one)
    return report
  }
  const around = { stdout: output('stdout'), stderr: output('stderr'), env, cwd: folder, signal }
  const code = await runCommand(args, { ...around, audit: found })
  return { code, ...written, asked }
}

/** The sentence on standard error, in one line. */
const sentence = ({ stderr }: Ran): string => stderr.trim().replaceAll('\n', ' ')

const HELD = reportOf([
  row('pkce/s256-named', 'held'),
  row('pkce/plain-not-named', 'not applicable'),
])
const UNREACHED = reportOf([
  row('pkce/s256-named', 'held'),
  row('pkce/wrong-verifier', 'not reached'),
])

describe('the exit code', () => {
  it.each([
    ['0 if all rows are held or not applicable', HELD, 0],
    ['3 if a row was not reached, which is not the same', UNREACHED, 3],
    ['1 if a row is violated, whatever else there is', fixedReport, 1],
  ])('is %s', async (_, report, code) => {
    expect((await command([ORIGIN], { report })).code).toBe(code)
  })

  it.each<readonly [readonly string[], string]>([
    [[], 'name the issuer of the server, such as http://127.0.0.1:3000'],
    [[''], 'name the issuer of the server, such as http://127.0.0.1:3000'],
    [[ORIGIN, 'http://b.example'], `name one issuer, not 2: ${ORIGIN} http://b.example`],
    [[ORIGIN, '--dept', 'people'], 'there is no option --dept: did you mean --depth?'],
    [[ORIGIN, '--signin', 'a.mjs'], 'there is no option --signin: did you mean --sign-in?'],
    [[ORIGIN, '--everything'], 'there is no option --everything: --help lists them'],
    [[ORIGIN, '-x'], 'there is no option -x: --help lists them'],
    [[ORIGIN, '--format', 'html'], 'there is no option --format: write --report html=audit.html'],
    [[ORIGIN, '--yes'], 'there is no option --yes: nothing is asked, so leave it out'],
    [[ORIGIN, '--constructor'], 'there is no option --constructor: --help lists them'],
    [[ORIGIN, '--depth', 'pasive'], '--depth takes passive, anonymous, people, not "pasive": did you mean passive?'],
    [['--write-client-documents', 'public'], '--write-client-documents needs --client-document: the URL that client.json will have'],
    [[ORIGIN, '--depth', 'people'], '--depth people needs --sign-in, which says how people sign in'],
    [[ORIGIN, '--depth'], '--depth needs a value: --help says which'],
    [[ORIGIN, '--token', '--list'], '--token needs a value: --help says which'],
    [[ORIGIN, '--list=all'], '--list takes no value, not "all"'],
    [[ORIGIN, '--timeout', '10000'], '--timeout takes 0.1 to 600 seconds, not "10000"'],
    [[ORIGIN, '--timeout', '10s'], '--timeout takes 0.1 to 600 seconds, not "10s"'],
    [[ORIGIN, '--pause', '200'], '--pause takes 0 to 60 seconds, not "200"'],
    [[ORIGIN, '--most', '1.5'], '--most takes 1 to 1000000 requests, not "1.5"'],
    [[ORIGIN, '--patient', '0'], '--patient takes 1 to 120 minutes, not "0"'],
    [[ORIGIN, '--patient'], '--patient needs a value: --help says which'],
    [[ORIGIN, '--report', 'htm=a.html'], '--report takes terminal, markdown, json, sarif, html, not "htm": did you mean html?'],
    [[ORIGIN, '--report', 'html='], '--report html= names no file: write --report html=audit.html'],
    [[ORIGIN, '--report', 'json', '--report', 'sarif'], 'one report can be printed, not json and sarif: name a file for the others, as in --report sarif=FILE'],
    [[ORIGIN, '--report', 'html=a', '--report', 'json=a'], 'a is named twice: give each report a file'],
    [[ORIGIN, '--report', 'json=a', '--write-baseline', 'a'], 'a is named twice: give each report a file'],
    [[ORIGIN, '--report', 'html=.'], '. cannot be written: it is a folder'],
    [[ORIGIN, '--report', 'html=none/a.html'], 'none/a.html cannot be written: there is no folder '],
    [[ORIGIN, '--write-baseline', 'none/a.json'], 'none/a.json cannot be written: there is no folder '],
    [[ORIGIN, '--baseline', 'none.json'], '--baseline none.json cannot be read: ENOENT'],
    [[ORIGIN, '--sign-in', 'none.mjs'], 'there is no file none.mjs: --sign-in names a module'],
  ])('is 2 before anything was sent, with one sentence: %j', async (args, message) => {
    const ran = await command(args)
    expect(sentence(ran)).toContain(`hallpass-audit: ${message}`)
    expect([ran.code, ran.asked, ran.stdout]).toEqual([2, null, ''])
  })

  it.each<readonly [readonly string[], string]>([
    [['ftp://school.example'], 'ftp://school.example is not an issuer such as https://school.example'],
    [['unix:/run/school'], 'unix:/run/school is not an issuer such as https://school.example'],
    [['school.example/a'], 'school.example/a has no scheme: name https://school.example/a'],
    [['localhost:3000'], 'localhost:3000 has no scheme: name http://localhost:3000'],
    [['https://me:secret@school.example/a/'], 'an issuer has no user name and no password: name https://school.example/a'],
    [['http://0.0.0.0:3000'], 'http://0.0.0.0:3000 is every address of a computer: name http://127.0.0.1:3000'],
    [['https://school.example/?a'], 'https://school.example/?a has a query or a fragment: name https://school.example'],
    [[ORIGIN, '--only', 'pkse'], 'no check is named pkse: did you mean pkce?'],
    [[ORIGIN, '--only', 'pkce/wrong-verifyer'], 'no check is named pkce/wrong-verifyer: did you mean pkce/wrong-verifier?'],
    [[ORIGIN, '--only', 'nothing-of-the-kind'], 'no check is named nothing-of-the-kind: subjects are '],
    [[ORIGIN, '--only', 'pkce/wrong-verifier'], 'no check runs at the depth anonymous: 1 check needs a sign-in'],
    [[ORIGIN, '--only', 'code', '--depth', 'passive'], 'no check runs at the depth passive: '],
    [[ORIGIN, '--only', 'patient/code', '--depth', 'passive'], 'no check runs: patient/code waits until something has expired, which needs `patient` or --patient'],
    [['https://school.example'], 'https://school.example is on another computer. To prove that it is yours, serve a text of at least 16 characters at https://school.example/.well-known/hallpass-audit, and name it with --token'],
    [['https://school.example', '--token', 'short'], 'https://school.example is on another computer.'],
  ])('is 2 if the audit refuses to begin: %j', async (args, message) => {
    const ran = await command(args, { audit: auditServer })
    expect(sentence(ran)).toContain(`hallpass-audit: ${message}`)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
  })
}) // prettier-ignore

describe('a server on another computer', () => {
  const ELSEWHERE = 'https://school.example'
  const paths: string[] = []
  const serves = (text: string, status = 200) =>
    createHttp({
      handler: ({ url }) => {
        paths.push(new URL(url).pathname)
        return new Response(text, { status })
      },
      origins: new Set([ELSEWHERE]),
      pause: 0,
      timeout: 1000,
      most: 10,
    })

  it('is audited if it serves the token', async () => {
    const token = 'sixteen-letters-or-more'
    await requirePermission(serves(`${token}\n`), [ELSEWHERE], token)
    // Nothing else is sent before.
    expect(paths).toEqual(['/.well-known/hallpass-audit'])
    for (const http of [serves(`${token}-2`), serves(''), serves(token, 404)])
      await expect(requirePermission(http, [ELSEWHERE], token)).rejects.toThrow(
        'https://school.example/.well-known/hallpass-audit (',
      )
    await expect(requirePermission(serves('short'), [ELSEWHERE], 'short')).rejects.toThrow(
      'serve a text of at least 16 characters',
    )
  })
})

describe('the command', () => {
  it('says before the first check what it will create', async () => {
    const ran = await command([ORIGIN], { columns: 100, audit: async (_, options) => {
      options.onBegin?.(selectChecks({}, 'people').checks, () => ({ clients: 0, authorizations: 0 }))
      throw new Error('that was before the first check')
    } }) // prettier-ignore
    expect(sentence(ran)).toMatch(/hallpass-audit \d+\.\d+\.\d+ runs [\d,]+ checks against http:\/\/127\.0\.0\.1:3000, at the depth anonymous\. It registers at most \d+ clients and answers at most \d+ authorization requests as two people, each of which may leave a grant\. At its end it removes what the server lets it remove, and nothing that was there before\./) // prettier-ignore
    const passive = await command([ORIGIN, '--depth', 'passive', '--patient', '15'], { audit: async (_, options) => {
      options.onBegin?.(selectChecks({ only: ['pkce'] }, 'passive').checks, () => ({ clients: 0, authorizations: 0 }))
      return HELD
    } }) // prettier-ignore
    expect(sentence(passive)).toContain(
      'It waits up to 15 minutes until something has expired. It creates nothing, and deletes nothing',
    )
  })

  it('passes on what it was given', async () => {
    const signIn = write('one.mjs', `export default { people: [{ email: 'a', password: 'b' }] }`)
    const url = 'https://audit.example/client.json'
    const args = [ORIGIN, '--sign-in', signIn, '--only', 'pkce,code/used-twice', '--only', 'token', '--client-document', url, '--token', 'sixteen-letters-or-more', '--origin', 'http://127.0.0.1:3001', '--origin', 'http://127.0.0.1:3002', '--timeout', '30', '--pause', '0.5', '--most', '500', '--patient', '15'] // prettier-ignore
    const { asked } = await command(args)
    expect(asked!.origin).toBe(ORIGIN)
    expect(asked!.options).toMatchObject({
      depth: 'people',
      only: ['pkce', 'code/used-twice', 'token'],
      clientDocument: url,
      token: 'sixteen-letters-or-more',
      otherOrigins: ['http://127.0.0.1:3001', 'http://127.0.0.1:3002'],
      timeout: 30_000,
      pause: 500,
      most: 500,
      patient: 15,
      signIn: { people: [{ email: 'a', password: 'b' }] },
    })
    expect((await command([ORIGIN])).asked!.options.depth).toBe('anonymous')
    expect((await command([ORIGIN, '--depth', 'passive', '--sign-in', signIn])).asked!.options.depth).toBe('passive') // prettier-ignore
  })

  it.each([
    ['throws.mjs', `throw new Error('AUDIT_PASSWORD is missing')`, 'AUDIT_PASSWORD is missing'],
    ['text.mjs', `throw 'a text'`, 'it throws a text'],
    ['imports.mjs', `import './not-there.mjs'`, 'Cannot find module'],
    ['none.mjs', `export const people = []`, `it must have a default export, such as export default { people: [{ email: 'ines@school.example', password: '…' }] }`],
    ['promise.mjs', `export default async () => ({})`, 'it must have a default export, such as'],
    ['empty.mjs', `export default {}`, 'people must have one or two people, as in export default'],
    ['nobody.mjs', `export default { people: [] }`, 'people must have one or two people'],
    ['three.mjs', `export default { people: [{}, {}, {}] }`, 'people must have one or two people'],
    ['numbers.mjs', `export default { people: [{ email: 1 }] }`, 'people[0].email is number, and must be a text'],
    ['unset.mjs', `export default { people: [{}, { password: process.env.NOT_SET }] }`, 'people[1].password is undefined, and must be a text: is a variable of the environment missing?'],
    ['unset-too.mjs', `export default { people: [{ password: '' }] }`, 'people[0].password is empty, and must be a text: is a variable of the environment missing?'],
    ['scopes.mjs', `export default { people: [{}], scopes: 'a' }`, 'there is no scopes in a sign-in: did you mean scope?'],
    ['everything.mjs', `export default { people: [{}], everything: 'a' }`, 'there is no everything in a sign-in'],
    ['clients.mjs', `export default { people: [{}], clients: { first: { client_id: 'a' } } }`, 'clients.first.redirect_uri is undefined, and must be a text'],
    ['client.mjs', `export default { people: [{}], clients: { first: 'a' } }`, 'clients.first must be an object'],
    ['endpoints.mjs', `export default { people: [{}], endpoints: 'a' }`, 'endpoints must be an object'],
    ['member.mjs', `export default { people: [{}], member: { person: {} } }`, 'member.client must be an object'],
    ['vendor.mjs', `export default { people: [{}], vendor: { name: 'a' } }`, 'vendor.client_id is undefined'],
    ['surfaces.mjs', `export default { people: [{}], surfaces: '/courses' }`, `surfaces must be a list such as [{ path: '/courses' }]`],
    ['surface.mjs', `export default { people: [{}], surfaces: ['/courses'] }`, 'surfaces[0] must be an object'],
    ['buttons.mjs', `export default { people: [{}], buttons: { allow: /Ja/ } }`, 'buttons.allow is object, and must be a text'],
    ['button.mjs', `export default { people: [{}], buttons: { accept: 'Ja' } }`, 'buttons has allow and deny, not accept'],
    ['answer.mjs', `export default { people: [{}], answer: 'a' }`, 'answer must be a function'],
  ])('refuses a sign-in that is not one: %s', async (name, text, message) => {
    const ran = await command([ORIGIN, '--sign-in', write(name, text)])
    expect([ran.code, ran.asked]).toEqual([2, null])
    expect(sentence(ran)).toContain(`hallpass-audit: --sign-in ${name}: ${message}`)
  }) // prettier-ignore

  it('takes a sign-in with all that it may have', async () => {
    const client = { client_id: 'a', redirect_uri: 'http://127.0.0.1:1/', client_secret: undefined }
    const all = { people: [{ email: 'a' }, { email: 'b' }], scope: '', clients: { first: client, signing: { ...client, private_jwk: {} } }, endpoints: { token_endpoint: 'http://127.0.0.1/' }, member: { person: { email: 'c' }, client }, vendor: { name: 'a', client_id: 'a' }, surfaces: [{ path: '/courses', scope: undefined }], buttons: { deny: 'Nej' } } // prettier-ignore
    const name = write('all.mjs', `export default { ...${JSON.stringify(all)}, answer() {} }`)
    expect((await command([ORIGIN, '--sign-in', name])).asked!.options.signIn).toMatchObject(JSON.parse(JSON.stringify(all)) as object) // prettier-ignore
  })

  it('does not wait for ever for a sign-in', async () => {
    const name = write('never.mjs', 'await new Promise(() => {})')
    await expect(loadSignIn(name, folder, 10)).rejects.toThrow(
      '--sign-in never.mjs: it was not loaded within 0.01 s',
    )
  })

  it('prints its help, its version and its checks, and sends nothing', async () => {
    const help = await command(['--help'])
    expect(help.stdout).toMatch(/^hallpass-audit <issuer> \[options\]\n/)
    expect(help.stdout.split('\n').every((line) => line.length <= 80)).toBe(true)
    const { version } = JSON.parse(readFileSync(`${ROOT}packages/hallpass-audit/package.json`, 'utf8')) as { version: string } // prettier-ignore
    const shown = await command(['--version'])
    expect(shown.stdout).toBe(`${version}\n`)
    const list = await command(['--list'])
    for (const { id, clause } of CHECKS)
      expect(list.stdout).toContain(`${id}  ${clause.level}  ${clause.document}`)
    expect(list.stdout).toContain(`\n${CHECKS.length.toLocaleString('en-US')} checks\n`)
    const few = await command(['--list', '--only', 'pkce', '--depth', 'passive'])
    expect(few.stdout).toMatch(/^pkce\/s256-named {2}\w+ {2}RFC \d+ §[\d.]+ {2}\(passive\)\n {4}\w/)
    expect(few.stdout).not.toContain('pkce/wrong-verifier')
    for (const { code, asked, stderr } of [help, shown, list, few])
      expect([code, asked, stderr]).toEqual([0, null, ''])
  })
})

describe('the client metadata documents', () => {
  it('are written for the address at which they will be', async () => {
    const url = 'https://audit.school.example/documents/client.json'
    const ran = await command(['--client-document', url, '--write-client-documents', 'public/a'])
    expect([ran.code, ran.asked, ran.stderr]).toEqual([0, null, ''])
    const documents = clientDocuments('https://audit.school.example/documents/')
    expect(ran.stdout).toBe(`Wrote ${documents.length} documents to public/a: publish them below https://audit.school.example/documents/ as application/json\n`) // prettier-ignore
    for (const { name, content } of documents) expect(read(`public/a/${name}`)).toBe(content)
  })

  it('have an address with https', async () => {
    for (const url of ['http://audit.school.example/client.json', 'client.json']) {
      const ran = await command(['--client-document', url, '--write-client-documents', 'none'])
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(sentence(ran)).toMatch(/ is not a (?:base )?URL/)
    }
  })
})

describe('reports', () => {
  it('go into files, and one to the output', async () => {
    const files = [
      'html=audit.html',
      'sarif=audit.sarif',
      'markdown=audit.md',
      'terminal=audit.txt',
    ]
    const ran = await command([ORIGIN, ...files.flatMap((one) => ['--report', one]), '--report', 'json']) // prettier-ignore
    expect(ran.stdout).toBe(renderReport(fixedReport, 'json'))
    for (const [format, name] of files.map((one) => one.split('=')))
      expect(read(name!)).toBe(renderReport(fixedReport, format as 'html'))
    expect(ran.stderr).toContain('Wrote audit.html\nWrote audit.sarif\n')
    expect(ran.code).toBe(1)
  })

  it('are not lost with a file that cannot be written', async () => {
    const args = ['--report', 'html=late.html', '--report', 'json=late.json']
    const ran = await command([ORIGIN, ...args], {
      async audit() {
        mkdirSync(inFolder('late.html'))
        return HELD
      },
    })
    expect(ran.stdout).toBe(renderReport(HELD, 'terminal'))
    expect(read('late.json')).toBe(renderReport(HELD, 'json'))
    expect(sentence(ran)).toContain('hallpass-audit: late.html cannot be written: EISDIR')
    expect(ran.code).toBe(2)
  })

  it('are that of the terminal unless another one is printed', async () => {
    const { stdout } = await command([ORIGIN, '--report', 'html=audit.html'])
    expect(stdout).toBe(renderReport(fixedReport, 'terminal'))
  })

  it('have the width and the colours of a terminal, and none of NO_COLOR', async () => {
    const shown = (env: Around['env']): Promise<Ran> =>
      command([ORIGIN], { columns: 100, env: env! })
    const coloured = renderReport(fixedReport, 'terminal', { columns: 100, colour: true })
    expect((await shown({})).stdout).toBe(coloured)
    expect((await shown({ NO_COLOR: '' })).stdout).toBe(coloured)
    const plain = renderReport(fixedReport, 'terminal', { columns: 100 })
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
      expect((await shown(env)).stdout).toBe(plain)
  })
})

describe('a terminal of a size that no one can use', () => {
  it.each([0, 1, 3])('gets a report all the same: %i columns', async (columns) => {
    const ran = await command([ORIGIN], { columns })
    const shown = renderReport(fixedReport, 'terminal', { columns: columns === 0 ? 80 : 40, colour: true }) // prettier-ignore
    expect(ran.stdout).toBe(shown)
    expect(ran.stderr).toContain('hallpass-audit')
  })
})

describe('the progress', () => {
  it('rewrites one line on a terminal, by subject, and removes it', async () => {
    const { stderr } = await command([ORIGIN], { columns: 60 })
    const lines = stderr.split('\r\u001b[K')
    expect(lines).toHaveLength(1 + 1 + fixedReport.rows.length + 1)
    expect(lines.at(-1)).toBe('')
    const shown = lines.slice(1, -1)
    expect(shown[0]).toMatch(/^░{20} 0 of \d+, \w+/)
    expect(shown.at(-1)).toContain(', 2 violated')
    expect(shown.every((line) => [...line].length < 60 && !line.includes('\n'))).toBe(true)
  })

  it('says that it waits, and for how long', () => {
    let written = ''
    const progress = createProgress({
      write: (text) => (written += text),
      isTTY: true,
      columns: 80,
    })
    progress.begin([{ id: 'pkce/wrong-verifier' }])
    progress.wait(47)
    progress.end()
    expect(written).toContain('0 of 1, pkce: waits 47 s, as the server asks\r')
  })

  it('is not written into a pipe, nor is any other character that moves the cursor', async () => {
    const { stdout, stderr } = await command([ORIGIN])
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
    expect(stderr).not.toContain('░')
  })
})

describe('a baseline', () => {
  const ALL = {
    'code/lifetime': 'not reached',
    'code/used-twice': 'not reached',
    'pkce/missing-verifier': 'not reached',
    'pkce/plain-not-named': 'violated',
    'pkce/wrong-verifier': 'violated',
  }
  const withBaseline = (baseline: unknown, report = fixedReport): Promise<Ran> =>
    command([ORIGIN, '--baseline', write('baseline.json', baseline)], { report })

  it('is written from what is not held, and accepts it then', async () => {
    const written = await command([ORIGIN, '--write-baseline', 'new.json'])
    expect(read('new.json')).toBe(`${JSON.stringify(ALL, null, 2)}\n`)
    expect(written.code).toBe(0)
    expect(written.stderr).toContain('Wrote new.json, which accepts 5 rows\n')
    const ran = await command([ORIGIN, '--baseline', 'new.json'])
    expect([ran.code, sentence(ran).includes('accepts')]).toEqual([0, false])
    expect(ran.stdout).toBe(renderReport(fixedReport, 'terminal', { accepted: Object.fromEntries(Object.keys(ALL).map((check) => [check, 'The baseline accepts it.'])) })) // prettier-ignore
  })

  it.each([
    ['a row that it does not name', { ...ALL, 'pkce/wrong-verifier': undefined }, 1],
    ['a row that is violated now, and was not reached', { ...ALL, 'pkce/wrong-verifier': 'not reached' }, 1],
    ['a row that is not reached now, and was violated', { ...ALL, 'code/lifetime': 'violated' }, 3],
    ['a row that it does not name and that was not reached', { ...ALL, 'code/lifetime': undefined }, 3],
  ])('does not accept %s', async (_, baseline, code) => {
    expect((await withBaseline(baseline)).code).toBe(code)
  }) // prettier-ignore

  it('is not needed for what the sign-in has a reason for, if that is violated', async () => {
    const signIn = write('reasons.mjs', `export default { people: [{}], accepts: { 'pkce/plain': 'It is old.' } }`)
    const run = (verdict: 'violated' | 'not reached') =>
      command([ORIGIN, '--sign-in', signIn], { report: reportOf([row('pkce/plain', verdict)]) })
    const violated = await run('violated')
    expect([violated.code, violated.stdout.includes('It is old.')]).toEqual([0, true])
    const unreached = await run('not reached')
    expect([unreached.code, unreached.stdout.includes('It is old.')]).toEqual([3, false])
  }) // prettier-ignore

  it('names what is stale in it, and does not fail for it', async () => {
    const stale = { ...ALL, 'pkce/s256-named': 'violated', 'pkce/gone': 'violated', 'introspection/unknown-token': 'not reached' } // prettier-ignore
    const report = reportOf([...fixedReport.rows, row('pkce/s256-named', 'held')])
    const ran = await withBaseline(stale, report)
    expect(ran.code).toBe(0)
    const said = sentence(ran)
    expect(said).toContain('the baseline accepts pkce/s256-named as violated, and it is held: remove its entry') // prettier-ignore
    expect(said).toContain('the baseline accepts introspection/unknown-token as not reached, and it is not applicable: remove its entry') // prettier-ignore
    expect(said).toContain('the baseline accepts pkce/gone, and there is no such check')
    expect(said.match(/the baseline accepts/g)).toHaveLength(3)
  })

  it('keeps what it has of checks that were not part of the audit', async () => {
    write('old.json', { 'pkce/s256-named': 'violated', 'pkce/gone': 'violated', [CHECKS.at(-1)!.id]: 'violated' }) // prettier-ignore
    await command([ORIGIN, '--baseline', 'old.json', '--write-baseline', 'old.json'], { report: UNREACHED }) // prettier-ignore
    expect(JSON.parse(read('old.json'))).toEqual({
      [CHECKS.at(-1)!.id]: 'violated',
      'pkce/wrong-verifier': 'not reached',
    })
  })

  it('says nothing of checks that were not part of the audit', async () => {
    const ran = await withBaseline(
      { 'pkce/wrong-verifier': 'violated', 'pkce/plain': 'violated' },
      HELD,
    )
    expect(sentence(ran)).not.toContain('the baseline accepts')
  })

  it.each([
    ['{', '--baseline baseline.json is not JSON: '],
    ['[]', '--baseline baseline.json must be an object such as {"pkce/plain": "violated"}'],
    ['null', '--baseline baseline.json must be an object such as'],
    [{ 'pkce/plain': 'held' }, '--baseline baseline.json accepts pkce/plain as "held": only "violated" and "not reached" can be accepted'],
  ])('is refused if it is not one: %j', async (baseline, message) => {
    const ran = await withBaseline(baseline)
    expect([ran.code, ran.asked]).toEqual([2, null])
    expect(sentence(ran)).toContain(message)
  }) // prettier-ignore
})

describe('Ctrl+C', () => {
  it('ends the audit, and says what was created and what is left', async () => {
    const stop = new AbortController()
    const ran = await command([ORIGIN], {
      signal: stop.signal,
      async audit(_, { onBegin, signal }) {
        onBegin?.(CHECKS, () => ({ clients: 2, authorizations: 1 }))
        stop.abort()
        expect(signal?.aborted).toBe(true)
        return fixedReport
      },
    })
    expect([ran.code, ran.stdout]).toEqual([130, ''])
    expect(sentence(ran)).toMatch(/Stopping, and removing what was created\. Press Ctrl\+C again to leave it there\. Stopped\. 3 clients registered, 12 authorization requests answered\. Left there: 1 client \(one\) and 2 grants that could not be revoked\.$/)
  }) // prettier-ignore

  it('says if nothing was created', async () => {
    const ran = await command([ORIGIN], { signal: AbortSignal.abort(), audit: () => new Promise(() => {}) }) // prettier-ignore
    expect([ran.code, sentence(ran)]).toEqual([130, 'Stopped before anything was created.'])
  })
})

describe('the process', () => {
  const PROGRAM = ['--import=tsx', `${ROOT}packages/hallpass-audit/src/command.ts`]
  const start = (...args: readonly string[]) => startChild(process.execPath, [...PROGRAM, ...args])
  /** A server that answers each request with a text, or not at all. `asked`: resolves with the first request. */
  async function serve(body: string | null): Promise<{ origin: string; asked: Promise<void> }> {
    let resolveAsked: () => void
    const asked = new Promise<void>((resolve) => (resolveAsked = resolve))
    const server = createServer((_, response) => {
      resolveAsked()
      if (body !== null) response.setHeader('content-type', 'application/json').end(body)
    })
    return { origin: `http://127.0.0.1:${await openServer(server)}`, asked }
  }

  it('shows nothing of what a hostile server answers as more than text', async () => {
    const { origin } = await serve('{"code_challenge_methods_supported":["\u009b2J\u202e","\\u001b[2J"],"x":"\u009b31m\u007f"}')
    const child = start(origin, '--only', 'pkce')
    expect(await child.ended).toBe(1)
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(child.output()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    expect(child.output()).toContain('code_challenge_methods_supported is ["\\x9b2J\\u{202e}","\\u001b[2J"]')
  }) // prettier-ignore

  it('says of a sign-in in another language how it is written', async () => {
    const child = start(ORIGIN, '--sign-in', inFolder(write('sign-in.txt', '')))
    expect(await child.ended).toBe(2)
    expect(child.output().replaceAll('\n', ' ')).toContain(
      `Node ${process.version} imports no such file: write it as JavaScript, in a .mjs file`,
    )
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends by %s although a request is under way', async (signal) => {
    const { origin, asked } = await serve(null)
    const child = start(origin, '--only', 'pkce')
    await asked
    await child.stop(signal)
    expect(await child.ended).toBe(130)
    expect(child.output()).toBe('Stopped before anything was created.\n')
  }) // prettier-ignore

  it.each([
    ['a program that stops reading', '| true', 1],
    ['a file, and the disk is full', '> /dev/full', 2],
  ])('keeps its exit code if the report goes to %s', async (_, to, code) => {
    const { origin } = await serve('{"code_challenge_methods_supported":["plain"]}')
    const command = [process.execPath, ...PROGRAM, origin, '--only', 'pkce'].join(' ')
    const child = startChild('sh', ['-c', `{ ${command}; echo "code $?" >&2; } ${to}`])
    await child.ended
    expect(child.output()).toContain(`code ${code}\n`)
    expect(child.output().includes('cannot be printed: ENOSPC')).toBe(code === 2)
  })

  it('has a line of progress and colours on a terminal', async () => {
    const { origin } = await serve('{"code_challenge_methods_supported":["plain"]}')
    const terminal = startInTerminal([...PROGRAM, origin, '--only', 'pkce'], { cwd: ROOT })
    expect(await terminal.ended()).toBe(1)
    expect(terminal.screen()).toMatch(/█{20} \d of \d, pkce, \d violated/)
  })
})
