import { sdkAdapter } from 'hallpass/mcp-sdk'
import { createHallpass } from './common.mjs'

export const createSubject = ({ origin }) =>
  createHallpass({ origin, adapter: sdkAdapter, envelope: false })
