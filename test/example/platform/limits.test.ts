import { describe, expect, it } from 'vitest'
import { openCounters } from '../../../examples/school/src/platform/counters.js'
import { createLimits, type Limits } from '../../../examples/school/src/platform/limits.js'
import { createPayers, type Sender } from '../../../examples/school/src/platform/payer.js'

const ORIGIN = 'https://school.example'
/** A cookie that names an account: here, itself. */
const accountOf = (headers: Sender['headers']): string | null => headers.get('cookie')
const payerOf = createPayers({ origin: ORIGIN, accountOf })

const from = (address: string | null, headers: Record<string, string> = {}): Sender => ({
  address,
  headers: new Headers(headers),
})

async function open(): Promise<Limits> {
  return createLimits(await openCounters({ redisUrl: null }), { payerOf })
}

/** How many of so many requests may proceed. */
async function proceeding(times: number, ask: (index: number) => Promise<number>): Promise<number> {
  let count = 0
  for (let index = 0; index < times; index++) if ((await ask(index)) === 0) count++
  return count
}

const nobody = async (): Promise<null> => null

const PAGE = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'no-cors',
  'sec-fetch-dest': 'image',
}
const FORM = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}
const SCRIPT = {
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
}
const EVIL = 'https://evil.example'

describe('who pays for a request', () => {
  it.each([
    ['a program', {}, '192.0.2.1'],
    [
      'an address that someone types',
      { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' },
      '192.0.2.1',
    ],
    ['a link of another site', FORM, '192.0.2.1'],
    ['a form of another site, in the whole window', { ...FORM, origin: EVIL }, '192.0.2.1'],
    ['a page of the school itself', { ...SCRIPT, origin: ORIGIN }, '192.0.2.1'],
    ['an image of another site', PAGE, '192.0.2.1 pages'],
    [
      'a form of another site, in a frame',
      { ...FORM, 'sec-fetch-dest': 'iframe', origin: EVIL },
      '192.0.2.1 pages',
    ],
    [
      'a script of another site',
      { ...SCRIPT, 'sec-fetch-site': 'cross-site', origin: EVIL },
      '192.0.2.1 pages',
    ],
    [
      'a script of a subdomain',
      { ...SCRIPT, 'sec-fetch-site': 'same-site', origin: 'https://blog.school.example' },
      '192.0.2.1 pages',
    ],
    ['a browser without these headers', { origin: EVIL }, '192.0.2.1 pages'],
    ['a known browser', { cookie: 'mei' }, 'known mei'],
    ['a known browser that follows a link', { ...FORM, cookie: 'mei' }, 'known mei'],
    ['another site in a known browser', { ...PAGE, cookie: 'mei' }, '192.0.2.1 pages'],
  ])('is told of %s', (_, headers, key) => {
    const name = 'cookie' in headers ? 'known mei' : '192.0.2.1'
    expect(payerOf(from('192.0.2.1', headers))).toEqual({
      isNetwork: key === '192.0.2.1',
      key,
      name,
    })
  })

  it('is a network of 64 bits, and one for all whose address is not known', () => {
    expect(payerOf(from('2001:db8:0:1::7')).key).toBe('2001:db8:0:1::/64')
    expect([payerOf(from(null)).key, payerOf(from('?')).key]).toEqual(['unknown', 'unknown'])
  })

  it('is the same for all pages of a network, whatever origin they name', async () => {
    const { ofEndpoint } = await open()
    const page = (index: number): Sender =>
      from('192.0.2.1', { origin: `https://a${index}.evil.example` })
    expect(await proceeding(1000, (index) => ofEndpoint!('token', page(index), nobody))).toBe(60)
    expect(await ofEndpoint!('token', from('192.0.2.1'), nobody)).toBe(0)
  })
})

describe('the limits of a school', () => {
  it('stop a network at ten times the requests of one payer, at one endpoint [LIM-01]', async () => {
    const { ofEndpoint } = await open()
    const register = (address: string) => ofEndpoint!('register', from(address), nobody)
    expect(await proceeding(610, (index) => register(`2001:db8::${index.toString(16)}`))).toBe(600)
    expect(await register('2001:db8:0:1::1')).toBe(0)
    expect(await ofEndpoint!('token', from('2001:db8::1'), nobody)).toBe(0)
  })

  it('stop a subscriber of IPv6 at twice the requests of one network, whichever it uses [LIM-01]', async () => {
    const { ofEndpoint } = await open()
    const register = (address: string) => ofEndpoint!('register', from(address), nobody)
    const within = (index: number): string => `2001:db8:0:${(index % 1000).toString(16)}::1`
    expect(await proceeding(1300, (index) => register(within(index)))).toBe(1200)
    expect(await register('2001:db8:1::1')).toBe(0)
    expect(await ofEndpoint!('token', from(within(0)), nobody)).toBe(0)
    expect(await ofEndpoint!('register', from(within(0), { cookie: 'mei' }), nobody)).toBe(0)
  })

  it('let whoever holds a credential go on, each for themselves, once a network has spent what it has [LIM-01]', async () => {
    const { ofEndpoint } = await open()
    let found = 0
    const ask = (holder: string | null, address = '192.0.2.1') =>
      ofEndpoint!('graphql', from(address), async () => {
        found++
        return holder
      })
    expect(await proceeding(1200, () => ask('mei'))).toBe(1200)
    expect(found).toBe(0)
    expect(await proceeding(10, () => ask(null))).toBe(0)
    expect(await proceeding(2000, () => ask('mei'))).toBe(120)
    expect(await ask('jonas')).toBe(0)
    expect(await ask('mei', '192.0.2.2')).toBe(0)
  })

  it('stop a sender that asks for whatever it likes [LIM-01]', async () => {
    const { ofSender } = await open()
    expect(await proceeding(6100, () => ofSender(from('192.0.2.1')))).toBe(6000)
    expect(await ofSender(from('192.0.2.2'))).toBe(0)
    expect(await proceeding(700, () => ofSender(from('192.0.2.1', { cookie: 'mei' })))).toBe(600)
    expect(await proceeding(700, () => ofSender(from('192.0.2.1', PAGE)))).toBe(600)
  })

  it('let a page of another site spend nothing of anybody else [LIM-01]', async () => {
    const { ofSender, ofEndpoint } = await open()
    const evil = from('192.0.2.1', { ...PAGE, origin: EVIL })
    for (const name of ['token', 'authorize', 'revoke', 'register', 'anonymousMcp'] as const) {
      expect(await proceeding(100, () => ofEndpoint!(name, evil, nobody))).toBe(60)
      // An app at the same address, and a person who signs in there.
      expect(await proceeding(600, () => ofEndpoint!(name, from('192.0.2.1'), nobody))).toBe(600)
    }
    expect(await proceeding(700, () => ofSender(evil))).toBe(600)
    expect(await proceeding(6000, () => ofSender(from('192.0.2.1')))).toBe(6000)
  })
})
