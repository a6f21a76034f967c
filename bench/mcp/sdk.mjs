import { sdkAdapter } from 'hallpass/mcp-sdk-v1'
import { createHallpass } from './common.mjs'

export const createSubject = ({ origin }) =>
  createHallpass({ origin, adapter: sdkAdapter, envelope: false })
