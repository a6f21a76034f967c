import { fileURLToPath } from 'node:url'

// `hallpass` is a link to the root of this repository.
const root = fileURLToPath(new URL('../../../..', import.meta.url))
export default { turbopack: { root }, outputFileTracingRoot: root, poweredByHeader: false }
