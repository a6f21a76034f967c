import sqlite from 'node-sqlite3-wasm'

// Another process that writes to a file of SQLite for as long as the test wants: until it receives a message.

const [place = ''] = process.argv.slice(2)
const database = new sqlite.Database(place)
database.exec('begin immediate')
process.once('message', () => {
  database.exec('commit')
  database.close()
  process.disconnect()
})
process.send!('ready')
