import { describe, expect, it } from 'vitest'
import { APPLICATION_PATHS, CONNECTED_APPS_PATHS } from '../examples/school/testing.js'
import { BLOCK_PATHS } from '../src/site/paths.js'
import { NUMBERS } from './support/docs/claims.js'
import { readSource } from './support/source/compile.js'
import { connectorsIn, SHIPPED } from './support/source/connections.js'
import { boundsIn, limitRowOf } from './support/docs/limits.js'
import { outgoingTable } from './support/docs/outgoing.js'
import { ROOT } from './support/source/root.js'
import { type DocPage, PAGES, prose, rowsOf, sectionOf } from './support/docs/pages.js'
import {
  expressRoutes,
  LIBRARY_ROUTES,
  nextRoutes,
  type Route,
  routesBeyond,
  routesNamed,
} from './support/source/routes.js'

const pageAt = (path: string): DocPage => PAGES.find((page) => page.path === path)!
const SECURITY = pageAt('SECURITY.md')
const THREATS = pageAt('docs/understand/threat-model.md')
const BUDGETS = pageAt('docs/do/budgets.md')
const LIMITS = pageAt('docs/look-up/limits.md')

describe('the entry points in SECURITY.md', () => {
  const named = routesNamed(rowsOf(sectionOf(SECURITY, '## Entry points')))
  const areas = [...APPLICATION_PATHS, ...CONNECTED_APPS_PATHS].map((path): Route => ({
    method: null,
    path,
  }))
  // Only a server with the block has them.
  const ofBlocks = Object.values(BLOCK_PATHS).map((path): Route => ({ method: null, path }))
  const routes = [...LIBRARY_ROUTES, ...expressRoutes(), ...nextRoutes(), ...areas, ...ofBlocks]

  it('are every route of the library, of both frameworks and of the areas for people', () => {
    expect(routes.length).toBeGreaterThan(60)
    expect(routesBeyond(routes, named)).toEqual([])
  })

  it('are routes that there are', () => {
    const mounts = routes.filter(({ path }) => path.endsWith('/…'))
    const exact = routes.filter((route) => !mounts.includes(route))
    const unknown = named.filter(
      (one) => routesBeyond([one], one.path.endsWith('/…') ? mounts : exact).length > 0,
    )
    expect(unknown).toEqual([])
  })

  const express = readSource('examples/express/src/app.ts')
  it.each([
    ["app.get('/backup', serve(site.home))", { method: 'GET', path: '/backup' }],
    ["app.all(['/', '/debug'], serve(site.home))", { method: null, path: '/debug' }],
    ["app.use('/internal', serve(site.home))", { method: null, path: '/internal/…' }],
    ["app.get('/sign-up', serve(site.home))", { method: 'GET', path: '/sign-up' }],
    ["app.route('/later').get(serve(site.home))", { method: null, path: '/later' }],
  ])('lack what is added to the Express application: %s', (line, route) => {
    const added = expressRoutes(`${express}\n${line}\n`).slice(expressRoutes(express).length)
    expect(routesBeyond(added, named)).toEqual([route])
  })

  it.each(['app.get(path, serve(site.home))', 'app.use(`/${name}`, serve(site.home))'])(
    'are not complete where a path cannot be read: %s',
    (line) => {
      expect(() => expressRoutes(`${express}\n${line}\n`)).toThrow('cannot be read')
    },
  )

  it.each(['/admin/page.tsx', '/sitemap.ts', '/account/[id]/page.tsx'])(
    'lack what is added to the Next.js application: %s',
    (file) => {
      expect(routesBeyond(nextRoutes([file]), named)).toEqual([{ method: null, path: file }])
    },
  )
})

