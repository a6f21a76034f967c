import type { Site } from 'hallpass'
import { createClientManagement, createConnectedApps, decideManager } from 'hallpass/clients'
import { deliverEvents, erasePerson, maintain, revokeAllGrants } from 'hallpass/operations'
import { schoolRoles } from 'hallpass/scope'
import type { Store, StoredEvent } from 'hallpass/store'
import { OWNER, STUDENT } from '../../support/school/school.js'
import { createChance } from '../../../packages/hallpass-lab/src/chance.js'
import { obtain } from './credentials.js'
import { CLIENTS, type Hand, handOf } from './hand.js'
import type { Watched } from './storages.js'
import { A, B, createWorld, type World } from './world.js'

function same(found: unknown, expected: unknown, what: string): void {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value))
  if (one !== other) throw new Error(`${what}: ${one} and not ${other}`)
}

const sorted = (texts: readonly string[]): readonly string[] => texts.toSorted()

interface Around {
  readonly world: World
  readonly hand: Hand
  readonly site: Site<string, Store>
}
type Act = (around: Around) => Promise<unknown>

const decided = decideManager({ person: OWNER, table: schoolRoles })
const manager = decided.ok ? decided.manager : null!

const OF_A_SIGN_IN = [
  'oauth.authorization.approved',
  'oauth.authorization.code_redeemed',
  'oauth.grant.created',
  'oauth.key.activated',
  'oauth.key.published',
  'oauth.token.issued',
]

/** What the people of a school and its host application do there, beside the flows of {@link obtain}. */
const ACTS: Readonly<Record<string, Act>> = {
  async 'lists of a school without grants'({ site, hand }) {
    const now = site.now()
    const page = { after: null, limit: 100, now }
    same(await createConnectedApps(site).list(STUDENT.subject), [], 'connected apps')
    same(await site.store.listGrants({ of: 'everyone', ...page }), [], 'grants')
    const kinds = ['member', 'vendor', 'loopback', 'document'] as const
    const clients = await site.store.listClients({ kinds, search: null, ...page })
    const known = ['buddy', 'desk', 'hub', 'signer'] as const
    same(
      sorted(clients.map(({ client, people }) => `${client.clientId} of ${people}`)),
      sorted(known.map((name) => `${CLIENTS[name].id} of 0`)),
      'clients',
    )
    const { keys } = (await hand.ask('/.well-known/jwks.json')).json as { keys: unknown[] }
    same(keys.length, 1, 'keys')
  },
  async 'delivery of events'({ site, hand }) {
    await hand.issue('buddy')
    const delivered: string[] = []
    const deliver = async (events: readonly StoredEvent[]) => void delivered.push(...events.map(({ type }) => type)) // prettier-ignore
    await deliverEvents(site, { deliver })
    same(sorted([...new Set(delivered)]), OF_A_SIGN_IN, 'events')
  },
  async 'replay of a code'({ hand }) {
    const code = await hand.codeOf('buddy')
    await hand.redeem('buddy', code)
    await hand.redeem('buddy', code).then(
      () => same('redeemed twice', '', 'a code'),
      () => {},
    )
  },
  async 'disconnection of an app'({ hand, site }) {
    await hand.issue('buddy')
    const apps = createConnectedApps(site)
    const clientId = CLIENTS.buddy.id
    await apps.disconnect({ subject: STUDENT.subject, clientId })
    same(await apps.list(STUDENT.subject), [], 'connected apps')
  },
  async 'management of a client'({ site }) {
    const clients = createClientManagement(site)
    const clientId = CLIENTS.hub.id
    for (const act of ['disable', 'enable'] as const)
      same((await clients[act](manager, clientId)).ok, true, act)
    same((await clients.disconnectEveryone(manager, clientId)).ok, true, 'disconnectEveryone')
  },
  'a sign-in of every kind': ({ world, hand }) => obtain(world, hand.issuer),
  async maintenance({ world, site, hand }) {
    const { keys } = await world.serverOf(hand.issuer)
    await maintain(site, { keys })
    const { now } = world.clock
    // After a day without a leap of the clock, rows are deleted.
    for (let step = 0; step < 60; step++) {
      world.clock.now += 1800
      await maintain(site, { keys })
    }
    world.clock.now = now
    same((await site.store.findClock()).mark === null, false, 'mark of the clock')
  },
  async 'erasure of a person'({ site, hand }) {
    await hand.issue('buddy')
    await erasePerson(site, { subject: STUDENT.subject })
  },
  async 'restore of a backup'({ site, hand }) {
    await hand.issue('desk')
    await revokeAllGrants(site)
  },
}
/** Lives through everything at one school, beside another with the same people, whose rows may not change. */
export async function liveBeside({ storage, dumpOf, clock }: Watched): Promise<void> {
  const world = await createWorld(storage, { clock })
  const first = await obtain(world, A)
  const hand = handOf(world, B)
  const { site } = (await world.serverOf(B)) as unknown as { site: Site<string, Store> }
  const before = await dumpOf(A)
  for (const [name, act] of Object.entries(ACTS)) {
    const failed = await act({ world, hand, site }).then(
      () => null,
      (fault: Error) => fault.message,
    )
    if (failed !== null) throw new Error(`${name}: ${failed}`)
    if ((await dumpOf(A)) !== before) throw new Error(`${name} changed rows of the other school`)
  }
  for (const { kind, use } of first)
    await use().catch((fault: Error) => {
      throw new Error(`${kind} at its own school: ${fault.message}`)
    })
}

/**
 * Gives the same random values to two schools, so that what they give out has the same identifiers. Each is used at one
 * school, which changes nothing of the other, where it is used afterwards.
 *
 * @returns how many identifiers were equal
 */
export async function liveAsTwins(
  { storage, dumpOf, clock }: Watched,
  seed: number,
): Promise<number> {
  const world = await createWorld(storage, { clock, randomBytesAt: () => createChance(seed).bytes })
  const first = await obtain(world, A)
  const twins = await obtain(world, B)
  const order = createChance(seed)
  const own = twins.toSorted(() => order.below(3) - 1)
  for (const { kind, use } of own) {
    const before = await dumpOf(A)
    await use().catch((fault: Error) => {
      throw new Error(`${kind}: ${fault.message}`)
    })
    if ((await dumpOf(A)) !== before) throw new Error(`${kind} changed rows of its twin`)
  }
  const { site } = (await world.serverOf(B)) as unknown as { site: Site<string, Store> }
  const before = await dumpOf(A)
  await deliverEvents(site, { deliver: async () => {}, limit: 1000 })
  if ((await dumpOf(A)) !== before) throw new Error('delivery of events changed rows of its twin')
  for (const { kind, use } of first)
    await use().catch((fault: Error) => {
      throw new Error(`${kind} after its twin: ${fault.message}`)
    })
  return first.filter(({ value }, index) => value === twins[index]!.value).length
}
