import { createMysqlStore, fromPool, migrateMysql } from 'hallpass/mysql'
import mysql from 'mysql2/promise'
import { CONNECTIONS, FIND_PERSON, hallpassOn, PEOPLE } from './common.mjs'

/** hallpass on MariaDB, over `mysql2`, with a pool of its own. */
export async function createSubject({ origin }) {
  const options = { socketPath: process.env.MARIADB_SOCKET, user: 'root', database: 'school' }
  const inTurn = fromPool(mysql.createPool({ ...options, connectionLimit: CONNECTIONS }))
  const people = mysql.createPool({ ...options, connectionLimit: CONNECTIONS })
  let sent = 0
  const counted = (work) => (run) =>
    work((...statement) => {
      sent++
      return run(...statement)
    })
  const batch = (work, isSingle) => inTurn(counted(work), isSingle)
  await migrateMysql({ batch })
  for (const text of PEOPLE) await people.query(text.replace('id text', 'id varchar(99)'))
  const personOf = async (subject) => {
    sent++
    const [rows] = await people.execute(`${FIND_PERSON}?`, [subject])
    return rows[0]
  }
  const store = createMysqlStore({ batch, site: 'bench' })
  return hallpassOn(store, { origin, personOf, statements: () => sent })
}
