import type { ConsentView, ErrorView, SignInView } from 'hallpass/authorization-server'
import { describe, expect, it } from 'vitest'
import { homePage } from '../../examples/common/home.js'
import { page, pages } from '../../examples/common/pages.js'
import { css } from '../../examples/common/style.js'
import { STUDENT } from '../support/school/school.js'
import { STUDY_BUDDY_VIEW } from '../support/school/client-view.js'
import { readSource } from '../support/source/compile.js'
import { codeLines, difference, filesOf, printed, RUNGS } from '../support/source/ladder.js'
import { leadsSomewhere, linksOf } from '../support/docs/pages.js'

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0)

/** Code lines of the second example that the first one lacks. */
const added = (from: string, to: string): number => {
  const before = filesOf(from)
  return sum(
    [...filesOf(to)].map(([name, text]) => {
      const changes = difference(before.get(name) ?? '', text)
      return codeLines(changes.flatMap(([kind, line]) => (kind === '+' ? [line] : [])).join('\n'))
        .length
    }),
  )
}

describe('the ladder of examples', () => {
  it('begins with one file of at most 70 lines of code, and what all examples share has at most 450', () => {
    const linesOf = (example: string): number =>
      sum([...filesOf(example).values()].map((text) => codeLines(text).length))
    expect([...filesOf('server').keys()]).toEqual(['server.ts'])
    expect(linesOf('server')).toBeLessThanOrEqual(70)
    expect(linesOf('common')).toBeLessThanOrEqual(450)
  })

  it('has one style of at most 60 lines', () => {
    expect(css.trim().split('\n').length).toBeLessThanOrEqual(60)
  })

  it.each([
    ['server', 'members', ['account-source.ts', 'server.ts', 'tables.sql'], 120],
    ['members', 'agents', ['account-source.ts', 'server.ts', 'tables.sql', 'tools.ts'], 60],
    ['server', 'fastify', ['server.ts'], 40],
    ['server', 'hono', ['server.ts'], 40],
  ] as const)('goes from %s to %s by a few lines in a few files', (from, to, changed, budget) => {
    const [before, after] = [filesOf(from), filesOf(to)]
    const names = [...new Set([...before.keys(), ...after.keys()])].sort()
    expect(names.filter((name) => before.get(name) !== after.get(name))).toEqual(changed)
    expect(added(from, to)).toBeLessThanOrEqual(budget)
  })

  it('lets the pages of an authorization request go on to an app, and no other page [UX-17]', async () => {
    const policyOf = async (page: Response | Promise<Response>): Promise<string> =>
      (await page).headers.get('content-security-policy') ?? ''
    const request = new Request('https://school.example/')
    const view = { description: '', requestId: '', status: 400 } as ErrorView
    expect(await policyOf(page('', ''))).toContain("form-action 'self';")
    expect(await policyOf(page('', ''))).not.toMatch(/unsafe-inline|script-src/)
    for (const shown of [
      pages.signIn(request, { client: STUDY_BUDDY_VIEW, returnTo: '/' } as SignInView),
      pages.consent(request, {
        client: STUDY_BUDDY_VIEW,
        person: STUDENT,
        scopes: [],
      } as unknown as ConsentView),
      pages.error(request, view),
    ]) {
      expect(await policyOf(shown)).toContain("frame-ancestors 'none'")
      expect(await policyOf(shown)).not.toContain('form-action')
      expect((await shown).headers.has('cross-origin-opener-policy')).toBe(false)
    }
  })

  it('shows who can sign in, and a client to try it, at a loopback origin only [RUNG-01]', async () => {
    const listPeople = async () => [{ ...STUDENT, name: '<b>Mei', email: 'mei@school.example' }]
    const name = 'Example School'
    const home = (issuer: string) => homePage({ issuer, name }, { listPeople, hasTools: true })
    const own = await home('http://127.0.0.1:3000')
    expect(own.headers.get('content-security-policy')).toContain("script-src 'sha256-")
    const text = await own.text()
    for (const part of ['&#60;b&#62;Mei', 'mei@school.example', '<script>', 'claude mcp add'])
      expect(text).toContain(part)
    const open = await home('https://school.example')
    expect(open.headers.get('content-security-policy')).not.toContain('script-src')
    expect(await open.text()).not.toMatch(/Mei|mei@|<script|Try it|tutorial/)
  })

  it('runs on Cloudflare Workers with at most 160 lines of code', () => {
    expect(codeLines(filesOf('workers').get('worker.ts')!).length).toBeLessThanOrEqual(160)
  })

  it.each(RUNGS)('says in the README of %s how it starts, and links to what is there', (rung) => {
    const path = `examples/${rung}/README.md`
    const text = readSource(path)
    expect(text).toContain(`\nnpm run build && npm start -w @hallpass/example-${rung}\n`)
    expect(text.split('\n').length).toBeLessThanOrEqual(30)
    const links = linksOf({ path, text }).map((link) => link.path)
    expect(links).toContain('docs/learn/tutorial.md')
    expect(links.filter((link) => !leadsSomewhere(link))).toEqual([])
  })

  it.each(['express', ...RUNGS, 'fastify', 'hono'])('starts %s for production', (rung) => {
    const { scripts } = JSON.parse(readSource(`examples/${rung}/package.json`)) as {
      scripts: { start: string }
    }
    const [, file] = /--env-file=(\S+)/.exec(scripts.start) ?? []
    expect(readSource(`examples/${rung}/${file}`)).toContain('\nNODE_ENV=production\n')
  })

  it.each(RUNGS)('imports nothing from outside of %s', (rung) => {
    const imported = [...filesOf(rung).values()].flatMap((text) =>
      [...text.matchAll(/from '(\.[^']*)'/g)].map(([, path]) => path!),
    )
    expect(
      imported.filter((path) => !/^\.(?:\/|\.\/(?:common|members)\/)[\w-]+\.js$/.test(path)),
    ).toEqual([])
  })
})

describe('the difference of two files', () => {
  it('keeps what stays, and shows what changes with a line on either side', () => {
    const changes = difference('a\nb\nc\nd\ne\nf\n', 'a\nB\nc\nd\ne\nf\ng\n')
    expect(printed(changes)).toBe(' a\n-b\n+B\n c\n@@\n f\n+g')
  })

  it('is the whole file where there was none', () => {
    expect(printed(difference('', 'a\n\nb\n'))).toBe('+a\n+\n+b')
  })
})
