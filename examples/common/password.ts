// npm run password owner@example.com: gives a user a new password, and ends the sessions of the old one.
import { setPassword } from './people.js'
import { close } from './store.js'

const [email = ''] = process.argv.slice(2)
const password = await setPassword(email)
await close()
if (password === null) {
  console.error(
    `No user in this database has the address "${email}". The first start creates owner@example.com`,
  )
  process.exitCode = 1
} else console.log(`The new password of ${email}: ${password}`)
