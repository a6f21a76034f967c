// yours.ts
import type { Site } from 'hallpass'
import type { AccountApi } from 'hallpass/account-api'
import type { AdminApi } from 'hallpass/admin'
import type { SchoolScope } from 'hallpass/scope'

export declare const site: Site<SchoolScope>
export declare const account: AccountApi
export declare const operator: AdminApi<SchoolScope>
/** Published courses whose title has these words. */
export declare function searchCourses(
  words: string,
): Promise<readonly { slug: string; title: string }[]>
/** The courses that a person teaches. */
export declare function coursesTaughtBy(subject: string): Promise<readonly { slug: string }[]>
