import { getRequestListener } from '@hono/node-server'
import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import { createProtectedResource } from 'hallpass'
import * as z from 'zod'
import { BASE_PATH, Course, createAccess, FILTERS, LIST, scenariosOf } from './common.mjs'
import { pageOf } from './page.mjs'

/** The query parameters of `defineList` for zod-openapi, which coerces them from text. */
const Query = z.strictObject({
  ...FILTERS,
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(1024).optional(),
  sort: z.enum(LIST.sorts.flatMap((field) => [field, `-${field}`])).default('-created_at'),
  q: z.string().min(1).max(200).optional(),
  updated_since: z.iso.datetime({ offset: true }).max(40).optional(),
  fields: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(Object.keys(Course.shape))).min(1))
    .optional(),
})
const Page = z.object({
  data: z.array(Course),
  page: z.object({ next_cursor: z.string().max(1024).nullable(), has_more: z.boolean() }),
})

/**
 * Creates the same list with Hono and zod-openapi, behind the gate of hallpass.
 *
 * @param parsesOutput - whether the response is validated against its schema, as hallpass does
 */
export async function createHono({ origin, parsesOutput }) {
  const { accessTokens, site } = await createAccess({ origin })
  const gate = createProtectedResource(site).gate(LIST.scope)
  const guard = async (c, next) => {
    const access = await gate({ headers: { get: (name) => c.req.header(name) } })
    if (access instanceof Response) return access
    if (!access.person.roles.some((role) => LIST.roles.includes(role)))
      return c.json({ code: 'forbidden_role' }, 403)
    return next()
  }
  const route = createRoute({
    method: 'get',
    path: BASE_PATH + LIST.path,
    middleware: [guard],
    request: { query: Query },
    responses: {
      200: { description: 'A page.', content: { 'application/json': { schema: Page } } },
    },
  })
  const app = new OpenAPIHono()
  app.openapi(route, (c) => {
    const page = pageOf(c.req.valid('query'))
    return c.json(parsesOutput ? Page.parse(page) : page, 200)
  })
  return { listener: getRequestListener(app.fetch), scenarios: scenariosOf(accessTokens) }
}
