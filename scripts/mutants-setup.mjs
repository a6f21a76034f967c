// Examples that a test starts as processes of their own stand on the source too, with the mutant in it.
process.env['HALLPASS_TEST_EXAMPLE'] = 'source'
process.env['NODE_OPTIONS'] = `--import=${new URL('mutants-register.mjs', import.meta.url).href}`
