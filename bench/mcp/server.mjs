import * as sdk from '@modelcontextprotocol/server'
import { serverAdapter } from 'hallpass/mcp'
import { createHallpass } from './common.mjs'

export const createSubject = ({ origin }) =>
  createHallpass({ origin, adapter: serverAdapter(sdk), envelope: true })
