import { deepEqual } from 'node:assert/strict'
import { whoCanConnect } from 'hallpass-lab'
import { testSite } from 'hallpass/testing'

const { site } = testSite() // in your test: the site of your server

const inspector = whoCanConnect(site).find(({ client }) => client === 'MCP Inspector')
deepEqual([inspector?.connects, inspector?.by], [true, 'registration'])
