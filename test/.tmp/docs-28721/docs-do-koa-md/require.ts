// require.ts
import type { ProtectedResource } from 'hallpass'
import type { Access } from 'hallpass/policy'

interface Context<Scope extends string> {
  get(name: string): string
  body: unknown
  state: { access?: Access<Scope> }
}

/** Continues with `ctx.state.access` only if the access token has these scopes. */
export function requireScopes<Scope extends string>(
  resource: ProtectedResource<Scope>,
  ...scopes: readonly NoInfer<Scope>[]
) {
  const gate = resource.gate(...scopes)
  return async (context: Context<Scope>, next: () => Promise<unknown>): Promise<unknown> => {
    const access = await gate({ headers: context })
    if (access instanceof Response) return (context.body = access)
    context.state.access = access
    return next()
  }
}
