import { createMemoryStore } from 'hallpass/store'
import { PERSON } from '../subjects/common.mjs'
import { hallpassOn } from './common.mjs'

/** hallpass without a database. */
export const createSubject = ({ origin }) =>
  hallpassOn(createMemoryStore(), {
    origin,
    personOf: (subject) => (subject === PERSON.subject ? PERSON : null),
    statements: () => 0,
  })
