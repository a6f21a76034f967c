import { school, start } from '../../school.js'

await start()
export const { own, server, signIn, site } = school
