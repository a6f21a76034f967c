import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { OptionsError } from 'hallpass'
import { accountTools, type createMcpEndpoint, defineTools } from 'hallpass/mcp'
import { testSite } from 'hallpass/testing'
import { afterAll, expect, it } from 'vitest'
import { BLOCKS } from '../support/docs/pages.js'
import { ROOT } from '../support/source/root.js'
import { toolWith } from './values.js'

const FOLDER = `${ROOT}test/.tmp/page-of-mcp-${process.pid}`
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

/** What the reader has: the page only declares it. */
const YOURS = `
import { createAccountApi, emptyAccountSource } from 'hallpass/account'
import { createAdminApi, defineOperation } from 'hallpass/admin'
import { testSite } from 'hallpass/testing'
import * as z from 'zod'

export const { site } = testSite()
export const account = createAccountApi(site, { source: { ...emptyAccountSource, profile: async () => null, site: async () => null } as never })
export const operator = createAdminApi(site, {
  operations: ['list_orders', 'get_order', 'list_coupons'].map((tool, index) =>
    defineOperation({
      id: 'orders.at' + index, summary: 'Read orders', scope: 'orders:read', effect: 'read', method: 'GET',
      path: '/orders/at' + index, tool, input: z.strictObject({}), output: z.object({ count: z.int() }),
      run: async () => ({ count: index }),
    }),
  ),
})
export const searchCourses = async () => []
export const coursesTaughtBy = async () => []
`

it('has in its guide tools of which all fit into one endpoint', async () => {
  const blocks = BLOCKS.filter(({ page, info }) => page === 'docs/do/mcp.md' && info === 'ts')
  mkdirSync(FOLDER, { recursive: true })
  for (const { file, code } of blocks)
    writeFileSync(`${FOLDER}/${file}`, file === 'yours.ts' ? YOURS : code)
  const defined = blocks.flatMap(({ code }) =>
    [...code.matchAll(/defineTool\(\{\s*name: '(\w+)'/g)].map(([, name]) => name!),
  )
  const { mcp } = (await import(/* @vite-ignore */ `${FOLDER}/mcp.ts`)) as {
    mcp: ReturnType<typeof createMcpEndpoint>
  }
  expect(defined.length).toBeGreaterThan(1)
  expect(mcp.registry.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([...defined, 'list_my_courses', 'list_orders']),
  )
})

it('says which tool of its own has the name of one of yours, and what helps', () => {
  const { site } = testSite()
  const ofMembers = accountTools({ execute: async () => ({ data: null }) })
  const mine = toolWith('list_my_courses', 'account:read')
  expect(() => defineTools([mine, ...ofMembers], site)).toThrow(
    new OptionsError('tools', [
      "list_my_courses is defined twice: the other one is from accountTools(account). Give your own another name, or leave that one out with .filter(({ name }) => name !== 'list_my_courses')",
    ]),
  )
  const others = ofMembers.filter(({ name }) => name !== 'list_my_courses')
  expect(defineTools([mine, ...others], site).tools).toHaveLength(ofMembers.length)
})
