import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { createOpenapiEndpoint, openapiOf } from 'hallpass/openapi'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import {
  type Description,
  operationsOf,
} from '../../../examples/school/src/admin/reference/description.js'
import { createReference } from '../../../examples/school/src/admin/reference/reference.js'
import { markdownDocument } from '../../../examples/school/src/admin/reference/markdown.js'
import { referencePage } from '../../../examples/school/src/admin/reference/reference-page.js'
import { schoolCss } from '../../../examples/pages/style/style.js'
import { LANTERN } from '../../../examples/school/src/sites.js'
import { tagsOf, textOf } from '../../support/http/markup.js'
import { schoolDescription } from '../support/school-description.js'

const ORIGIN = 'https://site-lantern.example'
const { site } = testSite({ issuer: ORIGIN })
const source = schoolDescription(ORIGIN, {
  title: 'API',
  version: '1',
  description: 'What `staff` do.',
})
const description = openapiOf(site, source) as unknown as Description
const page = referencePage({ site: LANTERN, description }).toString()
const openapi = createOpenapiEndpoint(site, source)
const reference = createReference({ site: LANTERN, origin: ORIGIN, openapi })

const attributes = (name: string): readonly string[] =>
  [...page.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value!)

describe('the description', () => {
  it('has an example of the request of each operation that takes JSON', () => {
    const bodies = operationsOf(description).flatMap(({ operationId, requestBody }) => {
      const json = requestBody?.content['application/json']
      return json === undefined ? [] : [[operationId, json.example] as const]
    })
    expect(bodies.length).toBeGreaterThan(40)
    expect(bodies.filter(([, example]) => example === undefined)).toEqual([])
  })
})

describe('the page of the reference', () => {
  it('shows each operation once: its scope, what it takes and returns, and its example [DISC-25]', () => {
    const ids = attributes('id')
    expect(new Set(ids).size).toBe(ids.length)
    const all = operationsOf(description)
    expect(all.length).toBeGreaterThan(102)
    const parts = page.split('<details class="op" id="').slice(1)
    for (const { operationId, scope, parameters = [], responses, summary } of all) {
      const part = parts.find((one) => one.startsWith(`${operationId}"`))!
      const text = textOf(`<main id="${part}`)
      for (const said of [
        summary,
        ...parameters.map(({ name }) => name),
        ...Object.keys(responses),
      ])
        expect(text).toContain(said)
      if (scope === null) continue
      expect(text).toContain(`Requires the scope ${scope} and one of the roles: owner`)
      expect(part).toMatch(/<summary>curl<\/summary>[\s\S]+<summary>TypeScript<\/summary>/)
      expect(part).toMatch(/<summary>Response 20[01]<\/summary>|Responds with 204/)
    }
  })

  it('has no link to a place that it does not have', () => {
    const ids = new Set(attributes('id'))
    const links = attributes('href').filter((href) => href.startsWith('#'))
    expect(links.length).toBeGreaterThan(200)
    expect(links.filter((href) => !ids.has(href.slice(1)))).toEqual([])
  })

  it('shows what a description says as text, whatever it is', () => {
    const hostile =
      '<script>alert(1)</script> [a](javascript:alert(1)) `<b>` ![i](https://x.example/i.png)'
    const path = { ...description.paths['/api/v1/school']!['get']!, description: hostile }
    const text = referencePage({
      site: LANTERN,
      description: {
        ...description,
        info: { title: hostile, description: hostile },
        paths: { '/api/v1/school': { get: { ...path, summary: hostile } } },
      },
    }).toString()
    expect(tagsOf(text, 'script')).toHaveLength(1)
    expect(text).not.toContain('href="javascript:')
    expect(text).toContain('<code>&lt;b&gt;</code>')
  })

  it('shows a guide without what a page must not have', () => {
    const text =
      '# A <img src=x onerror=alert(1)>\n\n| <a id="error-a" onclick="b">x</a> |\n| - |\n\n[c](javascript:d)'
    const shown = markdownDocument(text).body.toString()
    expect(shown).not.toMatch(/<img|onclick|href="javascript:/)
    expect(shown).toContain('<a id="error-a">x</a>')
  })

  it('weighs less than 100 kB with its styles and its scripts, compressed', () => {
    const files = ['admin/reference/try.js', 'admin/reference/reference.css', 'sign-in/browser.js']
    const parts = files.map((file) => readFileSync(`examples/school/src/${file}`))
    const sizes = [page, schoolCss, ...parts].map((part) => gzipSync(part).length)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000)
  })

  it('runs scripts of this site only, and has no other files', async () => {
    const at = (path: string): Promise<Response | null> => reference(new Request(ORIGIN + path))
    const response = (await at('/docs'))!
    expect(await response.text()).toBe(page)
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self';")
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect((await at('/docs/try.js'))!.headers.get('content-type')).toBe(
      'text/javascript; charset=utf-8',
    )
    expect((await at('/docs/reference.css'))!.headers.get('content-type')).toBe(
      'text/css; charset=utf-8',
    )
    expect(await at('/docs/reference.ts')).toBeNull()
  })
})
