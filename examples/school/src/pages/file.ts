import { readFileSync } from 'node:fs'

/** Creates the response for a file of a page, which browsers may keep for five minutes. */
export const fileResponse = (content: string | URL, type: string): Response =>
  new Response(typeof content === 'string' ? content : readFileSync(content, 'utf8'), {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    },
  })
