import { signIn } from '$lib/server/school'

export const POST = ({ request }) => signIn(request)
