import { createMemoryStore } from 'hallpass/store'
import { createSchool as create } from '../../school.ts'
import { openStore } from './store.ts'

export async function createSchool(env) {
  const { DB, ISSUER: issuer, SEALING_SECRET: sealingSecret, PASSWORD: password } = env
  const store = DB === undefined ? createMemoryStore() : await openStore(env)
  const school = create({ issuer, sealingSecret, password, store })
  await school.begin()
  return school
}
