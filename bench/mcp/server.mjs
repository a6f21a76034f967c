import { serverAdapter } from 'hallpass/mcp-server'
import { createHallpass } from './common.mjs'

export const createSubject = ({ origin }) =>
  createHallpass({ origin, adapter: serverAdapter, envelope: true })
