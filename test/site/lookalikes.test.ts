import { LOOKALIKES } from 'hallpass'
import { decideRegistration, matchVendor, resemblesVendor } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { ACME, createSchool, ISSUER } from '../support/school/school.js'
import { processorMilliseconds } from '../support/run/processor-time.js'

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
  ])('has words that say nothing, or marks: %j', (name) => {
    expect(resemblesVendor({ name, vendors, lookalikes: LOOKALIKES })).toBe(true)
  })

  it.each([
    'Cursor Notes',
    'Recursor',
    'Cursors',
    'Curator',
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

  it('is found at once in a name that repeats it', async () => {
    const named = [{ ...CURSOR, name: 'Coco' }]
    const name = `${'co'.repeat(49)}x`
    const took = await processorMilliseconds(() =>
      expect(resemblesVendor({ name, vendors: named, lookalikes: LOOKALIKES })).toBe(false),
    )
    expect(took).toBeLessThan(50)
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
