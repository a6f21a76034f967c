import { fromDurableObject, migrateSqlite } from 'hallpass/sqlite'
import { checksOver, sqliteOn } from './checks.js'
import { failuresOf } from './failures.js'

// A worker: its Durable Object runs every check on its own storage.

interface State {
  readonly storage: Parameters<typeof fromDurableObject>[0]
}
interface Environment {
  readonly SCHOOL: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(url: string): Promise<Response> }
  }
}

export class School {
  readonly #state: State
  constructor(state: State) {
    this.#state = state
  }
  async fetch(): Promise<Response> {
    const batch = fromDurableObject(this.#state.storage)
    await migrateSqlite({ batch })
    return Response.json(await failuresOf(checksOver(sqliteOn(() => batch))))
  }
}

// oxlint-disable-next-line import/no-default-export -- a worker is the default export of its module.
export default {
  fetch: (_: Request, { SCHOOL }: Environment) =>
    SCHOOL.get(SCHOOL.idFromName('school')).fetch('https://school.example/'),
}
