import * as z from 'zod'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import { newId } from '../admin/fields.js'
import type { Kit } from '../admin/kit.js'
import { pageDeploymentOperations } from './deployments.js'
import { refusePathPrefix } from './rules.js'
import { Page, pageId, pages, pageSent } from './shape.js'

/** The operations on custom pages and their deployments. */
export function pageOperations(kit: Kit): readonly SchoolOperation[] {
  const byId = z.strictObject({ id: pageId })
  const save = { scope: 'pages:write', effect: 'write', output: Page } as const

  return [
    defineList({
      id: 'pages.list',
      summary: 'List pages',
      scope: 'pages:read',
      path: '/pages',
      tool: 'list_pages',
      item: Page,
      filters: {
        slug: pageSent.slug.optional(),
        kind: pageSent.kind.optional(),
        path_prefix: pageSent.path_prefix.optional(),
        state: Page.shape.state.optional(),
      },
      sorts: ['created_at', 'updated_at', 'title', 'path_prefix'],
      rows: (_context, request) => kit.list<Page>(pages, request),
    }),
    defineOperation({
      id: 'pages.get',
      summary: 'Get a page',
      scope: 'pages:read',
      effect: 'read',
      method: 'GET',
      path: '/pages/{id}',
      tool: 'get_page',
      input: byId,
      output: Page,
      run: (_context, { id }) => kit.get<Page>(pages, id),
    }),
    defineOperation({
      ...save,
      id: 'pages.create',
      summary: 'Create a page',
      description: 'Visitors cannot see the page until one of its deployments is promoted.',
      method: 'POST',
      path: '/pages',
      input: z.strictObject(pageSent),
      status: 201,
      tool: 'create_page',
      events: ['page.created'],
      run: (context, input) =>
        kit.create<Page>(context, pages, async (db) => {
          const refused = refusePathPrefix(input.path_prefix)
          if (refused !== null) return refused
          const at = kit.now()
          const row = { ...input, id: newId('pag'), created_at: at, updated_at: at }
          await db.insert('page', row)
          return row.id
        }),
    }),
    defineOperation({
      ...save,
      id: 'pages.update',
      summary: 'Change a page',
      description: 'Members that you omit stay unchanged. The kind never changes.',
      method: 'PATCH',
      path: '/pages/{id}',
      input: z.strictObject({
        id: pageId,
        slug: pageSent.slug.optional(),
        title: pageSent.title.optional(),
        path_prefix: pageSent.path_prefix.optional(),
      }),
      precondition: 'optional',
      events: ['page.updated'],
      run: (context, { id, ...changes }) =>
        kit.change<Page>(context, pages, id, async (db, { path_prefix: present }) => {
          const refused = refusePathPrefix(changes.path_prefix ?? present)
          if (refused !== null) return refused
          return db.update('page', id, { ...changes, updated_at: kit.now() })
        }),
    }),
    defineOperation({
      ...save,
      id: 'pages.remove',
      summary: 'Delete a page',
      description:
        'Cannot be undone. The deployments are deleted as well, but their uploads are kept.',
      destructive: true,
      method: 'DELETE',
      path: '/pages/{id}',
      input: byId,
      output: z.null(),
      status: 204,
      precondition: 'optional',
      events: ['page.deleted'],
      run: (context, { id }) => kit.remove<Page>(context, pages, id, (db) => db.remove('page', id)),
    }),
    ...pageDeploymentOperations(kit),
  ]
}
