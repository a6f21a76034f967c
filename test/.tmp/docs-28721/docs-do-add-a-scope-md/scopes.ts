// scopes.ts
import { defineScopes, schoolScopeTable, type ScopeOf } from 'hallpass/scope'

export const scopes = defineScopes({
  ...schoolScopeTable,
  'certificates:read': {
    audience: 'operator',
    access: 'read',
    group: 'Students',
    consent: 'See which certificates were issued, and to whom',
    personalData: true,
  },
  'certificates:write': {
    audience: 'operator',
    access: 'write',
    group: 'Students',
    consent: 'Issue certificates in the name of {school}',
    personalData: true,
  },
})
export type Scope = ScopeOf<typeof scopes>
