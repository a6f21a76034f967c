import { createListCourses } from '$lib/server/courses'
import { site } from '$lib/server/school'

export const GET = createListCourses(site)
