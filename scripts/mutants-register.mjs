import { register } from 'node:module'

register('./mutants-hooks.mjs', import.meta.url)
