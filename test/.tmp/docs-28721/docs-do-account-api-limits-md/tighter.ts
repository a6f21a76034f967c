// tighter.ts
import type { AccountApiOptions } from 'hallpass/account-api'

export const tighter: Pick<AccountApiOptions, 'limits' | 'bucket' | 'deadlineMilliseconds'> = {
  limits: { cost: 500, depth: 8 },
  bucket: { capacity: 1000, restoreRate: 20 },
  deadlineMilliseconds: 1000,
}
