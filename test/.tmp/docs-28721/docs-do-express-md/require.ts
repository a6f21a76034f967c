// require.ts
import type { RequestHandler } from 'express'
import type { ProtectedResource } from 'hallpass'
import type { Access } from 'hallpass/policy'

/** Sets `res.locals.access` and calls the next handler, or sends the challenge. */
export function requireScopes<Scope extends string>(
  resource: ProtectedResource<Scope>,
  ...scopes: readonly NoInfer<Scope>[]
): RequestHandler<object, unknown, unknown, object, { access?: Access<Scope> }> {
  const gate = resource.gate(...scopes)
  return async (req, res, next) => {
    const access = await gate({ headers: req })
    if (access instanceof Response) {
      res
        .status(access.status)
        .set(Object.fromEntries(access.headers))
        .send(await access.text())
      return
    }
    res.locals.access = access
    next()
  }
}
