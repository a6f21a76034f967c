import { isProblem, type OperationContext, type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import { idOf, newId } from '../admin/fields.js'
import type { Db, Kit } from '../admin/kit.js'
import { refuseLive } from './rules.js'
import { deploymentId, deployments, deploymentSent, Page, PageDeployment, pageId, pages } from './shape.js' // prettier-ignore

/** The operations on deployments. A deployment is first a preview, then live, then retired. */
export function pageDeploymentOperations(kit: Kit): readonly SchoolOperation[] {
  const write = { scope: 'pages:write', effect: 'write', method: 'POST' } as const
  const chosen = z.strictObject({ id: pageId, deployment_id: deploymentId })

  /** Makes a deployment of a page the live one. */
  const goLive = (
    verb: 'promote' | 'rollback',
    context: OperationContext,
    { id, deployment_id: wanted }: z.output<typeof chosen>,
  ): Promise<Page | Problem> =>
    kit.change<Page>(context, pages, id, async (db) => {
      const deployment = (await db.find(deployments, wanted)) as PageDeployment | null
      if (deployment?.page_id !== id)
        return refuseWith(
          'unprocessable',
          'deployment_id must be the id of a deployment of this page',
        )
      if (deployment.state === 'live') return
      const refused = refuseLive(verb, deployment.state)
      if (refused !== null) return refused
      const at = kit.now()
      await db.update('page_deployment', wanted, { promoted_at: at, updated_at: at })
      return db.update('page', id, { current_number: deployment.number, updated_at: at })
    })

  return [
    defineList({
      id: 'pages.list_deployments',
      summary: 'List the deployments of a page',
      scope: 'pages:read',
      path: '/pages/{id}/deployments',
      tool: 'list_page_deployments',
      item: PageDeployment,
      filters: {
        id: pageId,
        state: PageDeployment.shape.state.optional(),
        deployed_by: idOf('mem').optional(),
      },
      sorts: ['created_at', 'number'],
      async rows(_context, { filters: { id: page_id, ...filters }, ...request }) {
        const page = await kit.get<Page>(pages, page_id)
        return isProblem(page)
          ? page
          : kit.list<PageDeployment>(deployments, { ...request, filters: { ...filters, page_id } })
      },
    }),
    defineOperation({
      ...write,
      id: 'pages.deploy',
      summary: 'Deploy a page as a preview',
      description: 'Visitors see the live deployment until the preview is promoted.',
      path: '/pages/{id}/deployments',
      tool: { name: 'deploy_page', argument: 'action', value: 'deploy' },
      input: z.strictObject({
        id: pageId,
        ...deploymentSent,
        note: deploymentSent.note.default(''),
      }),
      output: PageDeployment,
      status: 201,
      events: ['page.deployed'],
      run: (context, { id, ...input }) =>
        kit.create<PageDeployment>(context, deployments, async (db) => {
          const number = await nextNumber(db, id)
          if (isProblem(number)) return number
          const refused = await refuseBundle(db, input.upload_id)
          if (refused !== null) return refused
          const at = kit.now()
          const row = { ...input, id: newId('dpl'), page_id: id, number }
          const deployed_by = context.access.person.subject
          await db.insert('page_deployment', {
            ...row,
            deployed_by,
            created_at: at,
            updated_at: at,
          })
          await db.update('page', id, { updated_at: at })
          return row.id
        }),
    }),
    defineOperation({
      ...write,
      id: 'pages.promote',
      summary: 'Make a preview the live page',
      description:
        'Every visitor sees it immediately. Promoting the live deployment changes nothing.',
      idempotent: true,
      path: '/pages/{id}/promote',
      tool: { name: 'deploy_page', argument: 'action', value: 'promote' },
      input: chosen,
      output: Page,
      events: ['page.published'],
      run: (context, input) => goLive('promote', context, input),
    }),
    defineOperation({
      ...write,
      id: 'pages.rollback',
      summary: 'Roll back to an earlier deployment',
      description:
        'Every visitor sees it immediately. Rolling back to the live deployment changes nothing.',
      destructive: true,
      idempotent: true,
      path: '/pages/{id}/rollback',
      input: chosen,
      output: Page,
      tool: 'rollback_page',
      events: ['page.rolled_back'],
      run: (context, input) => goLive('rollback', context, input),
    }),
  ]
}

/** Returns the number of the next deployment of a page. The page is locked, so no other deployment gets it. */
async function nextNumber(db: Db, page: string): Promise<number | Problem> {
  const [locked] = await db.query(
    'select id from school_page where site = $1 and id = $2 for update',
    page,
  )
  if (locked === undefined) return refuseWith('not_found')
  const [row] = await db.query(
    `select coalesce(max(number), 0) + 1 as next from school_page_deployment
     where site = $1 and page_id = $2`,
    page,
  )
  return row!['next'] as number
}

async function refuseBundle(db: Db, uploadId: string): Promise<Problem | null> {
  const rows = await db.query(
    `select from school_upload
     where site = $1 and id = $2 and purpose = 'page_bundle' and completed_at is not null
     for update`,
    uploadId,
  )
  return rows.length > 0
    ? null
    : refuseWith(
        'unprocessable',
        `${uploadId} must be a completed upload for the purpose page_bundle`,
      )
}
