import { OptionsError } from '../options/check.js'

type Members = Readonly<Record<string, unknown>>

/**
 * Adds the members of a block to the metadata of a server.
 *
 * @param block - its option and name, for the error
 * @throws OptionsError if a member is there already: no block changes what the core or another one says
 */
export function withMembers(block: string, known: Members, added: Members): Members {
  const twice = Object.keys(added).find((member) => member in known)
  if (twice === undefined) return { ...known, ...added }
  throw new OptionsError('authorization server', [
    `${block} has the metadata ${twice}, which is there already`,
  ])
}
