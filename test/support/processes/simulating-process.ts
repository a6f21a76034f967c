import { createMemoryStore } from 'hallpass/store'
import { simulate, simulateClients } from 'hallpass-lab'

// A program that simulates, and does nothing more. Processes die in these runs, and responses are lost.

const createStore = (): ReturnType<typeof createMemoryStore> => createMemoryStore()
for (let seed = 1; seed <= 6; seed++) await simulate({ createStore, seed })
await simulateClients({ seed: 1, days: 7 })
process.stdout.write('simulated\n')
