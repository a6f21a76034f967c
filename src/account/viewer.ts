import type { AccountContext } from './context.js'
import type { Member, ProfileRecord } from './source.js'

/** The value behind the type `Viewer`. */
export interface ViewerParent {
  readonly member: Member
  readonly profile: ProfileRecord
}

/** Loads the viewer. Throws if the source has no profile for the person. */
export async function loadViewer({ member, source }: AccountContext): Promise<ViewerParent> {
  const profile = await source.profile(member)
  if (profile === null) throw new Error('the account source returned no profile for this person')
  return { member, profile }
}
