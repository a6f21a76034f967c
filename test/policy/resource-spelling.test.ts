import { decideResource, defineResource } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { spelledAs, withSpellings } from '../../src/policy/resource-spelling.js'
import { describeResource, ORIGIN } from './resource-support.js'

const names = withSpellings(defineResource(ORIGIN))
const PATHS = ['', '/mcp', '/mcp/signed-in', '/mcp/member', '/account/graphql']
/** Every address, with and without the default port and a slash at the end. */
const ADDRESSES = [ORIGIN, `${ORIGIN}:443`].flatMap((origin) =>
  PATHS.flatMap((path) => [`${origin}${path}`, `${origin}${path}/`]),
)
const ACCEPTED = [
  ...ADDRESSES,
  ...ADDRESSES.filter((address) => address.includes('/mcp')).map(
    (address) => `${address}?toolset=sales`,
  ),
  'HTTPS://LANTERN.EXAMPLE',
  'https://Lantern.Example:443/mcp/',
  'HTTPS://lantern.example/mcp/signed-in?toolset=a1_b-c',
  `${ORIGIN}/mcp?toolset=${'a'.repeat(40)}`,
]

/** What is accepted, said in another way: by splitting the string. */
function isListed(resource: string): boolean {
  const [scheme = '', , host = '', ...path] = resource.split('/')
  const last = path.join('/').split('?toolset=')
  const address = [scheme.toLowerCase(), '', host.toLowerCase(), ...last.slice(0, 1)].join('/')
  const isNamed = last.length === 2 && path[0]?.startsWith('mcp') === true
  return (
    /^[ -~]*$/.test(resource) &&
    ADDRESSES.includes(path.length === 0 ? address.slice(0, -1) : address) &&
    (last.length === 1 || (isNamed && /^[a-z][a-z0-9_-]{0,39}$/.test(last[1]!)))
  )
}

describeResource({
  names,
  accepted: ACCEPTED,
  refused: [
    'https://kiln.example',
    'https://lantern.example:80',
    'https://lantern.example:8443/mcp',
    'https://lantern.example//',
    'https://lantern.example/mcp//',
    'https://lantern.example/MCP',
    'https://lantern.example/mcp/sales',
    'https://lantern.example/Account/graphql',
    'https://lantern.example#',
    'https://lantern.example?',
    'https://lantern.example/mcp#',
    'https://lantern.example/mcp?',
    'https://lantern.example/mcp?toolset=',
    'https://lantern.example/mcp?toolset=Sales',
    'https://lantern.example/mcp?TOOLSET=sales',
    'https://lantern.example/mcp?toolset=1',
    'https://lantern.example/mcp?toolset=sales&a=b',
    'https://lantern.example/mcp?a=b&toolset=sales',
    'https://lantern.example/mcp?a=b',
    'https://lantern.example/mcp?toolset=sales?toolset=sales',
    'https://lantern.example/mcp?toolset=sales\n',
    `https://lantern.example/mcp?toolset=${'a'.repeat(41)}`,
    'https://lantern.example?toolset=sales',
    'https://lantern.example/account/graphql?toolset=sales',
    'https://kiln.example/mcp?toolset=sales',
    'https://user@lantern.example',
    // The Kelvin sign and the dotless i: letters that turn into ASCII letters in another case.
    'https://lantern.e\u0131ample',
    'http\u017f://lantern.example',
    'https://lantern.example/./mcp',
    'https://lantern.example\\mcp',
    ' https://lantern.example',
    'http://lantern.example',
    '/mcp',
    'lantern.example',
  ],
  isListed,
})

