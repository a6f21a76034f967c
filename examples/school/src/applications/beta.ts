import type { Client } from 'hallpass/policy'
import type { Store } from 'hallpass/store'
import { redirectTo } from '../../../pages/response.js'
import type { OfManager, Parts } from './parts.js'

const BATCH = 200

/** `GET` and `POST /oauth/applications/beta` */
export const betaPlace = (parts: Parts): OfManager => ({
  fresh: true,
  fields: ['enabled'],
  async get({ pages, frame, show }) {
    const { known, settings } = parts
    const enabled = await settings.mcpConnections()
    const clientIds = await workingMemberApps(parts)
    const people = await known.people(clientIds)
    const view = { ...frame, enabled, people: people.size, applications: clientIds.length }
    return show(pages.beta(view))
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

/** Returns the client IDs of the member apps that the switch affects: those that are not turned off individually. */
async function workingMemberApps({ store, now }: Parts): Promise<readonly string[]> {
  const all: Client[] = []
  let after: Parameters<Store['listClients']>[0]['after'] = null
  for (;;) {
    const query = { kinds: ['member'] as const, search: null, after, limit: BATCH, now: now() }
    const listed = await store.listClients(query)
    all.push(...listed.map(({ client }) => client))
    if (listed.length < BATCH)
      return all.filter(({ disabled }) => !disabled).map(({ clientId }) => clientId)
    after = all.at(-1)!
  }
}
