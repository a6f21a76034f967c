import {
  type Attempt,
  type AttemptExplanation,
  type Attempts,
  createAttempts,
  createMemoryAttempts,
  decideManager,
  type Manager,
  recordAttempts,
} from 'hallpass/clients'
import { recorderOf as found } from '../../src/clients/attempts/record-attempts.js'
import type { AttemptRecorder } from '../../src/clients/attempts/recorder.js'
import { createSchool, ISSUER, OWNER, type School } from '../support/school/school.js'

/** The member of the staff who reads the records. */
function managerOf({ site }: Pick<School, 'site'>): Manager {
  const decided = decideManager({ person: OWNER, table: site.roles })
  if (!decided.ok) throw new Error(decided.reason)
  return decided.manager
}

export interface Watched extends School {
  readonly attempts: Attempts
  readonly manager: Manager
  /** The attempts, the newest first. */
  readonly all: () => Promise<readonly (Attempt & { explanation: AttemptExplanation })[]>
  /** The only attempt. */
  readonly only: () => Promise<Attempt & { explanation: AttemptExplanation }>
  /** The network from which the requests come. */
  network: string | null
}

/** A school that keeps attempts. */
export async function watchedSchool(
  options: NonNullable<Parameters<typeof createSchool>[0]> = {},
): Promise<Watched> {
  const school = await createSchool({
    ...options,
    options: {
      watchers: [recordAttempts(createMemoryAttempts())],
      networkOf: () => watched.network,
      ...options.options,
    },
  })
  const attempts = createAttempts(school.site)
  const manager = managerOf(school)
  const all: Watched['all'] = async () => (await attempts.list(manager)).attempts
  const watched: Watched = Object.assign(school, {
    attempts,
    manager,
    all,
    network: '203.0.113.7',
    only: async () => {
      const found = await all()
      if (found.length !== 1) throw new Error(`${found.length} attempts: ${JSON.stringify(found)}`)
      return found[0]!
    },
  })
  return watched
}

/** The recorder of a site. */
export const recorderOf = ({ watchers }: Pick<School['site'], 'watchers'>): AttemptRecorder =>
  found(watchers)!

/** The stages of an attempt, with the reason of those that failed. */
export const stagesOf = ({ steps }: Attempt): readonly string[] =>
  steps.map(({ stage, reason }) => (reason === null ? stage : `${stage} ${reason}`))

export const register = (
  school: School,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Response> =>
  school.fetch(`${ISSUER}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  })