describe('the outgoing connections in SECURITY.md', () => {
  const listed = rowsOf(sectionOf(SECURITY, '## Outgoing requests')).flatMap(([first = '']) =>
    [...first.matchAll(/`((?:src|examples)\/[^`]+)`/g)].map(([, path]) => path!),
  )

  it('are every file that can open one, and no other', () => {
    expect(SHIPPED).toEqual(
      expect.arrayContaining(['src/index.ts', 'examples/nextjs/lib/start.ts']),
    )
    const connecting = SHIPPED.filter((path) => connectorsIn(path).length > 0)
    expect(listed.toSorted()).toEqual(connecting.toSorted())
  })

  it('of the library are those of six files, and the table of requests is made from its kinds [OUT-03]', async () => {
    // Whatever else wants to ask someone takes a `FetchDocument`, with a kind of its own: see CONTRIBUTING.md.
    expect(listed.filter((path) => path.startsWith('src/'))).toEqual([
      'src/node/look-up.ts',
      'src/node/document-fetcher.ts',
      'src/node/https-get.ts',
      'src/protected-resource/remote-gate.ts',
      'src/site/listed-hosts-fetcher.ts',
      'src/node/folder-lock.ts',
    ])
    const next = SECURITY.text.replace(/^\| request \|(?:.*\|\n)+/m, () => `${outgoingTable()}\n`)
    expect(next).toContain(outgoingTable())
    await expect(next).toMatchFileSnapshot(`${ROOT}SECURITY.md`)
  })

  it.each([
    ["import { lookup } from 'node:dns'", 'node:dns lookup'],
    ["import { isIP, Socket } from 'node:net'", 'node:net Socket'],
    ["import * as net from 'node:net'", 'node:net *'],
    ["import http from 'node:http'", 'node:http default'],
    ["import { Pool, type PoolConfig } from 'pg'", 'pg Pool'],
    ["import 'undici'", 'undici *'],
    ["export { createRemoteJWKSet } from 'jose'", 'jose createRemoteJWKSet'],
    ["const { request } = await import('node:https')", 'node:https *'],
    ["const mail = require('nodemailer')", 'nodemailer *'],
    ['await import(name)', 'a module without a name'],
    ["await fetch('https://school.example')", 'fetch'],
    ["globalThis.fetch('/')", 'fetch'],
    ['createClient({ fetch })', 'fetch'],
    ["new WebSocket('wss://school.example')", 'WebSocket'],
    ["navigator.sendBeacon('/')", 'sendBeacon'],
    ["function f(fetch) {}\nfetch('/')", 'fetch'],
  ])('would have to name a file with %s', (source, connector) => {
    expect(connectorsIn('src/a.ts', source)).toEqual([connector])
  })

  it.each([
    "import type { Socket } from 'node:net'",
    "import { type Socket, isIP } from 'node:net'",
    "import { readFile } from 'node:fs/promises'",
    "import { fetch } from './own.js'\nfetch()",
    'const { fetch } = handler()\nfetch(request)',
    'const one = { fetch: get }\none.fetch()',
    'let get: typeof fetch',
  ])('need not name a file with %s', (source) => {
    expect(connectorsIn('src/a.ts', source)).toEqual([])
  })
})

describe('the guards', () => {
  const guards = [
    ...rowsOf(sectionOf(SECURITY, '## Entry points')),
    ...rowsOf(sectionOf(SECURITY, '## Outgoing requests')),
    ...rowsOf(THREATS.text),
  ].map((row) => ({ what: row[0]!, shownBy: row.at(-1)! }))
  const mistakes = sectionOf(THREATS, '## The ten mistakes most likely here')
    .split(/^(?=\d+\. )/m)
    .filter((text) => /^\d+\. /.test(text))
    .map((text) => ({ what: text.split('**')[1]!, shownBy: text }))

  // That the file is there is held for the links of all pages.
  it.each([...guards, ...mistakes])('are shown by a test: $what', ({ shownBy }) => {
    expect(shownBy).toMatch(/\]\((?:\.\.\/\.\.\/)?test\/[\w/.-]+\.test\.ts\)/)
  })

  it('are ten, for the mistakes', () => {
    expect(mistakes).toHaveLength(10)
  })

  it('leave the numbers to the page of limits, but for those that a test compares', () => {
    const figure =
      /\b(?:\d[\d,]*|two|three|four|five|six|ten|twelve|thirty|sixty)[ -](?:KiB|MiB|bytes|seconds?|minutes?|hours?|points|characters|fetches|requests|tries)\b/g
    const stated = [sectionOf(SECURITY, '## Entry points'), prose(THREATS)].flatMap((text) => {
      const compared = NUMBERS.reduce(
        (left, { pattern }) => left.replaceAll(pattern, ''),
        text.replaceAll(/\s+/g, ' '),
      )
      return [...compared.matchAll(figure)].map(([said]) => said)
    })
    expect(stated).toEqual([])
  })
})

describe('a promise outside of the tables', () => {
  // They promise nothing of the code.
  const DUTIES =
    /^(?:Report a vulnerability|Supported versions|What is at stake|What the host must do|What remains)\n/
  const REMAINS = /^(?:This remains|What remains|hallpass cannot)\b/
  // The first paragraph below a heading says what the section is about, and `Why` leads to decisions.
  const promises = [SECURITY, BUDGETS, THREATS].flatMap((page) =>
    prose(page)
      .split(/^#+ /m)
      .filter((section) => !DUTIES.test(section))
      .flatMap((section) => {
        const [, , ...texts] = section
          .split(/\n\s*\n|\n(?=(?:-|\d+\.) )/)
          .filter((text) => !/^(?:<!--|\|)/.test(text.trim()))
        const until = texts.findIndex((text) => REMAINS.test(text))
        return until === -1 ? texts : texts.slice(0, until)
      })
      .map((text) => ({ page: page.path, text: text.replaceAll(/\s+/g, ' ').trim() }))
      .filter(({ text }) => text !== '' && !text.endsWith(':') && !text.startsWith('Why')),
  )
  const TEST = /\[([^\]]+)\]\((?:\.\.\/)*(test\/[\w/.-]+\.test\.ts)\)/g

  it('is held, as each of them is', () => {
    expect(promises.length).toBeGreaterThan(20)
  })

  it.each(promises)('has a test, by a part of its title: $page, $text', ({ text }) => {
    const tests = [...text.matchAll(TEST)].map(([, title, file]) => ({
      title: title!,
      file: file!,
    }))
    expect(tests).not.toEqual([])
    // The ten mistakes name files, as the tables do.
    const named = tests.filter(() => !/^\d+\. /.test(text))
    const isTitle = (line: string, title: string): boolean =>
      /^\s*(?:\(?'|it\(|it\.each|describe|test)/.test(line) && line.includes(title)
    const missing = named.filter(
      ({ title, file }) =>
        !readSource(file)
          .split('\n')
          .some((line) => isTitle(line, title)),
    )
    expect(missing).toEqual([])
  })
})

describe('docs/look-up/limits.md', () => {
  const rows = rowsOf(LIMITS.text).map(limitRowOf)

  it.each(rows)('has the number of the source: $what', ({ stated, actual }) => {
    expect(actual.length).toBeGreaterThan(0)
    expect(stated).toEqual(actual)
  })

  it('has every constant whose name says that it is a bound', () => {
    const places = new Set(rows.flatMap((row) => row.places))
    const bounds = SHIPPED.flatMap((path) => boundsIn(path).map((name) => `${path} ${name}`))
    expect(bounds.length).toBeGreaterThan(40)
    expect(bounds.filter((place) => !places.has(place))).toEqual([])
  })

  it('would not be right with another number, nor with one that is nowhere', () => {
    const row = rowsOf(LIMITS.text).find(([what]) => what === 'a form')!
    const { stated, actual } = limitRowOf([row[0]!, '17 KiB', ...row.slice(2)])
    expect([stated, actual]).toEqual([[17 * 1024], [16 * 1024]])
    expect(() => limitRowOf([row[0]!, row[1]!, '`NO_SUCH`', row[3]!])).toThrow('no number NO_SUCH')
  })
})
