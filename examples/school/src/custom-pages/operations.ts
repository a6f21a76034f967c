import * as z from 'zod'
import type { SchoolOperation } from '../admin/define.js'
import { frameOf } from '../admin/frame.js'
import type { Kit } from '../admin/kit.js'
import { pageDeploymentOperations } from './deployments.js'
import { refusePathPrefix } from './rules.js'
import { Page, pageId, pages, pageSent } from './shape.js'

/** The operations on custom pages and their deployments. */
export function pageOperations(kit: Kit): readonly SchoolOperation[] {
  const frame = frameOf(kit, { scope: 'pages', prefix: 'pag', item: Page, rows: pages })

  return [
    frame.list({
      filters: {
        slug: pageSent.slug.optional(),
        kind: pageSent.kind.optional(),
        path_prefix: pageSent.path_prefix.optional(),
        state: Page.shape.state.optional(),
      },
      sorts: ['created_at', 'updated_at', 'title', 'path_prefix'],
    }),
    frame.get(),
    frame.create({
      description: 'Visitors cannot see the page until one of its deployments is promoted.',
      input: z.strictObject(pageSent),
      tool: 'create_page',
      columns: (sent) => refusePathPrefix(sent.path_prefix) ?? sent,
    }),
    frame.update({
      description: 'Members that you omit stay unchanged. The kind never changes.',
      tool: null,
      input: z.strictObject({
        id: pageId,
        ...z.object(pageSent).omit({ kind: true }).partial().shape,
      }),
      columns: (sent, { path_prefix: present }) =>
        refusePathPrefix(sent.path_prefix ?? present) ?? sent,
    }),
    frame.remove({
      description:
        'Cannot be undone. The deployments are deleted as well, but their uploads are kept.',
    }),
    ...pageDeploymentOperations(kit),
  ]
}
