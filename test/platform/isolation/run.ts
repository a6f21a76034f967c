import { type Chance, createChance } from '../../../packages/hallpass-lab/src/chance.js'
import { createMemoryStorage } from 'hallpass/store'
import { type Credential, obtain } from './credentials.js'
import { type Own, ownOf, type Place } from './place.js'
import { PLACES } from './places.js'
import { handOf } from './hand.js'
import type { Watched } from './storages.js'
import { A, B, createWorld, type Reply, requestOf, type World } from './world.js'

/** What a school stores for requests that it refuses, or of its own. */
const OF_REQUESTS = ['pending', 'use', 'outbox']
/** Requests between two looks at the rows, and between two uses of everything at its own school. */
const BATCH = 100
const RENEWAL = 1000

/** What names another school in a request that is for this one. */
const CONFUSIONS: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': new URL(A).host },
  { forwarded: `host=${new URL(A).host};proto=https` },
  { 'x-original-url': `${A}/` },
  { 'x-original-host': new URL(A).host },
  { origin: A },
  { referer: `${A}/oauth/authorize` },
  { 'sec-fetch-site': 'same-site' },
]
const PARAMETERS: readonly (readonly [string, string])[] = [
  ['iss', A],
  ['audience', A],
  ['resource', A],
  ['resource', B],
  ['redirect_uri', `${A}/callback`],
]

/** A request to B with what was built, and perhaps with something more that names A. */
async function requestFor(
  credential: Credential,
  place: Place,
  { chance, own, world }: { chance: Chance; own: Own; world: World },
): Promise<Request> {
  const { path, form, ...built } = await place.build(credential, { chance, own, hand: handOf(world, B) }) // prettier-ignore
  const [name, value] = chance.pick(PARAMETERS)
  const fields = form && new URLSearchParams(form)
  if (chance.is(0.2)) fields?.append(name, value)
  const query = chance.is(0.1) ? `${path.includes('?') ? '&' : '?'}${new URLSearchParams([[name, value]])}` : '' // prettier-ignore
  const headers = {
    ...built.headers,
    ...(chance.is(0.2) && chance.pick(CONFUSIONS)),
    ...(chance.is(0.5) && { host: new URL(B).host }),
  }
  // A proxy may ask by an address of its own: the school is that of Host.
  const origin = 'host' in headers && chance.is(0.5) ? A : B
  return requestOf(origin, path + query, { ...built, ...(fields && { form: fields }), headers })
}

const masked = (text: string): string =>
  text.replaceAll(/[\w.:%-]{20,}|\b[A-Z]{4}-[A-Z]{4}\b|crs_\d+/g, '*')
/** What a reply says, without what is random in it. */
const shapeOf = ({ status, reasons, location, text }: Reply): string =>
  masked(JSON.stringify([status, reasons, location, text]))

/** A reply that nothing of another school may lead to, wherever it was sent. */
const ISSUED = /"access_token":|"refresh_token":|"id_token":|[?&#]code=/

const textOf = ({ headers, text }: Reply): string =>
  `${[...headers].map((pair) => pair.join(': ')).join('\n')}\n${text}`

function judge(
  { place, credential, marks }: { place: Place; credential: Credential; marks: readonly string[] },
  reply: Reply,
): string | null {
  const text = textOf(reply)
  if (reply.status >= 500) return 'it failed'
  if (ISSUED.test(text) || (place.accepts.test(text) && reply.status < 400)) return 'it was accepted' // prettier-ignore
  const leaked = marks.find((mark) => mark !== credential.value && text.includes(mark))
  if (leaked !== undefined && !Object.values(credential.more).includes(leaked))
    return `it shows ${leaked} of the other school`
  return null
}

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

export interface IsolationReport {
  readonly requests: Readonly<Record<string, number>>
  readonly replies: Readonly<Record<number, number>>
}

/**
 * Plays what one school gave out at another school of the same storage, at random places. Each reply has to be a refusal,
 * and that of a school beside which no other one ever was.
 *
 * @param options - `controls`: how many of the requests are compared so, from 0 to 1
 * @throws Error that names the seed and the request
 */
export async function playAtAnother(
  { storage, clock, dumpOf = async () => '' }: Pick<Watched, 'storage'> & Partial<Watched>,
  { seed, requests, controls = 1 }: { seed: number; requests: number; controls?: number },
): Promise<IsolationReport> {
  const world = await createWorld(storage, { ...(clock && { clock }) })
  // The same schools, each beside no other: what one of them gave out is unknown to the other for sure.
  const apart = await createWorld(createMemoryStorage(), { issuers: [A] })
  const strangers = await obtain(apart, A)
  const own = await ownOf(world, B)
  const counted: Record<string, number> = {}
  const replies: Record<number, number> = {}
  let credentials: readonly Credential[] = []
  let marks: readonly string[] = []
  let before = { a: '', b: '' }

  const look = async () => ({ a: await dumpOf(A), b: await dumpOf(B, OF_REQUESTS) })
  async function renew(): Promise<void> {
    for (const { use } of credentials) await use()
    credentials = await obtain(world, A)
    const { keys } = await (await world.serverOf(A)).keys.jwks()
    const kids = keys.map(({ kid }) => kid as string)
    const shared = ['cursor of a list', 'remembered consent']
    marks = [
      ...credentials.filter(({ kind }) => !shared.includes(kind)).map(({ value }) => value),
      ...kids,
      'art.example 1',
    ]
    before = await look()
  }

  async function play(index: number): Promise<string | null> {
    const chosen = createChance(seed * 1_000_003 + index)
    const at = chosen.below(credentials.length)
    const credential = credentials[at]!
    const fitting = PLACES.filter(({ takes }) => takes.test(credential.kind))
    const place = chosen.pick(chosen.is(0.75) && fitting.length > 0 ? fitting : PLACES)
    counted[credential.kind] = (counted[credential.kind] ?? 0) + 1
    const seedOfRequest = chosen.below(2 ** 31)
    const send = async (one: Credential): Promise<Reply> =>
      world.send(await requestFor(one, place, { chance: createChance(seedOfRequest), own, world }))
    const reply = await send(credential)
    replies[reply.status] = (replies[reply.status] ?? 0) + 1
    const named = `${credential.kind} at ${place.name}`
    const fault = judge({ place, credential, marks }, reply)
    if (fault !== null)
      return `${named}: ${fault}: ${shapeOf(reply)} ${world.faults.map(String).join()}`
    if (!chosen.is(controls)) return null
    const control = await send(strangers[at]!)
    const [shown, expected] = [shapeOf(reply), shapeOf(control)]
    return shown === expected ? null : `${named}: ${shown} and not ${expected}`
  }

  let index = 0
  const fail = (what: string): never => {
    throw new Error(`seed ${seed}, request ${index}: ${what}`)
  }
  for (; index < requests; index++) {
    if (index % RENEWAL === 0) await renew()
    const fault = await play(index)
    if (fault !== null) fail(fault)
    if ((index + 1) % BATCH !== 0) continue
    const after = await look()
    if (after.a !== before.a) fail('rows of the other school changed')
    if (after.b !== before.b) fail('rows of this school changed')
  }
  await renew()
  if (world.faults.length > 0) fail(String(world.faults[0]))
  return { requests: counted, replies }
}
