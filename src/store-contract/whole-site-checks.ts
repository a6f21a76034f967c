import type { SiteStorage } from '../store/storage.js'
import type { Store } from '../store/store.js'
import { same, settles } from './check.js'
import { clientSample, codeSample, eventSample, hash, T } from './samples.js'
import { every, fill, found, namesOf, refuses, type StoragePromised } from './storage-checks.js'

/** Reads the rows of a site by its methods. */
async function read(store: Store): Promise<object> {
  return {
    client: await store.findClient('unused'),
    request: await store.findPending(hash('interaction')),
    code: await store.findCode(hash('code')),
    accessToken: await store.findAccessToken(hash('access 0')),
    spent: await store.findRefreshToken(hash('refresh second')),
    newest: await store.findRefreshToken(hash('refresh third')),
    consent: await store.hasConsent(hash('consent')),
    keys: await store.listKeys(),
    events: await store.listEvents({ limit: 9 }),
    mark: (await store.findClock()).mark,
  }
}

async function linesOf(
  storage: SiteStorage,
  site: string,
  options?: { readonly credentials?: boolean },
): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of storage.exportSite(site, options)) lines.push(line)
  return lines
}

/** Two sites with the same rows, of which one has more. */
async function fillTwo(storage: SiteStorage, prefix: string): Promise<readonly [string, string]> {
  const [site, other] = namesOf(prefix)
  for (const each of [site, other]) {
    const store = storage.storeOf(each)
    await fill(store, T)
    const code = codeSample({ codeHash: hash('consented') })
    await store.issueCode({ code, pendingIdHash: null, consentKey: hash('consent') })
    await store.moveClock({ from: null, to: { trustedAt: T, leap: null } })
    await store.insertClient(clientSample({ secrets: [] }), [eventSample({ id: 'event_2' })])
  }
  return [site, other]
}

/** The checks of the methods of a whole site. */
export const wholeSiteChecks: readonly StoragePromised[] = [
  {
    name: 'erases every row of a site, and none of another one',
    async check(storage, prefix) {
      const [site, other] = await fillTwo(storage, prefix)
      const kept = await read(storage.storeOf(other))
      const { rows } = await storage.eraseSite(site)
      same(rows >= 15, true, `${rows} rows erased, of which that there are at least 15`)
      const empty = await found(storage.storeOf(`${prefix}/c`))
      same(await found(storage.storeOf(site)), every(empty, false), 'what is left')
      same((await storage.storeOf(site).findClock()).mark, null, 'the mark that is left')
      same(await read(storage.storeOf(other)), kept, 'what the other site has')
      await storage.eraseSite(site)
      same(await storage.eraseSite(site), { rows: 0 }, 'a site without rows')
    },
  },
  {
    name: 'stores what an export has, where the site was erased, and a second time',
    async check(storage, prefix) {
      const [site, other] = await fillTwo(storage, prefix)
      const before = await read(storage.storeOf(site))
      const lines = await linesOf(storage, site)
      const kept = await read(storage.storeOf(other))
      await storage.eraseSite(site)
      const done = await storage.importSite(lines)
      same(
        [done.site, done.rows >= 15],
        [site, true],
        'the site and at least 15 rows of the import',
      )
      same(await read(storage.storeOf(site)), before, 'what was stored')
      same(await storage.importSite(lines), done, 'the second import')
      same(await read(storage.storeOf(site)), before, 'what was stored')
      same(await read(storage.storeOf(other)), kept, 'what the other site has')
      const added = { id: 'event_3' }
      const store = storage.storeOf(site)
      await store.insertClient(clientSample({ clientId: 'later' }), [eventSample(added)])
      const ids = (await store.listEvents({ limit: 9 })).map(({ id }) => id)
      same(ids, ['event_1', 'event_2', 'event_3'], 'the order of events')
    },
  },
  {
    name: 'refuses an export that is cut, changed, without credentials, or of a site that has another row',
    async check(storage, prefix) {
      const [site] = await fillTwo(storage, prefix)
      const lines = await linesOf(storage, site)
      const readable = await linesOf(storage, site, { credentials: false })
      await storage.eraseSite(site)
      const wrong = {
        nothing: [],
        'without its last line': lines.slice(0, -1),
        'without a row': lines.toSpliced(2, 1),
        'with a line that is not JSON': lines.toSpliced(2, 1, 'a row'),
        'without credentials': readable,
      }
      for (const [what, its] of Object.entries(wrong)) {
        await refuses(() => storage.importSite(its), `an import of an export ${what}`)
        await storage.eraseSite(site)
      }
      await storage.storeOf(site).insertClient(clientSample({ name: 'Another' }))
      await refuses(() => storage.importSite(lines), 'an import over another row')
      await storage.eraseSite(site)
      await storage.importSite(lines)
      same((await storage.storeOf(site).findClient('app_1'))?.name, 'Study Buddy', 'a client')
    },
  },
  {
    name: 'leaves credentials out of an export that someone may read',
    async check(storage, prefix) {
      const [site] = await fillTwo(storage, prefix)
      const all = (await linesOf(storage, site)).join('\n')
      const readable = (await linesOf(storage, site, { credentials: false })).join('\n')
      const hidden = [hash('access 0'), hash('refresh third'), hash('code'), 'A'.repeat(99)]
      for (const text of hidden) {
        same(all.includes(text), true, `whether the whole export has ${text}`)
        same(readable.includes(text), false, `whether the other one has ${text}`)
      }
      same(readable.includes('mem_1'), true, 'whether the other one has the grants')
    },
  },
  {
    name: 'refuses to export or erase a site without a name',
    async check(storage) {
      for (const site of ['', 7 as never]) {
        await refuses(() => storage.eraseSite(site), 'eraseSite')
        const first = await settles((async () => linesOf(storage, site))())
        same(first, null, 'exportSite')
      }
    },
  },
]
