import { DAY, HOUR } from '../demo/rows.js'
import { upload } from '../school/demo.js'
import {
  type DemoOptions,
  insertMissing,
  type JsonRow,
  type JsonRows,
  type PerSchool,
} from '../demo/seed.js'

const bundle = (id: string, uploader_id: string, at: number, size: number): JsonRow =>
  upload(id, uploader_id, at, {
    filename: 'site.zip',
    content_type: 'application/zip',
    size,
    purpose: 'page_bundle',
  })

const page = (
  id: string,
  at: number,
  more: { slug: string; title: string; kind: string; path_prefix: string; current: number | null },
): JsonRow => {
  const { current: current_number, ...rest } = more
  return { id, ...rest, current_number, created_at: at, updated_at: at }
}

const deployment = (
  id: string,
  of: { page_id: string; upload_id: string; number: number; deployed_by: string },
  { note, at, isPromoted }: { note: string; at: number; isPromoted: boolean },
): JsonRow => ({
  id,
  ...of,
  note,
  promoted_at: isPromoted ? at + HOUR : null,
  created_at: at,
  updated_at: at,
})

/** A page with its second release live and a third in preview, and an app without a release. */
const lanternPages = (now: number): JsonRows => {
  const exhibition = (number: number) =>
    ({ page_id: 'pag_l01', upload_id: `upl_l1${number}`, number, deployed_by: 'mem_l02' }) as const
  return {
    upload: [
      bundle('upl_l11', 'mem_l02', now - 60 * DAY, 812_330),
      bundle('upl_l12', 'mem_l02', now - 30 * DAY, 934_118),
      bundle('upl_l13', 'mem_l02', now - DAY, 940_002),
    ],
    page: [
      page('pag_l01', now - 61 * DAY, {
        slug: 'exhibition',
        title: 'Exhibition',
        kind: 'static',
        path_prefix: '/exhibition',
        current: 2,
      }),
      page('pag_l02', now - 4 * DAY, {
        slug: 'palette',
        title: 'Palette mixer',
        kind: 'app',
        path_prefix: '/tools/palette',
        current: null,
      }),
    ],
    page_deployment: [
      deployment('dpl_l01', exhibition(1), {
        note: 'First rooms',
        at: now - 60 * DAY,
        isPromoted: true,
      }),
      deployment('dpl_l02', exhibition(2), {
        note: 'Opening hours',
        at: now - 30 * DAY,
        isPromoted: true,
      }),
      deployment('dpl_l03', exhibition(3), {
        note: 'Winter rooms',
        at: now - DAY,
        isPromoted: false,
      }),
    ],
  }
}

/** The page of the other school, at a path that the first school uses as well. */
const kilnPages = (now: number): JsonRows => ({
  upload: [bundle('upl_k11', 'mem_k01', now - 20 * DAY, 120_000)],
  page: [
    page('pag_k01', now - 20 * DAY, {
      slug: 'exhibition',
      title: '展覽',
      kind: 'static',
      path_prefix: '/exhibition',
      current: 1,
    }),
  ],
  page_deployment: [
    deployment(
      'dpl_k01',
      { page_id: 'pag_k01', upload_id: 'upl_k11', number: 1, deployed_by: 'mem_k01' },
      { note: '', at: now - 20 * DAY, isPromoted: true },
    ),
  ],
})

const pages: PerSchool<JsonRows> = { site_lantern: lanternPages, site_kiln: kilnPages }

/** Inserts the custom pages of the demo. */
export const seedPages = (options: DemoOptions): Promise<void> =>
  insertMissing(options, pages[options.site]?.(options.now()))
