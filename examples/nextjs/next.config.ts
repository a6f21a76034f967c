import type { NextConfig } from 'next'

const config: NextConfig = {
  // These packages read files of their own, or are too large to compile each time. The rest is bundled.
  serverExternalPackages: [
    '@electric-sql/pglite',
    '@electric-sql/pglite-prepopulatedfs',
    '@graphql-yoga/render-graphiql',
    'pino',
  ],
  // `npm run typecheck` at the root covers this folder too.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  // The length of a compressed page can reveal a secret in it (BREACH).
  compress: false,
  skipTrailingSlashRedirect: true,
  // The app has no images, so /_next/image has nothing to fetch.
  images: { unoptimized: true },
}

export default config
