// site.ts
import { defineSite } from 'hallpass'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { findPerson, pool } from './people.js'

const execute: Execute = (text, values, name) => pool.query({ name, text, values })
await migratePostgres({ execute })

export const site = defineSite({
  issuer: 'https://school.example',
  name: 'My School',
  store: createPostgresStore({ execute, site: 'my-school' }),
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson,
  onEvent: (event) => console.log(JSON.stringify(event)),
  onRefusal: (notice) => console.log(JSON.stringify(notice)),
  onFault: ({ endpoint, fault }) => console.error(endpoint, fault),
})
