// school.ts
import type { AuthorizationServer, Site } from 'hallpass'
import type { SchoolScope } from 'hallpass/scope'
import type { KeyRing } from 'hallpass/token'

/** The bindings of the worker. */
export interface Env {
  readonly ISSUER: string
  readonly SEALING_SECRET: string
}

/** Yours: everything that "Into an existing backend" creates, from the bindings. */
export declare function createSchool(env: Env): {
  site: Site<SchoolScope>
  keys: KeyRing
  server: AuthorizationServer
  signIn: (request: Request) => Promise<Response>
}
