import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import * as types from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'

/** Version 1 of the SDK, as `sdkAdapter` takes it. */
export const SDK_1 = {
  ...types,
  Server,
  WebStandardStreamableHTTPServerTransport,
  AjvJsonSchemaValidator,
}
