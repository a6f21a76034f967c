import { at } from '#lib/school'

export const { GET, HEAD } = at(({ connect }) => connect)
