import type { SignIn } from 'hallpass-audit'

declare const signIn: SignIn
export default signIn
