import { createMemoryStore } from 'hallpass/store'
import { storeContract } from 'hallpass/testing'
import { it } from 'vitest'

for (const check of storeContract(() => createMemoryStore())) it(check.name, check.run)
