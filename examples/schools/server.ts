// Many schools behind one server, each at its own host, with people, apps, keys and tokens of its own.
import { serve } from 'hallpass/node'
import { host, origin, port } from '../common/address.js'
import { stopOnSignal } from '../common/health.js'
import { addSchool } from './add.js'
import { platform, schools } from './platform.js'

// Two to begin with. Delete these lines.
const isNew = (await schools.list(1)).length === 0
const first = isNew
  ? [await addSchool('art', 'School of Art'), await addSchool('music', 'School of Music')]
  : []
const { stop } = await serve(platform, { port, host })
for (const school of first)
  if (school !== null) console.log(`${school.issuer}: owner@example.com with ${school.password}`)
console.log(`Schools at ${origin}. Press Ctrl+C to stop it.
  another school: npm run school -- pottery "School of Pottery"`)
stopOnSignal({ drain: stop })
