// mcp.ts
import { accountTools, createMcpEndpoint, operationTools } from 'hallpass/mcp'
import { serverAdapter } from 'hallpass/mcp-sdk-v2'
import { searchCatalog } from './search.js'
import { account, operator, site } from './yours.js'

export const mcp = createMcpEndpoint(site, {
  tools: [searchCatalog, ...accountTools(account), ...operationTools(operator)],
  adapter: serverAdapter,
  toolsets: { sales: ['list_orders', 'get_order', 'list_coupons'] },
})
