import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PATHS, routesOf } from 'hallpass/authorization-server'
import type { GrantType } from 'hallpass/blocks'
import { describe, expect, it } from 'vitest'
import { createEndpoint } from '../../src/http/frame.js'
import { pageErrors } from '../../src/authorization-server/error-format.js'
import { GRANT } from '../../src/site/block.js'
import { createDeviceSchool, DEVICE_PATH } from '../support/school/device-school.js'
import { authorizationUrl } from '../support/school/flow.js'
import { createBrowser, createSchool, ISSUER } from '../support/school/school.js'
import { readSource } from '../support/source/compile.js'
import { ROOT } from '../support/source/root.js'

const LINK = `${PATHS.interaction}/grant_${'g'.repeat(43)}?add=courses:write+files.*`
const WAITING = `${PATHS.interaction}/${'i'.repeat(43)}`
const PRIVATE = /oauth\W{1,3}interaction/
const {
  school: { site },
} = await createDeviceSchool()

describe('returnTo of a site', () => {
  it('reads every path that a page of a server with blocks gives to a sign-in page', async () => {
    const { school } = await createDeviceSchool({
      options: { stepUpLinks: true },
    })
    school.signedIn = null
    const browser = createBrowser(school)
    const given = new Set<string>()
    const visit = async (path: string | URL): Promise<void> => {
      await browser.open(path)
      if (school.view?.page === 'signIn') given.add(school.view.view.returnTo)
    }
    for (const [path] of routesOf(school.server))
      for (const query of ['', '?user_code=WDJB-MJHT', '?user_code=wdjbmjht', '?add=courses:write'])
        await visit(path.replace(':id', `grant_${'g'.repeat(43)}`) + query)
    await visit(authorizationUrl())
    expect(given.size).toBe(4)
    for (const form of [
      DEVICE_PATH,
      `${DEVICE_PATH}?user_code=WDJB-MJHT`,
      LINK.replace('+files.*', ''),
    ])
      expect(given).toContain(form)
    expect([...given].map(school.site.returnTo)).toEqual([...given])
  })

  it('is asked by the server too, so that no block gives a path that it does not know', async () => {
    const own: GrantType = {
      kind: GRANT,
      name: 'urn:example:own',
      parameters: {},
      forServer: { describe: (known) => known },
      create: (configuration) => ({
        load: async () => {
          throw new Error('not asked')
        },
        endpoints: {
          '/oauth/own': createEndpoint(
            configuration,
            { name: 'own', methods: ['GET'], cors: null, errors: pageErrors(configuration) },
            async ({ incoming }) =>
              configuration.interact.signIn(incoming.request(), {
                returnTo: '/oauth/own',
              } as never),
          ),
        },
      }),
    }
    const school = await createSchool({ options: { blocks: [own] } })
    expect((await school.fetch(`${ISSUER}/oauth/own`)).status).toBe(500)
    expect(String(school.faults.at(-1)?.fault)).toContain('site.returnTo')
  })

  it('reads the forms of these paths alone, and of no other 1,000 texts', async () => {
    const own = [WAITING, LINK, DEVICE_PATH, `${DEVICE_PATH}?user_code=WDJB-MJHT`]
    const around = [
      '//evil.example', 'https://evil.example', 'https:evil.example', 'javascript:', 'data:,', '\\', '\\\\evil.example', '/\\evil.example',
      ' ', '\t', '\n', '\r\nlocation: https://evil.example', '\0', '\u2028', '\u00a0', '%0d%0a', '%2e%2e', '%2f', '%5c', '/..', '/../..',
      '/.', '/', '//', '?', '#', '#//evil.example', '@evil.example', ':80', ISSUER, 'https://a@lantern.example', '?next=//evil.example',
      '&add=a', '&user_code=WDJB-MJHT', ';', '/%2e%2e/%2e%2e', '\u00e9', '"', '<', "x'", 'A', '-', '.', '*', '+x', '=', '%', '%zz', '\u202e',
    ] // prettier-ignore
    // At its end, a link may go on with further characters of a scope.
    const ends = (path: string): readonly number[] => (path === LINK ? [] : [path.length])
    const inserted = own.flatMap((path) =>
      around.flatMap((text) =>
        [0, 1, 7, 18, 40, ...ends(path)].map((at) => path.slice(0, at) + text + path.slice(at)),
      ),
    )
    const cut = own.flatMap((path) => [path.slice(1), path.slice(0, 12), path.toUpperCase()])
    const others = ['', '/', '/oauth', PATHS.authorize, PATHS.token, '/sign-in', ...around]
    const texts = new Set([...inserted, ...cut, ...others])
    expect(texts.size).toBeGreaterThan(1000)
    expect([...texts].filter((text) => site.returnTo(text) !== null)).toEqual([])
    expect((await createSchool()).site.returnTo(DEVICE_PATH)).toBeNull()
    for (const value of [null, undefined, 7, [], [WAITING], { toString: () => WAITING }])
      expect(site.returnTo(value)).toBeNull()
    for (const path of own) {
      expect(site.returnTo(path)).toBe(path)
      expect(new URL(path, ISSUER).href).toBe(ISSUER + path)
    }
  })

  it('is what examples, projects and guides ask, and none of them has a path of its own for it', () => {
    const files = ['examples', 'packages', 'skills', 'docs/do', 'docs/learn', 'docs/operations']
      .flatMap((folder) => readdirSync(ROOT + folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && /\.(?:[mc]?[jt]sx?|md)$/.test(entry.name))
      .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
      .filter(
        (path) => !/node_modules|\/dist\/|\/\.next|\/templates\/|^packages\/[^/]+\/test/.test(path),
      )
    expect(files.length).toBeGreaterThan(400)
    const found = ['README.md', ...files].filter((path) => PRIVATE.test(readSource(path)))
    expect(found).toEqual([])
  })
})
