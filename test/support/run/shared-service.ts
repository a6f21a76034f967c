import { inject } from 'vitest'
import type { Shared } from './setup.js'

/**
 * What all test files of a run share. It is made when the first of them asks.
 *
 * @param database - for an example: the URL of what it keeps its rows in, where it is not made yet
 */
export async function sharedService<Name extends keyof Shared>(
  name: Name,
  { database = '' }: { database?: string } = {},
): Promise<Shared[Name]> {
  const answer = await fetch(`${inject('shared')}/${name}?${new URLSearchParams({ database })}`)
  if (!answer.ok) throw new Error(`${name} could not be started: ${await answer.text()}`)
  return (await answer.json()) as Shared[Name]
}
