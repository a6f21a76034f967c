/**
 * In the table of a block: the form of each `returnTo` that its pages give to a sign-in page, so that a site that names the
 * table knows them.
 */
export const RETURNS: unique symbol = /* @__PURE__ */ Symbol('returns')
