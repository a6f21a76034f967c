// An example that a test starts as a process of its own also uses the source with the mutant.
process.env['HALLPASS_TEST_EXAMPLE'] = 'source'
process.env['NODE_OPTIONS'] = `--import=${new URL('mutants-register.mjs', import.meta.url).href}`
