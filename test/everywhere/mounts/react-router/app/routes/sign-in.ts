import { signIn } from './school.server.js'

export const action = ({ request }) => signIn(request)
