// app/api/oauth/token/route.ts
import type { AuthorizationServer } from 'hallpass'

declare const server: AuthorizationServer

export const POST = server.token
