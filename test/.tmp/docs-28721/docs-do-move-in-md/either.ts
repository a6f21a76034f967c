// either.ts
import { createProtectedResource, type Site } from 'hallpass'
import { TOKEN_PREFIX } from 'hallpass/token'

export interface Caller {
  readonly subject: string
  readonly scopes: readonly string[]
}

/** Your check of a token of the old server. Returns `null` if it is not valid. */
export declare function verifyOldToken(token: string): Promise<Caller | null>

export function acceptEither(
  site: Site,
  scope: string,
): (request: Request) => Promise<Caller | Response> {
  const gate = createProtectedResource(site).gate(scope)
  return async (request) => {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    if (token !== undefined && !token.startsWith(TOKEN_PREFIX.accessToken)) {
      const caller = await verifyOldToken(token)
      if (caller?.scopes.includes(scope)) return caller
    }
    const access = await gate(request)
    if (access instanceof Response) return access
    return { subject: access.person.subject, scopes: access.scopes }
  }
}
