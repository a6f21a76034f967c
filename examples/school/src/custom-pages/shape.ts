import * as z from 'zod'
import { common, commonSql, idOf, line, slug, time, timeSql } from '../admin/fields.js'
import type { Listed } from '../admin/kit.js'

/** The id of a page. */
export const pageId = idOf('pag')
/** The id of a deployment. */
export const deploymentId = idOf('dpl')

/** The members of a page in a request. */
export const pageSent = {
  slug,
  title: line(),
  kind: z.enum(['static', 'app']).describe('An app handles every path below its prefix.'),
  path_prefix: z
    .string()
    .max(100)
    .regex(/^(?:\/[a-z0-9]+(?:-[a-z0-9]+)*){1,4}$/),
}

/** The members of a deployment in a request. */
export const deploymentSent = {
  upload_id: idOf('upl').describe('A completed upload for the purpose page_bundle.'),
  note: z.string().trim().max(500),
}

/** A deployment of a page. */
export const PageDeployment = z
  .object({
    id: deploymentId,
    page_id: pageId,
    number: z.int().min(1),
    state: z.enum(['preview', 'live', 'retired']),
    ...deploymentSent,
    size: z.int().min(0).describe('Bytes.'),
    sha256: z.string().max(64).describe('SHA-256 of the bundle.'),
    deployed_by: idOf('mem'),
    promoted_at: time.nullable().describe('When it last became live.'),
    ...common,
  })
  .meta({ id: 'PageDeployment', description: 'A deployment of a page.' })
/** A deployment of a page, as the API returns it. */
export type PageDeployment = z.output<typeof PageDeployment>

/** A page on the school's domain. */
export const Page = z
  .object({
    id: pageId,
    ...pageSent,
    state: z.enum(['draft', 'live']),
    current_deployment: PageDeployment.nullable(),
    deployments: z.array(PageDeployment).max(20).describe('Its deployments, the latest first.'),
    ...common,
  })
  .meta({ id: 'Page', description: 'A custom page on the domain of the school.' })
/** A page, as the API returns it. */
export type Page = z.output<typeof Page>

const DEPLOYMENT = `jsonb_build_object(
  'id', d.id, 'page_id', d.page_id, 'number', d.number, 'state', case
    when d.number = p.current_number then 'live'
    when d.promoted_at is not null then 'retired'
    else 'preview'
  end,
  'upload_id', d.upload_id, 'note', d.note, 'size', u.size, 'sha256', u.sha256,
  'deployed_by', d.deployed_by, 'promoted_at', ${timeSql('d.promoted_at')}, ${commonSql('d')})`

const FROM = `school_page_deployment d
  join school_page p on p.site = d.site and p.id = d.page_id
  join school_upload u on u.site = d.site and u.id = d.upload_id`

/** The deployments of all pages of a site. */
export const deployments: Listed = {
  table: 'page_deployment',
  search: ['note'],
  select: `select d.id, ${DEPLOYMENT} as data from ${FROM} where d.site = $1`,
}

/** The pages of a site. */
export const pages: Listed = {
  table: 'page',
  search: ['slug', 'title', 'path_prefix'],
  select: `select g.id, jsonb_build_object(
      'id', g.id, 'slug', g.slug, 'title', g.title, 'kind', g.kind, 'path_prefix', g.path_prefix,
      'state', case when g.current_number is null then 'draft' else 'live' end,
      'current_deployment', (
        select ${DEPLOYMENT} from ${FROM}
        where d.site = g.site and d.page_id = g.id and d.number = g.current_number
      ),
      'deployments', (
        select coalesce(jsonb_agg(l.data order by l.number desc), '[]') from (
          select d.number, ${DEPLOYMENT} as data from ${FROM}
          where d.site = g.site and d.page_id = g.id order by d.number desc limit 20
        ) l
      ), ${commonSql('g')}
    ) as data
    from school_page g where g.site = $1`,
}
