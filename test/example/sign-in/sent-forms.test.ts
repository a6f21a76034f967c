import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPeople } from '../../../examples/school/src/members/people.js'
import { openDatabase } from '../../../examples/school/src/platform/database.js'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import {
  createSentForms,
  type SentForm,
  type SentForms,
} from '../../../examples/school/src/sign-in/sent-forms.js'
import { openTestDatabase } from '../../support/databases/templates.js'
import { T } from '../../support/school/school.js'

/** Lets the others go on. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const HOURS_12 = 12 * 3600
const SECRET = 'hps_a-secret-that-is-shown-once'

describe.each([
  ['the embedded database', () => openDatabase({ url: null, folder: null })],
  ['PostgreSQL', () => openTestDatabase({ connections: 4 })],
] as const)('forms that were sent, in %s', (_name, openOne) => {
  let database: Database
  let now: number
  let opened = 0
  let site: string
  let forms: SentForms
  let runs: number

  beforeAll(async () => {
    database = await openOne()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    now = T
    runs = 0
    opened += 1
    site = `site_${opened}`
    const person = { name: null, email: null, picture: null, passwordHash: null, suspended: false }
    await createPeople({ execute: database.execute, site }).add([
      { ...person, memberId: 'ines', role: 'owner' },
    ])
    forms = instance()
  })

  /** Another process of the same site. */
  const instance = (): SentForms =>
    createSentForms({ execute: database.execute, site, now: () => now, pause: () => nextTurn() })

  const formOf = (fields: Readonly<Record<string, string>> = {}): SentForm => ({
    visitor: 'v'.repeat(43),
    memberId: 'ines',
    path: '/oauth/applications/new',
    fields: new URLSearchParams({ csrf_token: 'nonce.mac', name: 'Sketch Pad', ...fields }),
  })

  const create = async () => {
    runs += 1
    return { response: new Response(`${SECRET} ${runs}`, { status: 200 }), isDone: true }
  }

  const rows = async (): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const found = await database.execute('select * from school_sent_form where site = $1', [site])
    return found.rows as readonly Record<string, unknown>[]
  }

  const shown = async (answer: Response | string): Promise<string> =>
    typeof answer === 'string' ? answer : `${answer.status} ${await answer.text()}`

  it('act once for two that arrive together at two instances, which say the same', async () => {
    const other = instance()
    const slowly = async () => {
      await nextTurn()
      return create()
    }
    const answers = await Promise.all([
      forms.once(formOf(), slowly),
      other.once(formOf(), slowly),
      forms.once(formOf(), slowly),
    ])
    expect(runs).toBe(1)
    const texts = await Promise.all(answers.map(shown))
    expect(texts).toEqual(texts.map(() => `200 ${SECRET} 1`))
  })

  it('say again what happened for a minute, then only that it happened', async () => {
    await forms.once(formOf(), async () => ({
      response: new Response(null, { status: 303, headers: { location: '/x?done=saved' } }),
      isDone: true,
    }))
    now = T + 59
    const again = (await forms.once(formOf(), create)) as Response
    expect([again.status, again.headers.get('location')]).toEqual([303, '/x?done=saved'])
    now = T + 60
    expect(await forms.once(formOf(), create)).toBe('sent_before')
    expect(runs).toBe(0)
  })

  it('have no secret in the table, nor what opens it', async () => {
    const form = formOf()
    await forms.once(form, create)
    const [row] = await rows()
    expect(row).toMatchObject({ site, member_id: 'ines', expires_at: expect.anything() })
    const kept = JSON.stringify(row)
    for (const secret of [SECRET, form.visitor, 'nonce.mac', 'Sketch Pad'])
      expect(kept).not.toContain(secret)
    const opened = Buffer.from(String(row!['answer']), 'base64url').toString('latin1')
    expect(opened).not.toContain('hps_')
    // Another browser with the same fields is another form.
    const answer = await forms.once({ ...form, visitor: 'w'.repeat(43) }, create)
    expect(await shown(answer)).toBe(`200 ${SECRET} 2`)
  })

  it('are another form on another page, at another path, or with other fields', async () => {
    for (const form of [
      formOf(),
      formOf({ csrf_token: 'other.mac' }),
      formOf({ name: 'Easel' }),
      { ...formOf(), path: '/oauth/applications/beta' },
    ])
      await forms.once(form, create)
    expect(runs).toBe(4)
  })

  it('may be sent again if nothing was done', async () => {
    const refused = async () => {
      runs += 1
      return { response: new Response('Enter a name', { status: 422 }), isDone: false }
    }
    for (const run of [1, 2]) {
      expect(await shown(await forms.once(formOf(), refused))).toBe('422 Enter a name')
      expect(runs).toBe(run)
    }
    expect(await rows()).toEqual([])
  })

  it('do not act again after one that failed, since nobody knows what it did', async () => {
    const failing = async (): Promise<never> => {
      throw new Error('the connection broke')
    }
    await expect(forms.once(formOf(), failing)).rejects.toThrow('the connection broke')
    expect(await forms.once(formOf(), create)).toBe('sent_before')
    expect(runs).toBe(0)
  })

  it('are refused beyond a thousand of one person', async () => {
    await database.execute(
      `insert into school_sent_form (site, form_hash, member_id, expires_at)
       select $1, 'form ' || n, 'ines', $2::bigint from generate_series(1, 999) n`,
      [site, T + HOURS_12],
    )
    await forms.once(formOf(), create)
    expect(await forms.once(formOf({ name: 'One more' }), create)).toBe('too_many')
    expect(runs).toBe(1)
    // One that is remembered is still known.
    expect(await shown(await forms.once(formOf(), create))).toBe(`200 ${SECRET} 1`)
  })

  it('lose their response after a minute, and go with the session', async () => {
    await forms.once(formOf(), create)
    await forms.purge(T + 59)
    expect((await rows())[0]!['answer']).not.toBeNull()
    await forms.purge(T + 60)
    expect(await rows()).toMatchObject([{ answer: null }])
    await forms.purge(T + HOURS_12 - 1)
    expect(await rows()).toHaveLength(1)
    await forms.purge(T + HOURS_12)
    expect(await rows()).toEqual([])
  })
})
