import { at } from '#lib/school'

export const { GET, HEAD } = at(({ signOutPage }) => signOutPage)

export const { POST } = at(({ signOut }) => signOut)
