import { directAdapter } from 'hallpass/mcp'
import { serverAdapter } from 'hallpass/mcp-sdk-v2'
import { createHallpass } from './common.mjs'

export const createSubject = ({ origin }) =>
  createHallpass({ origin, adapter: directAdapter(serverAdapter), envelope: true })
