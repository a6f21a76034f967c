import { equal } from 'node:assert/strict'
import { type RealClient, whoCanConnect } from 'hallpass-lab'
import { testSite } from 'hallpass/testing'

const notes: RealClient = {
  name: 'Notes',
  asOf: '2026-11-23',
  sources: [],
  registrations: [{ client_name: 'Notes', redirect_uris: ['http://127.0.0.1:50000/callback'] }],
  document: null,
  authorize: {
    redirectUri: 'http://127.0.0.1:50000/callback',
    resource: '/mcp',
    state: true,
    scopes: ['everything'],
    scopeSetting: null,
  },
  token: null,
  needsCors: false,
  notes: ['no exchange of a code was recorded'],
}

const [outcome] = whoCanConnect(testSite().site, {}, [notes])
equal(outcome?.reason, 'scope_of_other_audience')
