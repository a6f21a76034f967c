// notes-scopes.ts
import { defineScopes, type RoleTable, type ScopeOf } from 'hallpass/scope'

const identity = { audience: 'any', access: 'identity', group: 'You' } as const

export const noteScopes = defineScopes({
  openid: { ...identity, consent: 'Confirm your identity at {school}' },
  profile: { ...identity, consent: 'See your name and picture' },
  email: { ...identity, consent: 'See your email address' },
  'notes:read': {
    audience: 'operator',
    access: 'read',
    group: 'Notes',
    consent: 'Read your notes',
    personalData: true,
  },
})

// Clients that register themselves act for staff only. So everyone who may connect one is staff here.
export const noteRoles: RoleTable<ScopeOf<typeof noteScopes>> = {
  user: { staff: true, scopes: 'all' },
}
