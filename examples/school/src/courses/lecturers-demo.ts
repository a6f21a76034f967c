import { DAY } from '../demo/rows.js'
import {
  type DemoOptions,
  insertMissing,
  type JsonRow,
  type JsonRows,
  type PerSchool,
} from '../demo/seed.js'

const lecturer = (
  id: string,
  at: number,
  texts: { slug: string; name: string; bio_html: string },
  more: { avatar_url?: string; links?: readonly object[] } = {},
): JsonRow => ({
  id,
  ...texts,
  avatar_url: more.avatar_url ?? null,
  links: more.links ?? [],
  created_at: at,
  updated_at: at,
})

/** Three lecturers, one of them without a course so far. */
const lanternLecturers = (now: number): JsonRows => ({
  lecturer: [
    lecturer(
      'lct_l01',
      now - 480 * DAY,
      {
        slug: 'amara-obi',
        name: 'Amara Obi',
        bio_html: '<p>Draws people on trains, and has the patience to let them get off.</p>',
      },
      {
        avatar_url: 'https://images.example/people/amara-obi.jpg',
        links: [{ label: 'Sketchbooks', url: 'https://amara.example/books' }],
      },
    ),
    lecturer('lct_l02', now - 400 * DAY, {
      slug: 'ines-duarte',
      name: 'Ines Duarte',
      bio_html: '<p>Founded the school in a former lamp shop.</p>',
    }),
    lecturer('lct_l03', now - 12 * DAY, {
      slug: 'bruno-alves',
      name: 'Bruno Alves',
      bio_html: '',
    }),
  ],
})

/** The only lecturer of the other school. */
const kilnLecturers = (now: number): JsonRows => ({
  lecturer: [
    lecturer('lct_k01', now - 290 * DAY, {
      slug: 'hao-yu-lin',
      name: 'Hao-Yu Lin',
      bio_html: '<p>林皓宇，拉坯二十年。</p>',
    }),
  ],
})

const lecturers: PerSchool<JsonRows> = { site_lantern: lanternLecturers, site_kiln: kilnLecturers }

/** Inserts the lecturers of the demo. */
export const seedLecturers = (options: DemoOptions): Promise<void> =>
  insertMissing(options, lecturers[options.site]?.(options.now()))
