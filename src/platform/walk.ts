/** How many schools are listed together. */
export const SCHOOLS = 100

/** A walk through the schools of a storage, from where it was left, round and round. */
export function createWalk(list: (after: string) => Promise<readonly string[]>): () => Promise<{
  readonly schools: readonly string[]
  readonly visited: number
  readonly isLast: boolean
}> {
  let after = ''
  return async () => {
    const sites = await list(after)
    after = sites.length < SCHOOLS ? '' : sites.at(-1)!
    // Rows of another name are of a server that shares the database.
    const schools = sites.filter((site) => URL.canParse(site))
    return { schools, visited: sites.length, isLast: after === '' }
  }
}
