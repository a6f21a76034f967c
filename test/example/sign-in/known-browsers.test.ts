import { beforeEach, describe, expect, it } from 'vitest'
import {
  createKnownBrowsers,
  type KnownBrowsers,
} from '../../../examples/school/src/sign-in/known-browsers.js'
import { T } from '../../support/school/school.js'

const MEI = 'mei@example.com'
const SECRET = 'a sealing secret of thirty-two characters'
const DAYS_180 = 180 * 86_400

let now: number
const create = (changes: Partial<Parameters<typeof createKnownBrowsers>[0]> = {}): KnownBrowsers =>
  createKnownBrowsers({
    origin: 'https://lantern.example',
    site: 'site_lantern',
    sealingSecret: SECRET,
    now: () => now,
    ...changes,
  })

const pairOf = (cookie: string): string => cookie.split(';', 1)[0]!
const requestWith = (cookie: string): Request =>
  new Request('https://lantern.example/sign-in', { headers: { cookie } })

beforeEach(() => {
  now = T
})

describe('a known browser', () => {
  it('has a cookie for this host alone, out of the reach of scripts', () => {
    expect(create().cookie(MEI)).toMatch(
      /^__Host-school-known=[\w-]{22}\.[\w-]{22}\.\d+\.[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(create({ origin: 'http://127.0.0.1:3000' }).cookie(MEI)).toMatch(
      /^school_known_site_lantern=[^;]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  it('is known by this cookie, which is another one each time, for its account [UX-11]', () => {
    const known = create()
    const [one, other] = [pairOf(known.cookie(MEI)), pairOf(known.cookie(MEI))]
    const [idOfOne, idOfOther] = [one, other].map((pair) => known.idOf(requestWith(pair), MEI))
    expect(idOfOne).toMatch(/^[\w-]{22}$/)
    expect(idOfOther).not.toBe(idOfOne)
    expect(known.idOf(requestWith(`a=b; ${one}`), ' MEI@example.com ')).toBe(idOfOne)
    expect(create().idOf(requestWith(one), MEI)).toBe(idOfOne)
  })

  it('names its account to no one else, and the same in each browser of it', () => {
    const known = create()
    const accountOf = (email: string): string | null =>
      known.accountOf(requestWith(pairOf(known.cookie(email))).headers)
    expect(accountOf(MEI)).toMatch(/^[\w-]{22}$/)
    expect(accountOf(' MEI@example.com ')).toBe(accountOf(MEI))
    expect(accountOf('jonas@example.com')).not.toBe(accountOf(MEI))
    const { headers } = requestWith(pairOf(known.cookie(MEI)))
    expect(create({ site: 'site_kiln' }).accountOf(headers)).toBeNull()
    now += DAYS_180
    expect(known.accountOf(headers)).toBeNull()
  })

  it('is known for 180 days', () => {
    const known = create()
    const pair = pairOf(known.cookie(MEI))
    now += DAYS_180 - 1
    expect(known.idOf(requestWith(pair), MEI)).not.toBeNull()
    now += 1
    expect(known.idOf(requestWith(pair), MEI)).toBeNull()
  })

  it('is not known for another account, at another site or under another secret [UX-11]', () => {
    const pair = pairOf(create().cookie(MEI))
    expect(create().idOf(requestWith(pair), 'jonas@example.com')).toBeNull()
    expect(create({ site: 'site_kiln' }).idOf(requestWith(pair), MEI)).toBeNull()
    const sealingSecret = SECRET.toUpperCase()
    expect(create({ sealingSecret }).idOf(requestWith(pair), MEI)).toBeNull()
  })

  it('is still known after a rotation of the secret, and before it at processes of both steps [KEY-07]', () => {
    const next = 'the next secret of thirty-two characters'
    const announced = create({ previousSealingSecrets: [next] })
    const switched = create({ sealingSecret: next, previousSealingSecrets: [SECRET] })
    const [old, fresh] = [pairOf(create().cookie(MEI)), pairOf(switched.cookie(MEI))]
    for (const pair of [old, fresh])
      for (const known of [announced, switched])
        expect(known.idOf(requestWith(pair), MEI)).toMatch(/^[\w-]{22}$/)
    const dropped = create({ sealingSecret: next })
    expect(dropped.idOf(requestWith(fresh), MEI)).not.toBeNull()
    expect(dropped.idOf(requestWith(old), MEI)).toBeNull()
    expect(switched.idOf(requestWith(old), 'jonas@example.com')).toBeNull()
  })

  it.each([
    ['no cookie', () => ''],
    ['an empty one', () => '__Host-school-known='],
    ['a later end', (pair: string) => pair.replace(/\.\d(?=\d{9}\.)/, '.9')],
    [
      'another account',
      (pair: string) => pair.replace(/\../, (start) => (start === '.A' ? '.B' : '.A')),
    ],
    [
      'another identifier',
      (pair: string) => pair.replace(/=./, (start) => (start === '=A' ? '=B' : '=A')),
    ],
    ['no signature', (pair: string) => pair.replace(/[^.]+$/, '')],
    ['a short signature', (pair: string) => pair.slice(0, -1)],
    ['a part more', (pair: string) => `${pair}.x`],
  ])('is not known by %s', (_, change) => {
    const known = create()
    const request = requestWith(change(pairOf(known.cookie(MEI))))
    expect([known.idOf(request, MEI), known.accountOf(request.headers)]).toEqual([null, null])
  })
})
