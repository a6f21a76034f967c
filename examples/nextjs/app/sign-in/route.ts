import { at } from '#lib/school'

export const { GET, HEAD } = at(({ signInPage }) => signInPage)

export const { POST } = at(({ signIn }) => signIn)
