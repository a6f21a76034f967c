import * as sdk from '@modelcontextprotocol/server'
import { directAdapter, serverAdapter } from 'hallpass/mcp'
import { createHallpass } from './common.mjs'

export const createSubject = ({ origin }) =>
  createHallpass({ origin, adapter: directAdapter(serverAdapter(sdk)), envelope: true })
