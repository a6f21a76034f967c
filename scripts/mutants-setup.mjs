// An example that a test starts as a process of its own also uses the source with the mutant.
process.env['HALLPASS_TEST_EXAMPLE'] = 'source'
