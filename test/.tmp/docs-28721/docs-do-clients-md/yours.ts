// yours.ts
import type { SignedIn } from 'hallpass/authorization-server'
import type { Person } from 'hallpass/policy'
import type { Store } from 'hallpass/store'

export declare const store: Store
/** Reads your session cookie. Returns `null` if the browser is not signed in. */
export declare function currentPerson(request: Request): Promise<SignedIn | null>
/** Reads your users table. Returns `null` if the account is deleted or suspended. */
export declare function findPerson(subject: string): Promise<Person | null>
/** Your own settings. */
export declare const settings: { isOn(name: string): Promise<boolean> }
/** Your audit log. */
export declare function record(event: object): void
/** Whether a form came from your own page, and its sender signed in a short while ago. */
export declare function isOwnFreshForm(request: Request, form: FormData): Promise<boolean>
/** One of your templates as a page. Escape every string in the view. */
export declare function page(template: string, view: object, status?: number): Response
