import type { NextConfig } from 'next'

const config: NextConfig = {
  // They look for files of their own, or are too large to compile each time. All else is bundled.
  serverExternalPackages: [
    '@electric-sql/pglite',
    '@electric-sql/pglite-prepopulatedfs',
    '@graphql-yoga/render-graphiql',
    'swagger-ui-dist',
  ],
  // `npm run typecheck` at the root covers this folder too.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  // The length of a compressed page can tell the secret in it.
  compress: false,
  skipTrailingSlashRedirect: true,
  // There are no images, hence nothing for /_next/image to fetch.
  images: { unoptimized: true },
}

export default config
