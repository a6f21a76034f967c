import type { Execute } from 'hallpass/postgres'
import { seedA } from './demo-a.js'
import { seedSales } from './demo-b.js'
import { seedContent } from './demo-c.js'

/** Puts in what the admin API shows beside what members see. */
export async function seedAdmin(options: {
  execute: Execute
  site: string
  now: () => number
}): Promise<void> {
  await seedA(options)
  await seedSales(options)
  await seedContent(options)
}
