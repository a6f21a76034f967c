import type { Store } from 'hallpass/store'
import { redirectTo } from '../../../pages/response.js'
import { MOST_COUNTED } from '../../../pages/words/counted.js'
import type { OfManager, Parts } from './parts.js'

const BATCH = 100
/** The list of apps looks at no more apps than so many batches have. */
const BATCHES = 100

/** `GET` and `POST /oauth/applications/beta` */
export const betaPlace = (parts: Parts): OfManager => ({
  fresh: true,
  fields: ['enabled'],
  async get({ pages, frame, show }) {
    const enabled = await parts.settings.mcpConnections()
    return show(pages.beta({ ...frame, enabled, ...(await affected(parts)) }))
  },
  async post({ manager, form }) {
    const { settings, switchMcpConnections, now } = parts
    const wanted = form.get('enabled')
    if (wanted !== 'on' && wanted !== 'off') return redirectTo('/oauth/applications')
    const on = wanted === 'on'
    if (on !== (await settings.mcpConnections()))
      await switchMcpConnections(on, { actor: manager.subject, at: now() })
    return redirectTo(`/oauth/applications?done=beta_${wanted}`)
  },
})

/**
 * Counts the member apps that the switch affects, which are not turned off individually, and the people who connected
 * one. The page says `100+` beyond that many.
 */
async function affected({ store, known, now }: Parts): Promise<{
  readonly applications: number
  readonly people: number
}> {
  let applications = 0
  const people = new Set<string>()
  let after: Parameters<Store['listClients']>[0]['after'] = null
  for (let batch = 0; batch < BATCHES; batch++) {
    const kinds = ['member'] as const
    const listed = await store.listClients({ kinds, search: null, after, limit: BATCH, now: now() })
    for (const { client } of listed.filter(({ client }) => !client.disabled)) {
      applications++
      if (people.size >= MOST_COUNTED) continue
      for (const { grant } of await known.grants(client.clientId, MOST_COUNTED))
        people.add(grant.subject)
    }
    const isEnough = applications >= MOST_COUNTED && people.size >= MOST_COUNTED
    if (isEnough || listed.length < BATCH) break
    after = listed.at(-1)!.client
  }
  const counted = (number: number): number => Math.min(number, MOST_COUNTED)
  return { applications: counted(applications), people: counted(people.size) }
}
