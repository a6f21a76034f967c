import * as all from 'hallpass/blocks'
import { createSubject as createPlain } from './hallpass.mjs'

/**
 * Each block that costs something per request, by the function that makes it. A block without a line here is not on: those
 * that add a grant or a path cost nothing where they are not asked.
 */
const ROWS = {
  clientSecretBasic: () => all.clientSecretBasic(),
  privateKeyJwt: () => all.privateKeyJwt({ keysOf: () => null }),
  dpop: () => all.dpop(),
}

/** hallpass with its blocks on, for clients that use none of them. */
export const createSubject = ({ origin }) =>
  createPlain({
    origin,
    blocks: Object.entries(ROWS)
      .filter(([name]) => name in all)
      .map(([, make]) => make()),
  })
