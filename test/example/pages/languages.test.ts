import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { consentPage } from '../../../examples/pages/consent.js'
import { signInPage } from '../../../examples/pages/sign-in.js'
import { english } from '../../../examples/pages/words/en.js'
import { forReader, LANGUAGES, preferredLanguage } from '../../../examples/pages/words/languages.js'
import type { Language } from '../../../examples/pages/words/words.js'
import { managersGallery } from '../support/gallery/applications.js'
import { galleryPages, SCHOOLS } from '../support/gallery/pages.js'
import { STUDY_BUDDY_VIEW } from '../../support/school/client-view.js'

const tagFor = (header: string | null): string => preferredLanguage(header).tag

// Data of the gallery: schools, apps, people and addresses. The hostile name is looked at elsewhere.
const DATA =
  /<[^>]*>|Lantern Street Drawing School|Kiln &amp; Coil Pottery|Study Buddy|Desk CLI|Playground|Margin Notes|Front Desk|Acme Agents|Tomasz Wilk|Amara Obi|Mei-Ling Chou|[\w.-]+@[\w.-]+|[\w-]+\.(?:example|0\.0\.1)(?::\d+)?|acme:/g

// On an error page, what is for the app's makers is marked as English.
const FOR_MAKERS = /<dd>\s*<span lang="en" dir="ltr">[^<]*<\/span>/g

// In the admin area: what the library says about an attempt, which is marked as English; what is to be copied or was
// typed; the document of an app; titles, which repeat a heading; names of apps; an event without words; and names that
// have no translation, such as that of a parameter.
const OF_MANAGERS =
  /<p[^>]*>\s*(?:<strong>[^<]*<\/strong>\s*)?<span lang="en" dir="ltr">[^]*?<\/span>|<textarea[^]*?<\/textarea>|<pre[^]*?<\/pre>|<title>[^<]*<\/title>|(?<=>)\s*(?:Claude|ChatGPT)\s*(?=<)|<code>resource<\/code>|\b(?:MCP|AI|OAuth|HTTP Basic|CSV|JSON|PNG|JPEG|WebP|UTC)\b|https?(?::\/\/)?|\/callback|something\.new/g

// What is to be copied.
const TO_COPY = /<textarea[^]*?<\/textarea>/g

const latinWordsOf = (page: string): readonly string[] =>
  page
    .replace(TO_COPY, '')
    .replace(FOR_MAKERS, '')
    .replace(/<bdi>[^]*?<\/bdi>/g, '')
    .replace(DATA, '')
    .match(/[a-z]{2,}/gi) ?? []

const signIn = (language?: Language): string =>
  signInPage({
    site: { name: 'Lantern', theme: 'lantern', ...(language !== undefined && { language }) },
    view: {
      returnTo: '/oauth/interaction/abc',
      client: STUDY_BUDDY_VIEW,
      cause: 'signed_out',
      loginHint: null,
      uiLocales: [],
    },
    form: { csrfToken: 'csrf', email: null, state: { kind: 'plain' } },
  }).toString()

describe('the sum of a long list', () => {
  const summed = (changes: number, personal: number): readonly string[] =>
    LANGUAGES.map(({ words }) => words.consent.sum({ all: 18, changes, personal }))

  it('says none where there is none, and uses the forms of the language for a number [UX-20]', () => {
    expect(summed(0, 7)).toEqual([
      'Of these 18 permissions, none can change anything and 7 show personal data.',
      '共 18 項權限：都不能進行變更，7 項會顯示個人資料。',
      'عدد الأذونات 18: لا يُجري أي منها تغييرات، و7 تعرض بيانات شخصية.',
    ])
    expect(summed(2, 1)).toEqual([
      'Of these 18 permissions, 2 can change things and 1 shows personal data.',
      '共 18 項權限：2 項可進行變更，1 項會顯示個人資料。',
      'عدد الأذونات 18: اثنان يُجريان تغييرات، وواحد يعرض بيانات شخصية.',
    ])
    expect(summed(3, 0)[0]).toBe(
      'Of these 18 permissions, 3 can change things and none shows personal data.',
    )
  })
})

