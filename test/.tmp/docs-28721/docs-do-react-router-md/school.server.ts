// school.server.ts
import type { AuthorizationServer, Site } from 'hallpass'
import type { SchoolScope } from 'hallpass/scope'

/** Yours, as in "Into an existing backend". */
export declare const site: Site<SchoolScope>
export declare const server: AuthorizationServer
