// For tests that need the tables and the demo, and no server: this loads none.
export { DEMO_PASSWORD, seedDemo } from './src/demo/demo.js'
export { createPeople, type People } from './src/members/people.js'
export { openDatabase } from './src/platform/database.js'
export type { Database } from './src/platform/transaction.js'
export { hashPassword } from './src/sign-in/password.js'
export { KILN, LANTERN } from './src/sites.js'
