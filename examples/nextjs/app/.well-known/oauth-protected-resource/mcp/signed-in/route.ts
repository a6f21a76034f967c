import { at } from '#lib/school'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = at(
  ({ server }) => server.signedInResourceMetadata,
)
