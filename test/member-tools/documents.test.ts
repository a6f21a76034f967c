import { accountSchema } from 'hallpass/account'
import { accountTools, isToolError } from 'hallpass/mcp'
import { parse, print, validate, type ValueNode, visit } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAdmission, type OperationRequest } from '../../src/account/api/admission.js'
import { DEFAULT_LIMITS } from '../../src/account/api/limits.js'
import * as documents from '../../src/mcp/member-tools/documents.js'
import { callerWith, type Members, openMembers } from './support.js'

const TEXTS = Object.entries<string>({ ...documents })

describe('a document of the tools', () => {
  it.each(TEXTS)('is valid: %s', (_, text) => {
    expect(validate(accountSchema(), parse(text))).toEqual([])
  })

  it.each(TEXTS)('holds no value that a caller sends: %s', (name, text) => {
    const values: string[] = []
    // Of graphql 16 and 17, one prints spaces within braces.
    const printed = (value: ValueNode): string => print(value).replaceAll(' ', '')
    visit(parse(text), { Argument: ({ value }) => void values.push(printed(value)) })
    const fixed = values.filter((value) => !value.startsWith('$'))
    expect(fixed).toEqual(name === 'RESUME_ANY' ? ['1', '{accessState:[ACTIVE]}', '1'] : [])
  })
})

/** What each tool asks the Account API for, at the most that it can cost, in points. */
const POINTS: readonly (readonly [string, Readonly<Record<string, unknown>>, readonly number[]])[] =
  [
    ['get_my_profile', {}, [2]],
    ['list_my_courses', { limit: 50 }, [153]],
    ['list_my_courses', { limit: 50, expires_within_days: 7 }, [153]],
    ['get_my_course', { slug: 'mine-1' }, [149]],
    ['resume_learning', {}, [19]],
    ['resume_learning', { slug: 'mine-1' }, [9]],
    ['list_my_orders', { limit: 50 }, [703]],
    ['get_my_order', { id: 'ord_1' }, [88]],
    ['list_my_event_registrations', { limit: 50 }, [153]],
    ['list_my_memberships', { limit: 50 }, [103]],
    ['list_my_downloads', { limit: 50 }, [603]],
    ['update_my_profile', { name: 'Mei' }, [2, 14]],
    ['save_my_position', { course: 'mine-1', lecture_id: '1-l1', position_seconds: 1 }, [9, 20]],
    ['mark_my_lecture', { course: 'mine-1', lecture_id: '1-l1', completed: true }, [9, 20]],
    ['cancel_my_registration', { id: 'reg_1' }, [3, 15]],
  ]

describe('a call', () => {
  let members: Members
  beforeAll(async () => {
    members = await openMembers()
  })

  it.each(POINTS)('of %s %j costs %j points', async (name, args, points) => {
    const { access, school } = members
    const { asked, call } = recording(members)
    expect(isToolError(await call(name, args))).toBe(false)
    const admit = createAdmission(accountSchema(), {
      limits: DEFAULT_LIMITS,
      bucket: null,
      ...school.site,
    })
    const costs = await Promise.all(
      asked.map(async (request) => {
        const admitted = await admit(request, access, school.site.payerOf(null))
        return 'cost' in admitted ? admitted.cost.requested : admitted
      }),
    )
    expect(costs).toEqual(points)
    expect(Math.max(...points)).toBeLessThan(DEFAULT_LIMITS.cost)
  })

  it('is priced for every tool', () => {
    const names = accountTools(members.api).map(({ name }) => name)
    expect(new Set(POINTS.map(([name]) => name))).toEqual(new Set(names))
  })
})

function recording({ api, access, school }: Members) {
  const asked: OperationRequest[] = []
  const call = callerWith(
    {
      execute(caller, request) {
        asked.push(request)
        return api.execute(caller, request)
      },
    },
    access,
    () => school.clock.now,
  )
  return { asked, call }
}