describe('the language of a page', () => {
  it.each([
    [null, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'en'],
    ['de, ar;q=0.5', 'ar'],
    ['ar-EG', 'ar'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK, en;q=0.8', 'zh-Hant'],
    ['zh-CN', 'zh-Hant'],
    ['en-GB,en;q=0.9,ar;q=0.8', 'en'],
    ['en;q=0.2, ar;q=0.8', 'ar'],
    ['ar;q=0, zh-TW;q=0.1', 'zh-Hant'],
    ['ar;q=high, en', 'en'],
    ['a_b, , ;q=1, <script>, ar', 'ar'],
    [`ar,${'x'.repeat(600)}`, 'en'],
  ])('of a reader who sends %j is %s [UX-18]', (header, tag) => {
    expect(tagFor(header)).toBe(tag)
  })

  it('comes from the request, and its direction is on the page [UX-18]', () => {
    const request = new Request('https://school.test', { headers: { 'accept-language': 'ar' } })
    const { language } = forReader({ name: 'Lantern' }, request)
    expect(signIn(language)).toContain('<html lang="ar" dir="rtl"')
    expect(signIn()).toContain('<html lang="en" dir="ltr"')
  })

  it.each([
    [['zh-Hant-TW'], 'zh-Hant'],
    [['de', 'zh'], 'zh-Hant'],
    [['de'], 'ar'],
    [['en'], 'en'],
    [[], 'ar'],
  ])('is one of ui_locales %j before one of Accept-Language: %s [UX-18]', (uiLocales, tag) => {
    const request = new Request('https://school.test', { headers: { 'accept-language': 'ar' } })
    expect(forReader({}, request, uiLocales).language.tag).toBe(tag)
  })
})

const OF_ADMIN = /^(?:applications?|confirm|beta|attempts?|activity)-/

it('sentences in Chinese follow one another without a space, and a number has one on both sides [UX-19]', () => {
  const inline = /<textarea[^]*?<\/textarea>|<\/?(?:strong|bdi|span|a|time|code)(?:\s[^>]*)?>/g
  const odd = /[。：]\s+\p{sc=Han}|\p{sc=Han}\d[\d.,]* \p{sc=Han}/gu
  // A badge has its own distance.
  const badge = /\s+<span class="badge[^]*?<\/span>/g
  const found = galleryPages()
    .filter(({ name }) => name.endsWith('-zh-hant'))
    .map(({ name, html }) => [
      name,
      html.toString().replace(badge, '').replace(inline, '').match(odd),
    ])
  expect(found.filter(([, odds]) => odds !== null)).toEqual([])
})

describe.each(LANGUAGES.slice(1))('in $tag', (language) => {
  const pages = galleryPages().filter(
    ({ name }) =>
      name.endsWith(`-${language.tag.toLowerCase()}`) &&
      !name.includes('hostile') &&
      !OF_ADMIN.test(name),
  )

  it('every page of signing in and out, allowing and errors has no English words [UX-19]', () => {
    expect(pages.map(({ name }) => name)).toContain(
      `consent-everything-${language.tag.toLowerCase()}`,
    )
    for (const { name, html } of pages)
      expect([name, latinWordsOf(html.toString())]).toEqual([name, []])
  })

  it('every page of the admin area has no English words but names and what the library says [UX-19]', () => {
    const { lantern, kiln } = SCHOOLS
    const managers = managersGallery({ ...lantern, language }, { ...kiln, language })
    expect(managers.length).toBeGreaterThan(35)
    const found = managers.map(({ name, html }) => [
      name,
      latinWordsOf(html.toString().replace(OF_MANAGERS, '')),
    ])
    expect(found.filter(([, words]) => words!.length > 0)).toEqual([])
  })

  it('every error has words of its own [UX-19]', () => {
    const text = JSON.stringify(Object.values(language.words.errors.pages))
    expect(text.replaceAll(/"(?:title|what|advice)":/g, '')).not.toMatch(/[a-z]/i)
  })

  it('every scope of the school and its group have words [UX-19]', () => {
    const { scopes, groups } = language.words
    for (const name of schoolScopes.names) {
      expect(Object.keys(scopes!)).toContain(name)
      expect(Object.keys(groups!)).toContain(schoolScopes.get(name)!.group)
    }
  })
})

describe('words', () => {
  it('are replaced with a copy of the object', () => {
    const signInWords = { ...english.words.signIn, submit: 'Come in' }
    const page = signIn({ ...english, words: { ...english.words, signIn: signInWords } })
    expect(page).toContain('>Come in</button>')
    expect(page).toContain('>Password</label>')
  })

  it('that a language lacks for a scope or an end are marked as English', () => {
    const page = consentPage({
      site: { name: 'Lantern', theme: 'lantern', language: LANGUAGES[2]! },
      view: {
        addsTo: null,
        action: '/oauth/interaction/abc',
        csrfToken: 'csrf',
        client: STUDY_BUDDY_VIEW,
        person: {
          subject: 'mem_1',
          orgId: 'site_1',
          roles: ['student'],
          name: 'Mei',
          email: null,
          picture: null,
        },
        scopes: [
          {
            scope: 'kiln:fire',
            text: 'Fire the kiln. It cannot open it',
            group: 'Kiln',
            access: 'write',
            personalData: false,
            sensitive: false,
            beyondRole: false,
            alreadyGranted: false,
          },
        ],
        blocked: null,
        uiLocales: [],
        mayPaste: false,
        mayNarrow: false,
        notice: null,
        grantLifetimeSeconds: 86_400,
        grantEnds: [{ id: 'year', label: 'For a year', endsAt: 1_800_000_000 }],
        clientEndsAt: null,
      },
    }).toString()
    for (const text of ['Fire the kiln', 'It cannot open it.', 'Kiln', 'For a year'])
      expect(page).toContain(`<span lang="en" dir="ltr">${text}</span>`)
  })
})
