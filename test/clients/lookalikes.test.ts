import { LOOKALIKES } from 'hallpass/clients'
import { decideDocument, decideDocumentUrl, decideRegistration } from 'hallpass/policy'
import fc from 'fast-check'
import confusables from 'unhomoglyph/data.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { ACME, createSchool, ISSUER } from '../support/school/school.js'
import { processorMilliseconds } from '../support/run/processor-time.js'
import { rounds } from '../support/run/rounds.js'
import { resemblesVendor, matchVendor } from '../../src/policy/vendor-match.js'

const CURSOR = { ...ACME, clientId: 'cursor', name: 'Cursor' }
const vendors = [CURSOR]

/** Spellings of "Cursor". Escapes stand for what is invisible or looks alike. */
const SPELLINGS: readonly string[] = [
  'Cursor', 'cursor', 'CURSOR', ' Cursor ', 'C u r s o r', 'Cur-sor', 'Cursor!',
  'Cúrsor', 'Çursor', 'Cu\u0336rsor', 'Ｃｕｒｓｏｒ', '𝐂𝐮𝐫𝐬𝐨𝐫', '𝓒𝓾𝓻𝓼𝓸𝓻', 'Ⅽursor', 'Curs0r',
  '\u0421ursor', 'Cur\u0455or', 'Curs\u043er', 'Curs\u03bfr',
  'Cursor\u3164', 'Cur\uffa0sor', '\u115fCursor', 'Cursor\u1160',
  '\u03f9ursor', '\u03f2ursor', '\u13dfursor', '\ua4da\ua4f4rsor', 'C\u057drs\u0585r', '\u2ca5ursor',
  'ᴄᴜʀѕᴏʀ', 'Cu\u0433so\u0433', 'Cursor AI', 'Cursor (official)',
] // prettier-ignore

describe('a spelling that looks like the name of a vendor', () => {
  it('is one of 33', () => {
    expect(new Set(SPELLINGS).size).toBe(33)
  })

  it.each(SPELLINGS)('is shown to no one: %j [REG-07]', async (client_name) => {
    const school = await createSchool({ options: { vendors } })
    const response = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      body: JSON.stringify({ client_name, redirect_uris: ['http://127.0.0.1:3000/cb'] }),
      headers: { 'content-type': 'application/json' },
    })
    expect(await response.json()).toMatchObject({
      client_id: expect.stringMatching(/^app_/),
      client_name: 'An app on this computer',
    })
  })

  it.each([
    'Lantern Street Drawing School',
    'Lantern Street Drawing School Security Check',
    'LANTERN\u2003STREET DRAW\u0456NG SCHOOL',
  ])('or of the site itself is shown to no one: %j [REG-07]', async (client_name) => {
    const school = await createSchool()
    const response = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      body: JSON.stringify({ client_name, redirect_uris: ['http://127.0.0.1:3000/cb'] }),
      headers: { 'content-type': 'application/json' },
    })
    expect(await response.json()).toMatchObject({ client_name: 'An app on this computer' })
  })

  it('makes no client the vendor: only whole names do, without look-alikes', () => {
    const redirect_uris = CURSOR.redirectUris
    const kinds = SPELLINGS.map((client_name) => {
      const metadata = { client_name, redirect_uris }
      const decided = decideRegistration({ metadata, vendors, lookalikes: LOOKALIKES })
      return [client_name, decided.ok ? decided.registration.kind : decided.reason]
    })
    expect(kinds.filter(([, kind]) => kind === 'vendor').map(([name]) => name)).toEqual(
      SPELLINGS.filter((name) => matchVendor({ name, vendors }) !== null),
    )
    expect(kinds.filter(([, kind]) => kind === 'vendor')).toHaveLength(8)
  })

  it.each([
    'The Cursor App',
    'CursorAI',
    'cursor.com',
    'Cursor, Inc.',
    'Cursor: Cursor (verified)',
    'The real, original Cursor application',
    'C\u0335ursor',
    'Curso\u{e0072}r',
    '\u{1d402}ursor',
    '\u217dursor',
    'Cursor \uff21\uff29',
    'Cur\u017for',
    '\u03f2ur\u017for',
    'Cursor | AI',
    'Cursor Security Check',
    '🅒🅤🅡🅢🅞🅡',
    '🅲ursor',
    '🇨🇺🇷🇸🇴🇷',
    'ᑕurs⭕r',
  ])('has words that say nothing, or marks: %j', (name) => {
    expect(resemblesVendor({ name, vendors, lookalikes: LOOKALIKES })).toBe(true)
  })

  it.each([
    'Cursor Notes',
    'Recursor',
    'Cursors',
    'Curator',
    'Curfor',
    'Cursor Claude',
    'My Cursor server',
    'AI',
    'The App',
    '',
    'курсор',
    'カーソル',
    'کرسر',
    'कर्सर',
    '커서',
  ])('is not %j', (name) => {
    expect(resemblesVendor({ name, vendors, lookalikes: LOOKALIKES })).toBe(false)
  })

  it.each([
    ['that repeats it', 'Coco', `${'co'.repeat(49)}x`],
    ['of letters with two readings', 'ſ'.repeat(100), `${'ſ'.repeat(99)}x`],
    ['of signs that may be letters', '|o'.repeat(50), `${'|'.repeat(99)}x`],
    ['of ligatures of words', '\ufdfa'.repeat(100), `${'\ufdfa'.repeat(99)}x`],
  ])('is found at once in a name %s [REG-30]', async (_, owned, name) => {
    const named = [{ ...CURSOR, name: owned }]
    const took = await processorMilliseconds(() =>
      expect(resemblesVendor({ name, vendors: named, lookalikes: LOOKALIKES })).toBe(false),
    )
    expect(took).toBeLessThan(50)
  })

  it('ends for a table that replaces letters in a circle', () => {
    const lookalikes = { a: 'b', b: 'a', c: 'cc' }
    expect(resemblesVendor({ name: 'Bcb', vendors: [{ name: 'Aca' }], lookalikes })).toBe(true)
    expect(resemblesVendor({ name: 'Acd', vendors: [{ name: 'Aca' }], lookalikes })).toBe(false)
  })
})

