import { defineSite } from 'hallpass'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import * as z from 'zod'
import { PERSON, times } from '../subjects/common.mjs'
import { createIssuer } from '../subjects/hallpass-core.mjs'

/** The data that every subject of the operator set serves: the courses of one school, from an array. */
export const BASE_PATH = '/api/v1'
export const LIST = {
  id: 'courses.list',
  summary: 'List courses',
  scope: 'courses:read',
  path: '/courses',
  roles: ['owner', 'manager', 'lecturer'],
  sorts: ['created_at', 'title'],
}

const PAGE = 20
const T = 1_795_165_200
const GRANTS = 1000

const State = z.enum(['draft', 'published', 'archived'])

export const Course = z.object({
  id: z
    .string()
    .max(44)
    .regex(/^crs_\w{1,40}$/),
  slug: z
    .string()
    .max(80)
    .regex(/^[a-z0-9-]+$/),
  title: z.string().min(1).max(200),
  state: State,
  price: z.number().min(0).max(100_000).nullable(),
  currency: z.string().length(3),
  lecturer_ids: z.array(z.string().max(40)).max(20),
  lecture_count: z.int().min(0).max(10_000),
  cover_url: z.url().max(2000).nullable(),
  created_at: z.iso.datetime().max(30),
  updated_at: z.iso.datetime().max(30),
})

export const FILTERS = { state: State.optional() }

const timeOf = (seconds) => new Date(seconds * 1000).toISOString()

/** The courses, newest first, as an index returns them; every fourth is a draft. */
const ROWS = Array.from({ length: 200 }, (_, index) => ({
  id: `crs_${String(index).padStart(12, '0')}`,
  slug: `light-and-shade-${index}`,
  title: `Light and shade, part ${index}`,
  state: index % 4 === 3 ? 'draft' : 'published',
  price: index % 3 === 0 ? null : 40 + index,
  currency: 'EUR',
  lecturer_ids: [`mem_${index % 7}`, `mem_${index % 11}`],
  lecture_count: 10 + (index % 30),
  cover_url: index % 2 === 0 ? null : `https://school.example/covers/${index}.webp`,
  created_at: timeOf(T - index * 86_400),
  updated_at: timeOf(T - index * 3600),
}))

/** Returns the rows of a state, newest first. The scenario uses no other order and no cursor. */
export const rowsOf = ({ state, limit }) =>
  ROWS.filter((row) => state === undefined || row.state === state).slice(0, limit)

/** Creates a site whose store has one operator client with many grants. */
export async function createAccess({ origin }) {
  const store = createMemoryStore()
  const { issueTokens } = await createIssuer({
    store,
    origin,
    scopes: [LIST.scope],
    kind: 'loopback',
  })
  const issued = await times(GRANTS, () => issueTokens())
  const person = { ...PERSON, orgId: 'site_bench', roles: ['lecturer'], picture: null }
  return {
    accessTokens: issued.map(({ accessToken }) => accessToken),
    site: defineSite({
      issuer: origin,
      name: 'Bench',
      store,
      scopes: schoolScopes,
      roles: schoolRoles,
      findPerson: async (subject) => (subject === person.subject ? person : null),
    }),
  }
}

/** The scenario: the first page of the list, for one grant after the other. */
export function scenariosOf(accessTokens) {
  let requests = 0
  return {
    page: {
      expect: [`data.${PAGE - 1}.id`, 'page.next_cursor'],
      prepare: (count) =>
        times(count, () => ({
          path: `${BASE_PATH}${LIST.path}?state=published&limit=${PAGE}`,
          accessToken: accessTokens[requests++ % accessTokens.length],
        })),
    },
  }
}
