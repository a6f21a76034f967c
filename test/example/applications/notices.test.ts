import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineClient } from 'hallpass/clients'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { mailFolder } from '../../../examples/school/src/demo/mail-folder.js'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { type AreaSite, openAreaDatabase, openAreaSite, ORIGIN } from '../support/area.js'
import { T } from '../../support/school/school.js'
import { waitFor } from '../../support/processes/wait.js'

let database: Database
let school: AreaSite

beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  school = await openAreaSite(database)
  await school.store.insertClient(
    defineClient({
      clientId: 'buddy',
      kind: 'member',
      name: 'Study Buddy',
      redirectUris: ['http://127.0.0.1:7777/callback'],
      scopes: ['account:read', 'account:write'],
      createdAt: T,
    }),
  )
})

const MEI = { memberId: 'mei', clientId: 'buddy' } as const

describe('the email about a connection', () => {
  it('tells a person what an app can do now, and what to do if it wasn’t them', async () => {
    await school.connect(MEI)
    expect(school.mail).toEqual([])
    await school.deliverEvents()
    expect(school.mail).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        to: 'mei@example.com',
        subject: 'Study Buddy can now use your account at Lantern Street Drawing School',
        text: expect.stringMatching(/^Hello Mei-Ling Chou,\n\n/),
      },
    ])
    const [{ text }] = school.mail as [(typeof school.mail)[number]]
    for (const part of [
      'you connected an app to your account at Lantern Street Drawing School: Study Buddy',
      '(20 Nov 2026, 09:00, Europe/Lisbon)',
      'It can now:\n- Confirm your identity',
      '- See your courses',
      'If this was you, there is nothing to do.',
      `\n${ORIGIN}/oauth/authorized_applications\n`,
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('Change your name')
  })

  it('comes once for each person and app, however often it connects', async () => {
    for (let round = 0; round < 2; round++) {
      await school.connect(MEI)
      await school.deliverEvents()
    }
    await school.connect({ ...MEI, memberId: 'jonas' })
    await school.deliverEvents()
    await school.deliverEvents()
    expect(school.mail.map(({ to }) => to)).toEqual(['mei@example.com', 'jonas@example.com'])
  })

  it('is sent again after five minutes if it could not be sent, ten times at most', async () => {
    const { mail, notify } = school
    let tries = 0
    school.notify = async () => {
      tries += 1
      throw new Error('the mail service is away')
    }
    await school.connect(MEI)
    await school.deliverEvents()
    await school.deliverEvents()
    expect(tries).toBe(1)
    expect(JSON.stringify(school.logged)).toContain('the mail service is away')
    school.clock.now = T + 299
    await school.deliverEvents()
    expect(tries).toBe(1)
    for (let round = 1; round < 20; round++) {
      school.clock.now = T + 300 * round
      await school.deliverEvents()
    }
    expect(tries).toBe(10)
    school.notify = notify
    school.clock.now = T + 86_400
    await school.deliverEvents()
    expect(mail).toEqual([])
  })

  it('keeps nothing else waiting for a mail service that never answers', async () => {
    const { mail, notify } = school
    school.notify = (one) => (one.to === 'mei@example.com' ? new Promise(() => {}) : notify(one))
    await school.connect(MEI)
    await school.connect({ ...MEI, memberId: 'jonas' })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let isOver = false
    const delivered = school.deliverEvents().finally(() => (isOver = true))
    await waitFor(() => mail.length === 1)
    expect([isOver, mail.map(({ to }) => to)]).toEqual([false, ['jonas@example.com']])
    await vi.advanceTimersByTimeAsync(10_001)
    await delivered
    expect(JSON.stringify(school.logged)).toContain('no response within 10000 ms')
    school.notify = notify
    school.clock.now = T + 300
    await school.deliverEvents()
    expect(mail.map(({ to }) => to)).toEqual(['jonas@example.com', 'mei@example.com'])
  })

  it('does not come to people without an address, or for an app that is gone', async () => {
    await school.changePerson('jonas', 'email = null')
    await school.connect({ ...MEI, memberId: 'jonas' })
    await school.connect(MEI)
    const client = (await school.store.findClient('buddy'))!
    await school.store.replaceClient({ ...client, revision: 2, deletedAt: T })
    await school.deliverEvents()
    expect(school.mail).toEqual([])
  })

  it('has no line that the name of an app made', async () => {
    const name = 'Fine app\r\nBcc: all@example.com\u202e'
    const client = (await school.store.findClient('buddy'))!
    await school.store.replaceClient({ ...client, name, revision: 2 })
    await school.connect(MEI)
    await school.deliverEvents()
    const [sent] = school.mail
    expect(sent!.subject).toMatch(/^Fine app\ufffd+Bcc: all@example\.com\ufffd can now use/)
    expect(sent!.text).not.toMatch(/^Bcc:/m)
  })
})

describe('the folder for the email of the demo', () => {
  it('has a file for each mail that only its owner can read, and keeps the newest 200', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'mail-'))
    const folder = join(parent, 'mail')
    try {
      const notify = mailFolder(folder)
      const mail = { to: 'mei@example.com', subject: 'Hello', text: 'An app is connected.\n' }
      await notify({ ...mail, id: '00ff' })
      const [file] = await readdir(folder)
      expect(file).toMatch(/^\d{8}T\d{6}Z-00ff\.eml$/)
      expect(await readFile(join(folder, file!), 'utf8')).toMatch(
        /^To: mei@example\.com\nSubject: Hello\nDate: .* GMT\nMessage-ID: <00ff@.*>\nContent-Type: text\/plain; charset=utf-8\n\nAn app is connected\.\n$/,
      )
      expect((await stat(join(folder, file!))).mode & 0o777).toBe(0o600)
      for (let number = 0; number < 205; number++)
        await writeFile(join(folder, `20200101T000000Z-${1000 + number}.eml`), '')
      await writeFile(join(folder, 'mine.txt'), '')
      await notify({ ...mail, id: '00fe' })
      const left = await readdir(folder)
      expect(left.filter((name) => name.endsWith('.eml'))).toHaveLength(200)
      expect(left).toEqual(expect.arrayContaining([file, 'mine.txt']))
    } finally {
      await rm(parent, { recursive: true })
    }
  })
})
