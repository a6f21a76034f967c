// signed-in.ts
import { testSite } from 'hallpass/testing'
import { createApi } from './api.js'

const { site, tokenFor } = testSite({ issuer: 'https://kiln.example' })
const api = createApi(site)
export const NOW = site.now()

/** Returns a function that queries the API as Mei-Ling, with a token that holds these scopes. */
export async function signedInWith(...scopes: readonly ('account:read' | 'account:write')[]) {
  const token = await tokenFor({ subject: 'mem_mei', roles: ['student'] }, ...scopes)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (query: string, more: object = {}) => {
    const body = JSON.stringify({ query, ...more })
    const url = `${site.issuer}/account/graphql`
    const response = await api.graphql(new Request(url, { method: 'POST', headers, body }))
    return { status: response.status, body: await response.json() }
  }
}
