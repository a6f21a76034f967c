import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isPublicUnicast } from '../../src/node/address.js'

/**
 * Blocks of the IANA special-purpose registries: first and last address, and the neighbours on both
 * sides that belong to no block, or `null`.
 */
type Block = readonly [
  name: string,
  before: string | null,
  first: string,
  last: string,
  after: string | null,
]

const BLOCKS: readonly Block[] = [
  ['0.0.0.0/8', null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10.0.0.0/8', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['192.31.196.0/24', '192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['192.52.193.0/24', '192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['192.88.99.0/24', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['192.175.48.0/24', '192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['198.18.0.0/15', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['224.0.0.0/4', '223.255.255.255', '224.0.0.0', '239.255.255.255', null],
  ['240.0.0.0/4', null, '240.0.0.0', '255.255.255.255', null],

  // Below 2000:: and above 3fff:: nothing is public, hence those have no neighbours.
  ['::/96', null, '::', '::255.255.255.255', null],
  ['::ffff:0:0/96', null, '::ffff:0.0.0.0', '::ffff:255.255.255.255', null],
  ['::ffff:0:0:0/96', null, '::ffff:0:0.0.0.0', '::ffff:0:255.255.255.255', null],
  ['64:ff9b::/96', null, '64:ff9b::', '64:ff9b::ffff:ffff', null],
  ['64:ff9b:1::/48', null, '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', null],
  ['100::/64', null, '100::', '100::ffff:ffff:ffff:ffff', null],
  ['100:0:0:1::/64', null, '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff', null],
  ['below 2000::/3', null, '::1:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  [
    '2001::/23',
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  [
    '2001:db8::/32',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
  ],
  [
    '2002::/16',
    '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2002::',
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2003::',
  ],
  [
    '2620:4f:8000::/48',
    '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8001::',
  ],
  [
    '3fff::/20',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::',
  ],
  [
    'above 2000::/3',
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '4000::',
    'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    null,
  ],
  ['5f00::/16', null, '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['fc00::/7', null, 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['fe80::/10', null, 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['fec0::/10', null, 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['ff00::/8', null, 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
]

describe('a public unicast address [CIMD-21] [CIMD-22]', () => {
  test.each(BLOCKS)('is none of %s', (_name, before, first, last, after) => {
    expect([first, last].filter(isPublicUnicast)).toEqual([])
    const neighbours = [before, after].filter((address) => address !== null)
    expect(neighbours.filter((address) => !isPublicUnicast(address))).toEqual([])
  })

  test.each([
    ['an IPv4 address mapped into IPv6', '::ffff:93.184.215.14'],
    ['the same in hexadecimal', '::ffff:5db8:d70e'],
    ['an IPv4-compatible address', '::93.184.215.14'],
    ['a translated address', '64:ff9b::93.184.215.14'],
    ['a 6to4 address', '2002:5db8:d70e::1'],
    ['a Teredo address', '2001:0:5db8:d70e::1'],
  ])('is not %s, not even of a public one', (_name, address) => {
    expect(isPublicUnicast(address)).toBe(false)
  })

  test.each([
    '',
    'localhost',
    'app.example',
    '2606:4700::1111%eth0',
    'fe80::1%1',
    '[2606:4700::1111]',
    '93.184.215.14:443',
    '93.184.215',
    '1572395790',
    '0x5d.184.215.14',
    '0135.184.215.14',
    '93.184.215.014',
    '93.184.215.14.',
    ' 93.184.215.14',
    '93.184.215.14\n',
    '93.184.215.14/32',
    '256.1.1.1',
  ])('is not %j', (text) => {
    expect(isPublicUnicast(text)).toBe(false)
  })

  it('may be written in any form that IPv6 knows', () => {
    const forms = [
      '2606:4700:4700::1111',
      '2606:4700:4700:0:0:0:0:1111',
      '2606:4700:4700:0000:0000:0000:0000:1111',
      '2606:4700:4700::0.0.17.17',
      '2A00:1450:4001:81B::200E',
    ]
    expect(forms.filter((form) => !isPublicUnicast(form))).toEqual([])
  })

  it('is judged as a list of the blocks judges it, whatever the address', () => {
    // Two lists, for one would take an IPv4 address for its mapped form and find that blocked.
    const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
    for (const [, , first, last] of BLOCKS) {
      const family = first.includes(':') ? 'ipv6' : 'ipv4'
      lists[family].addRange(first, last, family)
    }
    const near = BLOCKS.flatMap(([, ...addresses]) => addresses).filter((text) => text !== null)
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
    const v6 = fc.oneof(
      fc.ipV6(),
      fc
        .tuple(fc.constantFrom('2001', '2620', '3fff'), group, group)
        .map((parts) => parts.join(':') + '::'),
      fc.constantFrom(...near.filter((text) => text.includes(':'))),
    )
    const agreesOn = (family: 'ipv4' | 'ipv6') => (text: string) =>
      isPublicUnicast(text) === !lists[family].check(text, family)
    fc.assert(fc.property(fc.ipV4(), agreesOn('ipv4')), { seed: 1, numRuns: 2000 })
    fc.assert(fc.property(v6, agreesOn('ipv6')), { seed: 2, numRuns: 4000 })
  })
})
