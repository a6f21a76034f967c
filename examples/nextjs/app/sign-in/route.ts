import { at } from '#lib/school'

export const { POST } = at(({ signIn }) => signIn)
