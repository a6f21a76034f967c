// people.ts
import type { Person } from 'hallpass/policy'
import pg from 'pg'

export const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  // So that a database that hangs ends a request: see "Deploy".
  connectionTimeoutMillis: 1000,
  query_timeout: 2000,
  statement_timeout: 1400,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 5000,
  keepAlive: true,
})

interface Row {
  readonly id: string | number
  readonly role: string
  readonly name: string | null
  readonly email: string | null
}

export async function findPerson(subject: string): Promise<Person | null> {
  const { rows } = await pool.query<Row>(
    'select id, role, name, email from users where id::text = $1 and not suspended',
    [subject],
  )
  const [row] = rows
  if (row === undefined) return null
  const { id, role, name, email } = row
  return { subject: String(id), orgId: 'my-school', roles: [role], name, email, picture: null }
}
