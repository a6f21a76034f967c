import { type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import type { SchoolOperation } from '../admin/define.js'
import {
  common,
  commonSql,
  idOf,
  line,
  money,
  moneyInput,
  moneySql,
  slug,
} from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
import { html } from '../admin/html.js'
import type { Columns, Db, Kit, Listed } from '../admin/kit.js'

const id = idOf('dgp')

const fields = { slug, title: line(), description_html: html(), price: moneyInput }

const FileChoice = z.strictObject({ upload_id: idOf('upl'), name: line().optional() }).meta({
  id: 'DigitalFileChoice',
  description: 'A completed upload. The name may differ from the name of the upload.',
})
const filesSent = z.array(FileChoice).max(50)
type FilesSent = z.output<typeof filesSent>

const DigitalFile = z
  .object({
    name: z.string().max(200),
    content_type: z.string().max(100),
    size: z.int().min(0).nullable().describe('Bytes.'),
    upload_id: idOf('upl').nullable(),
  })
  .meta({ id: 'DigitalFile' })

const DigitalProduct = z
  .object({
    id,
    ...fields,
    description_html: z.string().max(50_000),
    price: money,
    files: z.array(DigitalFile).max(500),
    state: z.enum(['draft', 'published', 'archived']),
    sales_count: z.int().min(0).describe('Number of people who own it.'),
    ...common,
  })
  .meta({ id: 'DigitalProduct', description: 'A download for sale, with its files.' })
type DigitalProduct = z.output<typeof DigitalProduct>

// Older rows lack the newer columns. They were for sale.
const products: Listed = {
  table: 'digital_product',
  search: ['slug', 'title', 'description_html'],
  select: `select p.id, jsonb_build_object(
      'id', p.id, 'slug', p.slug, 'title', p.title,
      'description_html', coalesce(p.description_html, ''),
      'price', ${moneySql('coalesce(p.price, 0)', "coalesce(p.currency, 'EUR')")},
      'files', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'name', f.name, 'content_type', f.content_type, 'size', f.size_bytes,
          'upload_id', f.upload_id) order by f.position), '[]')
        from school_digital_file f where f.site = p.site and f.product_id = p.id
      ),
      'state', coalesce(p.state, 'published'), 'sales_count', (
        select count(*) from school_digital_ownership o
        where o.site = p.site and o.product_id = p.id
      ), ${commonSql('t')}
    ) as data
    from school_digital_product p
    cross join lateral (
      select coalesce(p.created_at, 0) as created_at, coalesce(p.updated_at, 0) as updated_at
    ) t
    where p.site = $1`,
}

/** The operations on downloads for sale. */
export function digitalProductOperations(kit: Kit): readonly SchoolOperation[] {
  const frame = frameOf(kit, {
    scope: 'digital_products',
    prefix: 'dgp',
    called: 'download for sale',
    item: DigitalProduct,
    rows: products,
  })

  return [
    frame.list({
      summary: 'List downloads for sale',
      filters: { slug: slug.optional(), state: DigitalProduct.shape.state.optional() },
      sorts: ['created_at', 'updated_at', 'title', 'sales_count'],
    }),
    frame.get(),
    frame.create({
      description:
        'The download is a draft until it is published. Its files are completed uploads.',
      input: z.strictObject({
        ...fields,
        description_html: fields.description_html.default(''),
        files: filesSent.default([]),
      }),
      columns(sent) {
        const { files: _, ...columns } = sent
        return { ...columnsOf(columns), state: 'draft' }
      },
      after: (db, made, { files }) => replaceFiles(db, made, files),
    }),
    frame.update({
      description:
        'Members that you omit stay unchanged. `files` replaces the previous files, in this order. People who own the download keep it.',
      input: z.strictObject({
        id,
        ...z.object(fields).partial().shape,
        files: filesSent.optional(),
      }),
      async columns({ files, ...sent }, { id: productId, state }, db) {
        if (files?.length === 0 && state === 'published') return noFiles()
        const refused = files === undefined ? null : await replaceFiles(db, productId, files)
        return refused ?? columnsOf(sent)
      },
    }),
    frame.move('publish', {
      summary: 'Put a download on sale',
      description: 'It also puts an archived download on sale again. Repeating it changes nothing.',
      events: ['digital_product.published'],
      columns: ({ state, files }) => {
        if (state === 'published') return null
        return files.length === 0 ? noFiles() : { state: 'published' }
      },
    }),
    frame.move('archive', {
      summary: 'Take a download off sale',
      description: 'People who own the download keep it. Repeating it changes nothing.',
      events: ['digital_product.archived'],
      columns: ({ state }) => (state === 'archived' ? null : { state: 'archived' }),
    }),
  ]
}

const noFiles = (): Problem => refuseWith('unprocessable', 'a download on sale needs a file')

const columnsOf = ({
  price,
  ...rest
}: Readonly<Record<string, unknown>> & {
  price?: z.output<typeof money> | undefined
}): Columns => ({
  ...rest,
  ...(price !== undefined && { price: price.amount, currency: price.currency }),
})

/** Replaces the files of a download. */
async function replaceFiles(db: Db, productId: string, files: FilesSent): Promise<Problem | null> {
  // Locked, so that no upload is deleted before it is used.
  const uploads = await db.query(
    `select id, filename, content_type, size::text from school_upload
     where site = $1 and id in (select jsonb_array_elements_text($2::text::jsonb))
       and purpose = 'digital_product' and completed_at is not null
     order by id for update`,
    JSON.stringify(files.map(({ upload_id }) => upload_id)),
  )
  const byId = new Map(uploads.map((upload) => [upload['id'], upload]))
  const missing = files.find(({ upload_id }) => !byId.has(upload_id))
  if (missing !== undefined)
    return refuseWith(
      'unprocessable',
      `${missing.upload_id} must be a completed upload for the purpose digital_product`,
    )
  await db.query('delete from school_digital_file where site = $1 and product_id = $2', productId)
  for (const [position, { upload_id, name }] of files.entries()) {
    const { filename, content_type, size } = byId.get(upload_id)!
    const row = { product_id: productId, position, upload_id, name: name ?? filename }
    await db.insert('digital_file', { ...row, content_type, size_bytes: size })
  }
  return null
}
