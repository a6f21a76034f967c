import { routes as all, school, start } from '../../../school.js'

await start()
export const { signIn, site } = school
export const routes = all.filter(([path]) => path !== '/sign-in')
