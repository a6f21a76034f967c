import type { Chance } from '../../../packages/hallpass-lab/src/chance.js'
import { OWNER, STUDENT } from '../../support/school/school.js'
import type { Credential } from './credentials.js'
import { type ClientName, CLIENTS, type Hand, handOf, TOKEN } from './hand.js'
import { A, type Ask, B, secretAt, type World } from './world.js'

/** What the school of the request gave out itself, without which some requests ask for nothing. */
export interface Own {
  readonly staff: string
  readonly bound: string
  readonly member: string
  readonly owner: string
  readonly device: { readonly cookie: string; readonly csrf: string; readonly code: string }
}

/** Obtains at a school what its own people and clients have. */
export async function ownOf(world: World, issuer: string): Promise<Own> {
  const hand = handOf(world, issuer)
  const { cookie, csrf } = await hand.devicePage()
  // From now on its store has the client of the document.
  await hand.begin('notes')
  return {
    staff: (await hand.issue('desk')).access_token,
    bound: (await hand.issue('buddy', { dpop: await hand.sign().proof(TOKEN) })).access_token,
    member: hand.signIn(STUDENT.subject),
    owner: hand.signIn(OWNER.subject),
    device: { cookie, csrf, code: (await hand.device()).user_code },
  }
}

export interface Sending {
  readonly chance: Chance
  readonly own: Own
  readonly hand: Hand
}
export type Fields = Record<string, string>
type Built = Ask & { readonly path: string }

/** A place of a request that could take a credential. */
export interface Place {
  readonly name: string
  /** Kinds of credentials that belong there, by their first words. Others are tried there as well. */
  readonly takes: RegExp
  readonly build: (credential: Credential, sending: Sending) => Built | Promise<Built>
  /** What a reply has, in its headers or its text, that accepts the credential. */
  readonly accepts: RegExp
}

export const NAMES = Object.keys(CLIENTS) as ClientName[]
export const ISSUED = /"access_token"|"refresh_token"|"id_token"/
export const CODE = /[?&]code=/

/** Names a client of the school, as itself where that takes no signature. */
export const clientFields = ({ chance }: Sending, { more }: Credential): Fields => {
  const name = chance.is(0.7) && more['client'] !== undefined ? (more['client'] as ClientName) : chance.pick(NAMES) // prettier-ignore
  return {
    client_id: CLIENTS[name].id,
    ...(name === 'hub' && { client_secret: secretAt(chance.is(0.8) ? B : A) }),
    ...(chance.is(0.9) && { redirect_uri: CLIENTS[name].uri }),
  }
}
export const resource = ({ chance }: Sending): Fields =>
  chance.pick([{ resource: A }, { resource: B }, { resource: B }, {}, { resource: `${A}/mcp` }])

export const asBearer = async (
  { value, kind }: Credential,
  { chance, hand }: Sending,
  path: string,
): Promise<Fields> => {
  const isBound = kind.startsWith('bound') ? chance.is(0.8) : chance.is(0.05)
  if (!isBound) return { authorization: `Bearer ${value}` }
  const proof = await hand.sign().proof(path, { method: 'GET', token: value })
  return { authorization: `DPoP ${value}`, dpop: proof }
}
