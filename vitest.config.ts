import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const src = fileURLToPath(new URL('src', import.meta.url))
const graphql = fileURLToPath(new URL('node_modules/graphql/index.js', import.meta.url))

export default defineConfig({
  resolve: {
    // Tests under test/ run on the source; the examples and the packed-tarball check run on dist.
    alias: [
      { find: /^hallpass$/, replacement: `${src}/index.ts` },
      { find: /^hallpass\/(.+)$/, replacement: `${src}/$1.ts` },
      // The copy that Node finds, which graphql-http has too: they tell errors by their class.
      { find: /^graphql$/, replacement: graphql },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest/report.json' }]],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    coverage: { provider: 'v8', include: ['src/**'] },
  },
})
