export { sdkAdapter } from './mcp-sdk-v1/adapter.js'
