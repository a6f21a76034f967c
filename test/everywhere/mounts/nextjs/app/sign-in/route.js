import { school } from '@/lib/hallpass'

export const POST = async (request) => (await school()).signIn(request)
