import type { ClientView } from 'hallpass/authorization-server'

/** A member client, as the pages show it. */
export const STUDY_BUDDY_VIEW: ClientView = {
  clientId: 'study-buddy',
  name: 'Study Buddy',
  kind: 'member',
  verified: true,
  links: [],
  logoUri: null,
  createdAt: 1_788_000_000,
  redirectHost: 'study-buddy.example',
  redirectIsLoopback: false,
  redirectIsOwn: false,
}