const SITE = { name: 'Lantern Street Drawing School', issuer: ISSUER }

/** For letters, everything that Unicode takes for them: by its table, by compatibility, or in a frame. */
const ALIKE: ReadonlyMap<string, readonly string[]> = (() => {
  const found = new Map<string, string[]>()
  const add = (letters: string, character: string): void => {
    const read = letters.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    if (/^[a-z]{1,3}$/.test(read)) found.set(read, [...(found.get(read) ?? []), character])
  }
  for (const [character, letters] of Object.entries(confusables)) add(letters, character)
  for (let point = 0; point < 0x20000; point++)
    if (point < 0xd800 || point > 0xdfff) {
      const character = String.fromCodePoint(point)
      add(character, character)
    }
  for (let letter = 0; letter < 26; letter++)
    for (const first of [0x1f150, 0x1f170, 0x1f1e6])
      add(String.fromCodePoint(0x61 + letter), String.fromCodePoint(first + letter))
  return found
})()

const BETWEEN = [
  '',
  '',
  '',
  '',
  '\u0301',
  '\u0336',
  '\u20dd',
  '\ufe0f',
  '\u034f',
  '\u00ad',
  '\u200b',
  '-',
  '·',
  ' ',
  '\u3164',
]
const AROUND = [
  ['', ''],
  ['The ', ''],
  ['', ' AI'],
  ['', ' (official)'],
  ['', ' Security Check'],
  ['', ' Login'],
] as const

/** A spelling of a name that people take for it. */
const spellingOf = (name: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...AROUND), fc.infiniteStream(fc.nat()))
    .map(([[before, after], nat]) => {
      const pick = <Choice>(choices: readonly Choice[]): Choice =>
        choices[nat.next().value! % choices.length]!
      let text = ''
      for (let at = 0; at < name.length;) {
        const lengths = [1, 1, 2, 3].filter((length) =>
          ALIKE.has(name.slice(at, at + length).toLowerCase()),
        )
        const length = pick(lengths.length === 0 ? [0] : lengths)
        const letters = name.slice(at, at + length).toLowerCase()
        text += length === 0 ? pick([name[at]!, '', '.']) : pick([letters, ...ALIKE.get(letters)!])
        text += pick(BETWEEN)
        at += Math.max(length, 1)
      }
      return before + text + after
    })

