// oauth.ts
import { createRouter } from 'hallpass/authorization-server'
import { server } from './school.server.js'

const router = createRouter(server)
const serve = ({ request }: { request: Request }): Promise<Response> => router(request)
export { serve as loader, serve as action }
