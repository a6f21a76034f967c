#!/usr/bin/env node
// npx hallpass-demo: starts the example school, on an embedded database in the folder `.hallpass-demo`.

// Everyone of the demo has one password, so nothing but this computer may reach it unless HOST says so.
const DEFAULTS = {
  HALLPASS_DEMO: '1',
  HALLPASS_DATA_DIR: '.hallpass-demo',
  NODE_ENV: 'production',
}
for (const [name, value] of Object.entries(DEFAULTS)) process.env[name] ??= value
await import('./dist/main.mjs')
