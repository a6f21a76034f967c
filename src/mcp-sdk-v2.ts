export { serverAdapter } from './mcp-sdk-v2/adapter.js'
