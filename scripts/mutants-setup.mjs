// Examples that a test starts as processes of their own get the mutant as well: see mutants-hooks.mjs.
const hooks = new URL('mutants-register.mjs', import.meta.url).href
if (process.env['HALLPASS_MUTANT'] !== undefined) process.env['NODE_OPTIONS'] = `--import=${hooks}`
