// D1 on this computer: responds to what the binding of a worker sends, as Cloudflare does, from SQLite in a Durable
// Object. `start.mjs` runs it next to the worker; it is not deployed.
export class Database {
  #storage
  constructor({ storage }) {
    this.#storage = storage
  }
  async fetch(request) {
    const statements = [await request.json()].flat()
    const run = ({ sql, params }) => {
      const cursor = this.#storage.sql.exec(sql, ...(params ?? []))
      const { columnNames: columns } = cursor
      return { success: true, meta: {}, results: { columns, rows: [...cursor.raw()] } }
    }
    try {
      return Response.json(this.#storage.transactionSync(() => statements.map(run)))
    } catch (fault) {
      return Response.json({ success: false, error: fault.message })
    }
  }
}

export default {
  fetch: (request, { DATABASE }) => DATABASE.get(DATABASE.idFromName('DB')).fetch(request),
}
