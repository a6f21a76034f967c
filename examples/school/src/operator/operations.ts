import { analyticsOperations } from './analytics.js'
import { appearanceOperations } from './appearance.js'
import { commentOperations } from './comments.js'
import { couponOperations } from './coupons.js'
import { courseOperations } from './courses.js'
import { curriculumOperations } from './curriculum.js'
import { type SchoolOperation } from './define.js'
import { digitalProductOperations } from './digital-products.js'
import { eventOperations } from './events.js'
import { formOperations } from './forms.js'
import type { Kit } from './kit.js'
import { lecturerOperations } from './lecturers.js'
import { memberOperations } from './members.js'
import { membershipPlanOperations } from './membership-plans.js'
import { orderOperations } from './orders.js'
import { pageOperations } from './pages.js'
import { postOperations } from './posts.js'
import { schoolSettingsOperations } from './school.js'
import { storageOperations } from './storage.js'
import { studentOperations } from './students.js'
import { subscriptionOperations } from './subscriptions.js'

/** Every operation of the admin API, in the order in which the documents list them: by its first word. */
export const schoolOperations = (
  kit: Kit,
  keys: { signingKey: string },
): readonly SchoolOperation[] =>
  [
    ...couponOperations(kit),
    ...courseOperations(kit),
    ...curriculumOperations(kit),
    ...studentOperations(kit),
    ...memberOperations(kit),
    ...orderOperations(kit),
    ...postOperations(kit),
    ...commentOperations(kit),
    ...eventOperations(kit),
    ...lecturerOperations(kit),
    ...storageOperations(kit, keys),
    ...membershipPlanOperations(kit),
    ...subscriptionOperations(kit),
    ...digitalProductOperations(kit),
    ...analyticsOperations(kit),
    ...formOperations(kit),
    ...pageOperations(kit),
    ...schoolSettingsOperations(kit),
    ...appearanceOperations(kit),
  ].toSorted((one, other) => wordOf(one).localeCompare(wordOf(other), 'en'))

const wordOf = ({ id }: SchoolOperation): string => id.split('.', 1)[0]!
