import sqlite from 'node-sqlite3-wasm'

// Another process that writes to a file of SQLite for as long as the test wants: from one message to the next.

const [place = ''] = process.argv.slice(2)
const database = new sqlite.Database(place)
process.once('message', () => {
  database.exec('begin immediate')
  process.once('message', () => {
    database.exec('commit')
    database.close()
    process.disconnect()
  })
  process.send!('writing')
})
process.send!('ready')
