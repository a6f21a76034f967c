export { sdkAdapter } from './mcp-sdk/adapter.js'
