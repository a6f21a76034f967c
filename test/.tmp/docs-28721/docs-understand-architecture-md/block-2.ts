import { buildRedirect, decideRedirectUri } from 'hallpass/policy'

export function deny(redirectUri: string, registered: readonly string[]): string | null {
  // @ts-expect-error A string from the request is not trusted.
  buildRedirect(redirectUri, { error: 'access_denied' })

  const decided = decideRedirectUri({ redirectUri, registered })
  return decided.ok ? buildRedirect(decided.redirectUri, { error: 'access_denied' }) : null
}