describe('the spellings of several resources', () => {
  const GRADES = 'https://grades.example'
  const IDN = 'https://xn--schler-5ya.example:8443'
  const several = withSpellings({
    canonical: ORIGIN,
    accepted: new Map([ORIGIN, GRADES, IDN].flatMap((one) => [...defineResource(one).accepted])),
  })
  const decide = (...resources: string[]) => {
    const decided = decideResource({ resources, names: several, required: true })
    return decided.ok ? decided.resource : decided.reason
  }

  it.each([
    [ORIGIN, ORIGIN],
    [`${ORIGIN}/mcp`, ORIGIN],
    [GRADES, GRADES],
    [`${GRADES}/`, GRADES],
    [`${GRADES}/mcp/member/`, GRADES],
    ['HTTPS://GRADES.example:443/mcp/signed-in?toolset=sales', GRADES],
    [`${GRADES}/account/graphql`, GRADES],
    // What a URL parser makes of an address with other letters.
    [new URL('https://sch\u00fcler.example:8443/mcp').href, IDN],
  ])('read %s as %s', (resource, canonical) => {
    expect(decide(resource)).toBe(canonical)
    expect(decide(resource, canonical)).toBe(canonical)
  })

  it.each([
    'https://kiln.example',
    `${GRADES}.kiln.example`,
    `${GRADES}:8443`,
    'https://xn--schler-5ya.example',
    'http://grades.example',
    `${GRADES}/MCP`,
    `${GRADES}/mcp/other`,
    `${GRADES}/mcp#part`,
    `${GRADES}#`,
    `${GRADES}?`,
    `${GRADES}/mcp?a=b`,
    `${GRADES}/%6Dcp`,
    `${GRADES}/account%2Fgraphql`,
    'https://grades%2Eexample',
    'https://grades.example.',
    'https://sch\u00fcler.example:8443',
    'https://user@grades.example',
    `${GRADES}//`,
    'grades.example',
    '',
  ])('know no %j', (resource) => {
    expect(decide(resource)).toBe('resource_unknown')
    expect(decide(GRADES, resource)).toBe('resource_unknown')
  })

  it('are of one resource in one request, since a token is for one', () => {
    expect(decide(ORIGIN, GRADES)).toBe('resource_unknown')
    expect(decide(`${GRADES}/`, GRADES)).toBe(GRADES)
  })

  it('mean the first where none is sent', () => {
    expect(decideResource({ resources: [], names: several, required: false })).toEqual({
      ok: true,
      resource: ORIGIN,
    })
  })
})

describe('the spellings', () => {
  it.each([
    ['http://lantern.example', ':80', ':443'],
    ['https://lantern.example', ':443', ':80'],
  ])('knows the default port of %s', (origin, own, other) => {
    const of = withSpellings(defineResource(origin))
    const isAccepted = (resource: string): boolean =>
      decideResource({ resources: [resource], names: of, required: true }).ok
    expect([isAccepted(origin + own), isAccepted(origin + other)]).toEqual([true, false])
  })

  it.each(['http://127.0.0.1:6200', 'http://[::1]:6200', 'https://lantern.example:8443'])(
    'keeps the port of %s',
    (origin) => {
      expect(
        decideResource({
          resources: [`${origin.toUpperCase()}/mcp`],
          names: withSpellings(defineResource(origin)),
          required: true,
        }),
      ).toEqual({ ok: true, resource: origin })
    },
  )

  it('lowers the case of ASCII letters only', () => {
    const names = withSpellings(defineResource('https://k.example'))
    const decide = (resource: string): boolean =>
      decideResource({ resources: [resource], names, required: true }).ok
    expect([decide('https://K.example'), decide('https://\u212a.example')]).toEqual([true, false])
  })
})

describe('spelledAs', () => {
  it.each([
    ['/mcp', '/mcp', '/mcp'],
    ['/mcp', '/mcp/', '/mcp/'],
    ['/mcp', '/mcp?toolset=sales', '/mcp?toolset=sales'],
    ['/mcp', '/mcp/?toolset=sales', '/mcp/?toolset=sales'],
    ['/mcp', '/mcp?toolset=all', '/mcp?toolset=all'],
    ['/mcp', '/mcp?toolset=Sales', '/mcp'],
    ['/mcp', '/mcp?toolset=sales&a=b', '/mcp'],
    ['/mcp', '/mcp?a=/', '/mcp'],
    ['/mcp', '/mcp?', '/mcp'],
    ['/mcp/member', '/mcp/member?toolset=sales', '/mcp/member?toolset=sales'],
    ['/account/graphql', '/account/graphql?toolset=sales', '/account/graphql'],
    ['/account/graphql', '/account/graphql/', '/account/graphql/'],
    [ORIGIN, '/.well-known/oauth-protected-resource', ORIGIN],
    [
      `${ORIGIN}/mcp`,
      '/.well-known/oauth-protected-resource/mcp?toolset=a',
      `${ORIGIN}/mcp?toolset=a`,
    ],
  ])('spells %s as %s does: %s', (address, target, spelled) => {
    expect(spelledAs(address, target)).toBe(spelled)
  })
})
