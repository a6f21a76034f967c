import type { AccountContext } from './context.js'
import type { Member, ProfileRecord } from './source.js'

/** What stands for the viewer: the member and, once it was asked for, the profile. */
export interface ViewerParent {
  readonly member: Member
  readonly profile: ProfileRecord
}

/** The viewer, or an error where the person is gone. */
export async function loadViewer({ member, source }: AccountContext): Promise<ViewerParent> {
  const profile = await source.profile(member)
  if (profile === null) throw new Error('the source does not know the person')
  return { member, profile }
}
