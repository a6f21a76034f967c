import { isProblem, type OperationContext, type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { common, commonSql, idOf, newId, time, timeSql } from '../admin/fields.js'
import type { Db, Kit, Resource } from '../admin/kit.js'
import { PURPOSES, refuseUpload, signTarget } from './upload-policy.js'

const TARGET_SECONDS = 15 * 60

const id = idOf('upl')
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .max(64)
  .describe('SHA-256 hash of the bytes, in lower-case hexadecimal.')

const fields = {
  filename: z
    .string()
    .max(200)
    // oxlint-disable-next-line no-control-regex -- it refuses them
    .regex(/^(?!\.)[^\x00-\x1f\x7f-\x9f/\\]+$/),
  content_type: z
    .string()
    .max(100)
    .regex(/^[a-z]+\/[a-z0-9.+-]+$/),
  size: z.int().min(1).max(1e12).describe('Size in bytes.'),
  purpose: z.enum(PURPOSES),
}

const Upload = z
  .object({
    id,
    ...fields,
    sha256: sha256.nullable(),
    state: z
      .enum(['awaiting', 'ready', 'failed'])
      .describe(
        '`awaiting` until the upload is completed, then `ready`. `failed` if it was not completed in time.',
      ),
    url: z
      .string()
      .max(2048)
      .meta({ format: 'uri' })
      .nullable()
      .describe('URL of the file when it is ready, otherwise null.'),
    uploader_id: idOf('mem'),
    expires_at: time.describe('When an upload that was not completed fails.'),
    ...common,
  })
  .meta({ id: 'Upload', description: 'A file in the school’s storage.' })
type Upload = z.output<typeof Upload>

const UploadTarget = z
  .object({
    method: z.literal('PUT'),
    url: z.string().max(2048).meta({ format: 'uri' }),
    content_type: fields.content_type,
    expires_at: time,
  })
  .meta({
    id: 'UploadTarget',
    description: 'The request with which to send the bytes. Do not share its URL.',
  })

const NewUpload = Upload.extend({ target: UploadTarget }).meta({
  id: 'NewUpload',
  description: 'An upload that was begun, with the target for its bytes.',
})
type NewUpload = z.output<typeof NewUpload>

// The state is computed from `expires_at`, so an upload fails without any write.
const resource = ({ now, origin }: { now: number; origin: string }): Resource => ({
  table: 'upload',
  select: `select u.id, jsonb_build_object(
      'id', u.id, 'filename', u.filename, 'content_type', u.content_type, 'size', u.size,
      'sha256', u.sha256, 'purpose', u.purpose, 'state', case
        when u.completed_at is not null then 'ready'
        when u.expires_at <= ${now} then 'failed'
        else 'awaiting'
      end,
      'url', case when u.completed_at is not null then '${origin}/files/' || u.id end,
      'uploader_id', u.uploader_id, 'expires_at', ${timeSql('u.expires_at')}, ${commonSql('u')}
    ) as data
    from school_upload u where u.site = $1`,
})

/**
 * Defines the operations on uploads. Only the person who began an upload can see, complete and delete
 * it. The bytes are not stored here: the server that receives them calls `isTargetSigned`.
 *
 * @param signingKey - the key that signs targets, from `targetKeyOf`
 */
export function storageOperations(
  kit: Kit,
  { signingKey }: { signingKey: string },
): readonly SchoolOperation[] {
  const uploads = (): Resource => resource({ now: kit.now(), origin: kit.origin })
  const byId = z.strictObject({ id })
  const save = { scope: 'storage:write', effect: 'write', output: Upload } as const

  /** Returns an upload of the caller. An upload of another person is reported as not found. */
  async function own({ access }: OperationContext, uploadId: string): Promise<Upload | Problem> {
    const upload = await kit.get<Upload>(uploads(), uploadId)
    if (isProblem(upload)) return upload
    return upload.uploader_id === access.person.subject ? upload : refuseWith('not_found')
  }

  return [
    defineOperation({
      id: 'uploads.get',
      summary: 'Get an upload of your own',
      scope: 'storage:write',
      effect: 'read',
      method: 'GET',
      path: '/uploads/{id}',
      input: byId,
      output: Upload,
      run: (context, input) => own(context, input.id),
    }),
    defineOperation({
      ...save,
      id: 'uploads.create',
      summary: 'Begin an upload',
      description: 'Send the bytes to `target` within 15 minutes, then complete the upload.',
      method: 'POST',
      path: '/uploads',
      input: z.strictObject({ ...fields, sha256: sha256.nullable().default(null) }),
      output: NewUpload,
      status: 201,
      tool: 'create_upload',
      async run(context, input) {
        const { purpose, content_type: contentType, size } = input
        const refused = refuseUpload({ purpose, contentType, size })
        if (refused !== null) return refused
        const at = kit.now()
        const expiresAt = at + TARGET_SECONDS
        const uploadId = newId('upl')
        const upload = await kit.create<Upload>(context, uploads(), async (db) => {
          await db.insert('upload', {
            ...input,
            id: uploadId,
            uploader_id: context.access.person.subject,
            expires_at: expiresAt,
            created_at: at,
            updated_at: at,
          })
          return uploadId
        })
        return isProblem(upload) ? upload : withTarget(upload, expiresAt)
      },
    }),
    defineOperation({
      ...save,
      id: 'uploads.complete',
      summary: 'Complete an upload',
      description:
        'Confirms that the bytes were sent, by their hash. Repeating the call has no further effect. Refused after `expires_at`.',
      idempotent: true,
      method: 'POST',
      path: '/uploads/{id}/complete',
      input: z.strictObject({ id, sha256 }),
      tool: 'complete_upload',
      events: ['upload.completed'],
      async run(context, { id: uploadId, sha256: hash }) {
        const found = await own(context, uploadId)
        if (isProblem(found)) return found
        return kit.change<Upload>(context, uploads(), uploadId, async (db, current) => {
          if (current.sha256 !== null && current.sha256 !== hash)
            return refuseWith(
              'conflict',
              'the upload was begun or completed with a different sha256',
            )
          if (current.state === 'ready') return
          if (current.state === 'failed')
            return refuseWith('conflict', 'the upload expired at expires_at: begin a new one')
          const at = kit.now()
          return db.update('upload', uploadId, { sha256: hash, completed_at: at, updated_at: at })
        })
      },
    }),
    defineOperation({
      ...save,
      id: 'uploads.remove',
      summary: 'Delete an upload',
      description: 'Refused while a lecture, a download or a page uses the file.',
      destructive: true,
      method: 'DELETE',
      path: '/uploads/{id}',
      input: byId,
      output: z.null(),
      status: 204,
      precondition: 'optional',
      async run(context, { id: uploadId }) {
        const found = await own(context, uploadId)
        if (isProblem(found)) return found
        return kit.remove<Upload>(context, uploads(), uploadId, async (db, current) =>
          (await isUsed(db, current))
            ? refuseWith('conflict', 'a lecture, a download or a page uses the file')
            : db.remove('upload', uploadId),
        )
      },
    }),
  ]

  function withTarget(upload: Upload, expiresAt: number): NewUpload {
    const url = new URL(`${kit.origin}/uploads/${upload.id}`)
    url.searchParams.set('expires', String(expiresAt))
    const target = { site: kit.site, id: upload.id, expiresAt }
    url.searchParams.set('signature', signTarget(signingKey, target))
    const { content_type, expires_at } = upload
    return { ...upload, target: { method: 'PUT', url: url.href, content_type, expires_at } }
  }
}

async function isUsed(db: Db, { id: uploadId, url }: Upload): Promise<boolean> {
  const rows = await db.query(
    `select from school_digital_file where site = $1 and upload_id = $2
     union all
     select from school_page_deployment where site = $1 and upload_id = $2
     union all
     select from school_lecture
     where site = $1 and attachments @> jsonb_build_array(jsonb_build_object('url', $3::text))
     limit 1`,
    uploadId,
    url,
  )
  return rows.length > 0
}
