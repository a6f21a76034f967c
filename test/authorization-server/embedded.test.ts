import { expect, it } from 'vitest'
import { NOTES_URL } from '../support/school/metadata-documents.js'
import { reasonsOf } from '../support/school/flow.js'
import { ask, createNotesSchool, FRAME, WINDOW } from '../support/school/senders.js'

it('a frame is answered with prompt=none alone, and fetches no document', async () => {
  const { school, hosts } = await createNotesSchool()
  const silent = await ask(school, { network: 'h', prompt: 'none', headers: FRAME })
  expect(new URL(silent.headers.get('location')!).searchParams.get('error')).toBe('login_required')
  expect((await ask(school, { network: 'h', prompt: 'login', headers: FRAME })).status).toBe(400)
  await ask(school, { network: 'h', client: NOTES_URL, prompt: 'none', headers: FRAME })
  expect(hosts.fetched).toEqual([])
  expect(reasonsOf(school).slice(1)).toEqual(['request_embedded', 'document_unavailable'])
})

it('a refusal makes the browser of a window known, once, and that of a frame never', async () => {
  const { school } = await createNotesSchool()
  const client = 'https://none.example/client.json'
  const first = await ask(school, { network: 'h', client, headers: WINDOW })
  const [cookie = ''] = first.headers.getSetCookie().map((line) => line.split(';', 1)[0]!)
  expect([first.status, await first.json()]).toEqual([400, expect.objectContaining({ page: 'error' })]) // prettier-ignore
  expect(cookie).toMatch(/^__Host-hallpass=[\w-]{43}$/)
  for (const headers of [{ ...WINDOW, cookie }, FRAME])
    expect((await ask(school, { network: 'h', client, headers })).headers.getSetCookie()).toEqual(
      [],
    )
})
