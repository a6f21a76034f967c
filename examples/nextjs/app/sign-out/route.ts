import { at } from '#lib/school'

export const { POST } = at(({ signOut }) => signOut)
