import { type ClientOutcome, realClients } from 'hallpass-lab'
import { createMarkdownRenderer } from 'vitepress'
import { afterEach, expect, it, vi } from 'vitest'
import config from '../../../docs/.vitepress/config.js'
import { documentHosts, pinnedDocuments, vendors } from '../../../examples/school/testing.js'
import { isOld } from '../../../scripts/old-facts.js'
import { readSource } from '../../../test/support/source/compile.js'
import { ask } from '../../../test/support/school/real-client.js'
import { PAGES, rowsOf } from '../../../test/support/docs/pages.js'
import { ROOT } from '../../../test/support/source/root.js'

afterEach(() => void vi.useRealTimers())

const WAYS = {
  vendor: 'vendor entry',
  registration: 'registration',
  document: 'its document',
  pinned_document: 'pinned document',
}
const { path, text } = PAGES.find((page) => page.path === 'docs/look-up/clients.md')!

function cellsOf({
  client,
  connects,
  by,
  scopes,
  granted,
  reason,
  advice,
}: ClientOutcome): readonly string[] {
  const { asOf } = realClients.find(({ name }) => name === client)!
  const writes = scopes.some((scope) => scope.endsWith(':write'))
  return connects
    ? [
        client,
        asOf,
        WAYS[by!],
        writes ? 'read, write' : 'read',
        `${granted.length} of ${scopes.length}`,
        advice ?? '',
      ]
    : [client, asOf, reason === null ? 'not public' : `no: \`${reason}\``, '', '', advice ?? '']
}

it('docs/look-up/clients.md shows what whoCanConnect returns for the demo school', () => {
  const connections = ask({
    issuer: 'http://127.0.0.1:3000',
    vendors,
    documents: { allowedHosts: documentHosts },
    pinnedDocuments,
  })
  const [own = ''] = text.split('\n## Clients that were run\n')
  expect(rowsOf(own)).toEqual(connections.map(cellsOf))
})

/** What the site marks in the table if it is built on a day: clients, each with what stands in place of its day. */
async function markedOn(day: string): Promise<readonly string[]> {
  const markdown = await createMarkdownRenderer('docs', config.markdown)
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${day}T12:00:00Z`) })
  const html = markdown.render(text, { path: ROOT + path, realPath: ROOT + path })
  const rows = html.matchAll(
    /<tr class="old-facts">\n<td[^>]*>([^<]+)<\/td>\n<td[^>]*>([^<]+)<\/td>/g,
  )
  return [...rows].map(([, client, said]) => `${client}, ${said}`)
}

it('facts are old on the day after they were 90 days old', () => {
  expect(isOld('2026-08-21', '2026-11-19')).toBe(false)
  expect(isOld('2026-08-21', '2026-11-20')).toBe(true)
})

it('the site marks the clients whose facts were old on the day that it was built, in red', async () => {
  const days = realClients.map(({ asOf }) => asOf).sort()
  expect(await markedOn(days[0]!)).toEqual([])
  for (const day of ['2026-12-24', '2036-01-01']) {
    const old = realClients.filter(({ asOf }) => isOld(asOf, day))
    expect(await markedOn(day)).toEqual(
      old.map(({ name, asOf }) => `${name}, ${asOf}: more than 90 days old`),
    )
  }
  expect(readSource('docs/.vitepress/theme/style.css')).toMatch(
    /^\.vp-doc tr\.old-facts \{\n {2}background: var\(--vp-c-danger-soft\);$/m,
  )
})
