import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appearanceOperations } from '../../../examples/school/src/school/appearance.js'
import { refuseCss } from '../../../examples/school/src/school/css-policy.js'
import { seedSettings } from '../../../examples/school/src/school/demo.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, KILN_SITE, type OperatorSchool } from '../support/operator-school.js'
import { processorMilliseconds } from '../../support/run/processor-time.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(appearanceOperations, seedSettings)
})
afterAll(() => school.close())

const read = (site?: string): Promise<Answer> =>
  school.call('GET', '/appearance', site === undefined ? {} : { site })
async function change(body: object, query = ''): Promise<Answer> {
  const headers = { 'if-match': (await read()).headers.get('etag')! }
  return school.call('PATCH', `/appearance${query}`, { body, headers })
}

describe('how the school looks', () => {
  it('is told as it was set', async () => {
    expect((await read()).body).toEqual({
      id: 'site_lantern',
      theme: 'lantern',
      colors: { accent: '#8a5a00', background: '#fffaf0', text: '#22201c' },
      fonts: { heading: 'Georgia', body: 'system-ui' },
      logo_url: 'https://images.example/lantern/logo.png',
      favicon_url: null,
      navigation: [
        { label: 'Courses', url: '/courses' },
        { label: 'Exhibition', url: '/exhibition' },
        { label: 'Prints', url: 'https://prints.example/lantern' },
      ],
      custom_css: '.hero { border-radius: min(2vw, 1rem) }',
      created_at: '2025-03-30T09:00:00Z',
      updated_at: '2026-11-08T09:00:00Z',
    })
  })

  it('is there before anybody has set it, with a version to change it by', async () => {
    const before = await read(KILN_SITE)
    expect(before.body).toMatchObject({ id: 'site_kiln', theme: 'kiln', navigation: [] })
    const headers = { 'if-match': before.headers.get('etag')! }
    const body = { colors: { accent: '#336699' } }
    const done = await school.call('PATCH', '/appearance', { body, headers, site: KILN_SITE })
    expect(done).toMatchObject({
      status: 200,
      body: { theme: 'kiln', colors: { accent: '#336699', background: '#ffffff' } },
    })
    expect((await read(KILN_SITE)).body).toEqual(done.body)
    expect((await read()).body).toMatchObject({ colors: { accent: '#8a5a00' } })
  })

  it('keeps what was not sent, within its parts too', async () => {
    const body = { fonts: { body: 'Gill Sans' }, navigation: [{ label: 'All', url: '/courses' }] }
    expect(await change(body)).toMatchObject({
      status: 200,
      body: { ...body, fonts: { heading: 'Georgia', body: 'Gill Sans' }, theme: 'lantern' },
    })
  })

  it('is changed by a manager, its style sheet too', async () => {
    const headers = { 'if-match': '*' }
    const body = { custom_css: 'a { color: var(--accent) }' }
    const done = await school.call('PATCH', '/appearance', { body, headers, role: 'manager' })
    expect(done).toMatchObject({ status: 200, body })
    expect((await change({ custom_css: null })).body).toMatchObject({ custom_css: null })
  })

  it('has a style sheet that loads nothing', async () => {
    const before = await read()
    const css = 'input[value^="a"] { background: url(https://bad.example/a) }'
    expect(await change({ custom_css: css })).toMatchObject({
      status: 422,
      body: { code: 'unprocessable', detail: 'custom_css cannot use the function url()' },
    })
    expect((await read()).body).toEqual(before.body)
  })

  it.each([
    ['a script in a link', { navigation: [{ label: 'a', url: 'javascript:alert(1)' }] }],
    ['a link that looks like a path', { navigation: [{ label: 'a', url: '//bad.example' }] }],
    ['a link that browsers mend', { navigation: [{ label: 'a', url: '/\\bad.example' }] }],
    ['a link with a tab', { navigation: [{ label: 'a', url: '/\t/bad.example' }] }],
    ['a picture by http', { logo_url: 'http://a.example/b.png' }],
    ['a picture as data', { favicon_url: 'data:image/png;base64,AA' }],
    ['a colour with more in it', { colors: { accent: '#fff;}' } }],
    ['a font with more in it', { fonts: { body: 'a;}' } }],
    ['a script', { custom_js: 'alert(1)' }],
    ['too long a style sheet', { custom_css: 'a'.repeat(20_001) }],
    [
      'too many links',
      { navigation: Array.from({ length: 13 }, () => ({ label: 'a', url: '/' })) },
    ],
  ])('does not take %s', async (_, body) => {
    expect(await change(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})

describe('custom CSS', () => {
  const roles = ['owner']
  it.each([
    '.hero { color: rgb(0 0 0 / 50%); width: calc((100% - 2rem) / 3) }',
    '@media (min-width: 40rem) { li:not(:nth-child(2n)) { transform: TranslateX(2px) } }',
    '@supports (display: grid) { ul { grid-template-columns: repeat(3, minmax(0, 1fr)) } }',
    '@keyframes glow { to { background: linear-gradient(red, var(--accent)) } }',
    'q::before { content: "“" }',
    'q::before { content: "url(x) @import" } /* url(x) @import */',
    '',
  ])('styles: %s', (css) => {
    expect(refuseCss({ css, roles })).toBeNull()
  })

  it.each([
    ['a { background: url(//bad.example) }', 'the function url()'],
    ['a { background: URL( "https://bad.example" ) }', 'the function url()'],
    ['a { background: image-set("https://bad.example" 1x) }', 'the function image-set()'],
    ['a { background: -webkit-image-set("//bad.example" 1x) }', 'the function -webkit-image-set()'],
    ['a { background: image("https://bad.example") }', 'the function image()'],
    ['a { background: cross-fade("//bad.example", red) }', 'the function cross-fade()'],
    ['a { width: expression(alert(1)) }', 'the function expression()'],
    ['a { content: attr(value) }', 'the function attr()'],
    ['a { background: ur/**/l(//bad.example) }', 'the function l()'],
    ['a { background: url(bad.example " }', 'the function url()'],
    ['a { background: url(', 'the function url()'],
    ['a { content: "\n; background: url(//bad.example) }', 'the function url()'],
    ['a { /* " */ background: url(//bad.example) /* " */ }', 'the function url()'],
    ['/**/@/**/import/**/@import "https://bad.example";', 'the rule @import'],
    [':root { --x: url(//bad.example) }', 'the function url()'],
    ['@import "https://bad.example/a.css";', 'the rule @import'],
    ['@IMPORT "https://bad.example/a.css";', 'the rule @import'],
    ['@font-face { font-family: a }', 'the rule @font-face'],
    ['@namespace "https://bad.example";', 'the rule @namespace'],
  ])('cannot %s', (css, what) => {
    expect(refuseCss({ css, roles })).toMatchObject({
      code: 'unprocessable',
      detail: `custom_css cannot use ${what}`,
    })
  })

  it.each(['</style><script>alert(1)</script>', 'a { background: u\\72l(//bad.example) }'])(
    'hides nothing: %s',
    (css) => {
      expect(refuseCss({ css, roles })).toMatchObject({
        code: 'unprocessable',
        detail: 'custom_css must not contain < or a backslash',
      })
    },
  )

  it.each(['a', 'a-', '-', '@a', '"', '/*', '(', 'url(', 'a(', '{', ':not('])(
    'is judged within 50 ms when it is 20,000 characters of %j',
    async (part) => {
      const css = part.repeat(20_000 / part.length)
      expect(await processorMilliseconds(() => refuseCss({ css, roles }))).toBeLessThan(50)
    },
  )

  it('is set and cleared by owners and managers alone, whatever else a role may do', () => {
    for (const css of ['a { color: red }', null]) {
      expect(refuseCss({ css, roles: ['lecturer', 'manager'] })).toBeNull()
      for (const others of [['lecturer', 'assistant'], []])
        expect(refuseCss({ css, roles: others })).toMatchObject({
          code: 'forbidden_role',
          detail: 'only owners and managers can change custom_css',
        })
    }
  })
})
