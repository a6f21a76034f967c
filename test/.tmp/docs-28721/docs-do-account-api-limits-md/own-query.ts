// own-query.ts
import { deepEqual } from 'node:assert/strict'
import { graphql } from 'graphql'
import { contextFor, schema } from './own.js'
import { source } from './source.js'

const person = {
  subject: 'mem_mei',
  orgId: 'kiln',
  roles: ['student'],
  name: null,
  email: null,
  picture: null,
}
const result = await graphql({
  schema,
  source: '{ viewer { name memberSince kilnHours } }',
  contextValue: contextFor({ person }, source, 1_795_165_200),
})
deepEqual(JSON.parse(JSON.stringify(result)), {
  data: { viewer: { name: 'Mei-Ling Chou', memberSince: '2025-10-09T08:53:20Z', kilnHours: 6 } },
})
