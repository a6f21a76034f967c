// login.ts
import type { SignedIn } from 'hallpass/authorization-server'

/** Yours. */
export declare const sessions: Map<string, { userId: string; signedInAt: Date }>

export async function currentPerson(request: Request): Promise<SignedIn | null> {
  const id = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
  const session = id === undefined ? undefined : sessions.get(id)
  if (session === undefined) return null
  const { userId, signedInAt } = session
  return { subject: String(userId), authTime: Math.floor(signedInAt.getTime() / 1000) }
}
