import * as all from 'hallpass/blocks'
import { createSubject as createPlain } from './hallpass.mjs'

/**
 * Each block that costs something per request, by the function that makes it. A block without a line here is not on: those
 * that add a grant or a path cost nothing where they are not asked.
 */
const ROWS = {
  clientSecretBasic: () => ({ clientAuthentication: [all.clientSecretBasic()] }),
  privateKeyJwt: ({ store }) => ({
    clientAuthentication: [all.privateKeyJwt({ keysOf: () => null, once: store })],
  }),
  dpop: ({ store }) => ({ senderConstraint: all.dpop({ once: store }) }),
}

/** hallpass with its blocks on, for clients that use none of them. */
export const createSubject = ({ origin }) =>
  createPlain({
    origin,
    blocks({ store }) {
      const made = Object.entries(ROWS)
        .filter(([name]) => name in all)
        .map(([, make]) => make({ store }))
      const refusals = Object.keys(all)
        .filter((name) => name.endsWith('_REFUSALS'))
        .map((name) => all[name])
      return {
        site: { refusals, ...made.find(({ senderConstraint }) => senderConstraint !== undefined) },
        server: {
          clientAuthentication: made.flatMap(
            ({ clientAuthentication = [] }) => clientAuthentication,
          ),
        },
      }
    },
  })
