import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import * as types from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { sdkAdapter } from 'hallpass/mcp'
import { createHallpass } from './common.mjs'

const sdk = { ...types, Server, WebStandardStreamableHTTPServerTransport, AjvJsonSchemaValidator }

export const createSubject = ({ origin }) =>
  createHallpass({ origin, adapter: sdkAdapter(sdk), envelope: false })
