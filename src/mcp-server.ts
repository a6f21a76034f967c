export { serverAdapter } from './mcp-server/adapter.js'
