import { createMemoryStore } from 'hallpass/store'
import { createSchool as create } from '../../school.ts'

/** `begin` also creates the app of members: the worker calls only `maintain`. */
export function createSchool({ ISSUER, SEALING_SECRET, PASSWORD }) {
  const store = createMemoryStore()
  const school = create({
    issuer: ISSUER,
    sealingSecret: SEALING_SECRET,
    password: PASSWORD,
    store,
  })
  void school.begin()
  return school
}