describe('any spelling that Unicode takes for a name', () => {
  it.each([CURSOR.name, 'ChatGPT', 'Claude', SITE.name])('is refused: %s [REG-30]', (owned) => {
    const known = [{ ...CURSOR, name: owned }]
    fc.assert(
      fc.property(spellingOf(owned), (name) => {
        expect(resemblesVendor({ name, vendors: known, lookalikes: LOOKALIKES })).toBe(true)
      }),
      { seed: 30, numRuns: rounds(500, { soak: 50_000 }) },
    )
  })

  it('is shown to no one as the name of the site, and is no name of a document [REG-07, CIMD-39]', () => {
    const policy = { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] }
    const clientId = 'https://notes.example/client.json'
    const allowed = decideDocumentUrl({ clientId, policy })
    if (!allowed.ok) throw new Error(allowed.reason)
    const redirect_uris = ['http://127.0.0.1/cb']
    fc.assert(
      fc.property(spellingOf(SITE.name), (client_name) => {
        const metadata = { client_id: clientId, client_name, redirect_uris }
        const rules = { metadata, vendors, site: SITE, lookalikes: LOOKALIKES }
        const registered = decideRegistration(rules)
        // A name of more than 100 characters, or with some of the invisible ones, is none at all.
        const { name: shown } = registered.ok
          ? (registered.registration as { name: string })
          : { name: registered.reason }
        expect(['client_name_malformed', 'An app on this computer']).toContain(shown)
        const document = decideDocument({ ...rules, url: allowed.url })
        const refused = document.ok ? null : document.reason
        expect(['document_name_malformed', 'document_name_resembles_vendor']).toContain(refused)
      }),
      { seed: 30, numRuns: rounds(200, { soak: 20_000 }) },
    )
  })

  it('is no other name that has some of its words', () => {
    const words = [
      'Lantern',
      'Street',
      'Drawing',
      'School',
      'Notes',
      'for',
      'my',
      'Homework',
      'AI',
      'App',
      '2',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }), (some) => {
        const name = some.join(' ')
        const isItself = name.replace(/ ?\b(?:AI|App)\b ?/g, '') === SITE.name
        fc.pre(!isItself)
        expect(resemblesVendor({ name, vendors: [SITE], lookalikes: LOOKALIKES })).toBe(false)
      }),
      { seed: 30, numRuns: rounds(500, { soak: 50_000 }) },
    )
  })
})

describe('a document', () => {
  it('has the name of the site only on the own host of the site [CIMD-39]', () => {
    const read = (host: string): string | null => {
      const clientId = `https://${host}/client.json`
      const policy = { allowedHosts: [host], openRegistration: false, ports: [443] }
      const allowed = decideDocumentUrl({ clientId, policy })
      if (!allowed.ok) throw new Error(allowed.reason)
      const redirect_uris = ['http://127.0.0.1/cb']
      const metadata = { client_id: clientId, client_name: SITE.name, redirect_uris }
      const decided = decideDocument({ url: allowed.url, metadata, site: SITE })
      return decided.ok ? null : decided.reason
    }
    expect(read(new URL(ISSUER).host)).toBeNull()
    expect(read(`${new URL(ISSUER).host}.evil.example`)).toBe('document_name_resembles_vendor')
  })
})

describe('the table of look-alikes', () => {
  it('can be another one of the site', async () => {
    const school = await createSchool({ options: { vendors, lookalikes: { '♥': 'o' } } })
    const named = async (client_name: string): Promise<unknown> => {
      const response = await school.fetch(`${ISSUER}/api/oauth/register`, {
        method: 'POST',
        body: JSON.stringify({ client_name, redirect_uris: ['http://127.0.0.1:3000/cb'] }),
        headers: { 'content-type': 'application/json' },
      })
      return ((await response.json()) as { client_name: unknown }).client_name
    }
    expect(await named('Curs♥r')).toBe('An app on this computer')
    expect(await named('\u2ca5ursor')).toBe('\u2ca5ursor')
  })
})
