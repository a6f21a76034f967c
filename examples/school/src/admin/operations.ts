import { analyticsOperations } from '../sales/analytics.js'
import { appearanceOperations } from '../school/appearance.js'
import { commentOperations } from '../content/comments.js'
import { couponOperations } from '../sales/coupons.js'
import { courseOperations } from '../courses/operations.js'
import { curriculumOperations } from '../courses/curriculum.js'
import { type SchoolOperation } from './define.js'
import { digitalProductOperations } from '../sales/digital-products.js'
import { eventOperations } from '../events/operations.js'
import { formOperations } from '../content/forms.js'
import type { Kit } from './kit.js'
import { lecturerOperations } from '../courses/lecturers.js'
import { memberOperations } from '../members/operations.js'
import { membershipPlanOperations } from '../subscriptions/plans.js'
import { orderOperations } from '../sales/orders.js'
import { pageOperations } from '../custom-pages/operations.js'
import { postOperations } from '../content/posts.js'
import { schoolSettingsOperations } from '../school/operations.js'
import { storageOperations } from '../school/storage.js'
import { studentOperations } from '../learning/operations.js'
import { subscriptionOperations } from '../subscriptions/operations.js'

/** Every operation of the admin API, in the order of the documentation: by the first part of its id. */
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
