import type { SiteOptions } from 'hallpass'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import type { Block } from 'hallpass/blocks'
import type { RefreshPolicies, RefreshPolicy } from 'hallpass/policy'
import { SITE_RULES } from '../../../src/site/rules.js'

/** What a test changes of a site, whose type names no reasons of blocks. */
export type SiteChanges = Partial<Omit<SiteOptions, 'blocks'>> & {
  readonly blocks?: readonly Block[]
}

/** What a test changes of a site and of the part that it is about, told apart. */
export function split<Own extends object>(
  options: SiteChanges & Partial<Own>,
): { readonly ofSite: Partial<SiteOptions>; readonly own: Partial<Own> } {
  const entries = Object.entries(options)
  const isOfSite = ([name]: [string, unknown]): boolean => Object.hasOwn(SITE_RULES, name)
  return {
    ofSite: Object.fromEntries(entries.filter(isOfSite)),
    own: Object.fromEntries(entries.filter((entry) => !isOfSite(entry))) as Partial<Own>,
  }
}

const page = (): Response => new Response(null)

/** What an authorization server needs beside its site: no keys, nobody signed in, empty pages. */
export const BARE_SERVER: AuthorizationServerOptions<never> = {
  keys: {
    jwks: async () => ({ keys: [] }),
    signer: async () => null,
    refreshSecrets: () => ['use at least 32 random characters here'],
  },
  interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
}

/** One policy for every holder of refresh tokens. */
export const every = (policy: RefreshPolicy): RefreshPolicies => ({
  confidential: policy,
  native: policy,
  public: policy,
})
