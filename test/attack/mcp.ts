import fc from 'fast-check'
import { type Attack, type AttackClass, pairs, sampled } from '../support/attack/run.js'
import type { Schema } from '../support/attack/operations.js'
import { bearer, JSON_HEADERS, MEMBER_SCOPES, type Service, tokenSupply } from '../support/attack/service.js' // prettier-ignore
import type { RungClass } from '../support/attack/rungs.js'
import type { Answer } from '../support/attack/wire.js'

const HEADERS = { ...JSON_HEADERS, accept: 'application/json, text/event-stream' }
const rpc = (method: string, params: unknown = {}, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const call = (name: string, args: unknown = {}): string => rpc('tools/call', { name, arguments: args }) // prettier-ignore

/** Messages that are none, or none that this server takes. */
const MESSAGES: readonly string[] = [
  '', ' ', 'null', '7', '"x"', 'true', '[]', '{}', '{', '[{}]', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', '{"id":1,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":1,"method":7}', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', '{"jsonrpc":"2.0","id":[],"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', '{"jsonrpc":"2.0","id":true,"method":"tools/list"}', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":7}', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}', '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', `[${rpc('tools/list')}]`, `[${rpc('tools/list')},${call('list_orders')}]`, rpc('tools/call'), rpc('tools/call', { name: 7 }),
  rpc('tools/call', { name: 'check_connection', arguments: [] }), rpc('tools/call', { name: 'check_connection', arguments: 'x' }), rpc('tools/call', { name: null }),
  `{"jsonrpc":"2.0","id":[${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}],"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(300_000)}"}`,
  'jsonrpc=2.0&method=tools/list', '\ufeff\u0000', `{"jsonrpc":"2.0","id":1,"method":"tools/list"}${rpc('tools/list')}`,
] // prettier-ignore
/** Methods that other servers have. */
const METHODS = [
  'nothing', 'tools/List', 'tools/list\u0000', '__proto__', 'constructor', 'resources/list', 'resources/read', 'prompts/list', 'prompts/get', 'roots/list',
  'sampling/createMessage', 'elicitation/create', 'completion/complete', 'logging/setLevel', 'tasks/list', 'rpc.discover', 'notifications/cancelled', 'notifications/nothing',
] // prettier-ignore
const TOOLS = ['', ' ', 'nothing', '__proto__', 'constructor', 'LIST_ORDERS', 'list_orders ', 'list_orders\u0000', '../list_orders', "' or 1=1", 'x'.repeat(5000), 'toString', '\u202elist_orders'] // prettier-ignore

/** Addresses of pages that must not reach this server through the browser of somebody near it. */
const ORIGINS = [
  'https://evil.test', 'http://evil.test', 'http://127.0.0.1.evil.test', 'http://localhost.evil.test', 'http://evil.test:80', 'https://evil.test:443', 'file://', 'null', '*', '',
  'http://127.0.0.2', 'http://0.0.0.0', 'http://[::]', 'http://127.1', 'http://localhost@evil.test', 'chrome-extension://x', 'app://x', 'http://127.0.0.1\\.evil.test', 'http://LOCALHOST.evil.test', 'javascript:x',
] // prettier-ignore
const HOSTS = ['evil.test', 'evil.test:80', '127.0.0.1.evil.test', 'localhost.evil.test', '127.0.0.1@evil.test', '127.0.0.2', '0.0.0.0', '[::ffff:127.0.0.1]', 'localhost:1', '127.1', '2130706433', 'rebind.evil.test:3000'] // prettier-ignore

/** Values of no argument's type, or of a type that every parser reads differently. */
const ARGUMENTS: readonly unknown[] = [null, true, -1, 1e300, '', 'x\u0000', "' or 1=1 --", '\u202e', 'x'.repeat(20_000), [], [[]], {}, { $ne: null }, ['x', null]] // prettier-ignore

/** Adds messages to /mcp, of which no call may run. */
const sendTo =
  (attacks: Attack[]) =>
  (name: string, body: string, token: string | null, rest: Partial<Attack> = {}, headers = {}): void =>
    void attacks.push({
      name: name.slice(0, 110),
      request: { path: '/mcp', body, headers: { ...HEADERS, ...(token !== null && bearer(token)), ...headers } },
      statuses: [200, 400, 404],
      fault: refusedCall,
      ...rest,
    }) // prettier-ignore

interface Tool {
  readonly name: string
  readonly inputSchema: Schema
}

/** What is sent to /mcp ends in an answer of JSON-RPC, and tools do no more than the caller may. */
export const mcp: AttackClass = {
  name: 'MCP',
  least: 1350,
  async build(service) {
    const staff = await tokenSupply(service, 1500)
    const member = await service.mint({ clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES }) // prettier-ignore
    const narrow = await service.mint({ scopes: ['openid', 'posts:read'] })
    const lecturer = await tokenSupply(service, 200, { subject: 'mem_l03' })
    const tools = { staff: await toolsOf(service, staff()), member: await toolsOf(service, member.accessToken), public: await toolsOf(service, null) } // prettier-ignore
    if (tools.staff.length < 40 || tools.member.length < 10) throw new Error('few tools are listed')
    const attacks: Attack[] = []
    const send = sendTo(attacks)

    const refused = { statuses: [400, 413], fault: undefined }
    for (const [body, token] of pairs(MESSAGES, [null, member.accessToken]))
      send(`the message ${body}`, body, token, refused)
    for (const [method, token] of pairs(METHODS, [null, member.accessToken]))
      send(`the method ${method}`, rpc(method), token, { statuses: [200, 202, 400, 404] })
    for (const [name, token] of pairs(TOOLS, [null, member.accessToken, narrow.accessToken]))
      send(`the tool ${name}`, call(name), token)
    for (const header of ['mcp-protocol-version', 'mcp-session-id', 'last-event-id', 'mcp-method', 'mcp-name'])
      for (const value of ['', 'x', '2024-11-05', '1999-01-01', '2026-07-28', '../../x', "' or 1=1", 'x'.repeat(4000)])
        send(`${header}: ${value}`, call('list_orders'), null, { statuses: [400, 401, 404] , fault: undefined }, { [header]: value }) // prettier-ignore
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])
      attacks.push({ name: `${method} /mcp`, request: { method, path: '/mcp', headers: bearer(member.accessToken) }, statuses: [405] }) // prettier-ignore
    for (const toolset of ['nothing', '__proto__', "' or 1=1", '%00', 'x'.repeat(2000)])
      send(`toolset=${toolset}`, rpc('tools/list'), null, { statuses: [400], fault: undefined, request: { path: `/mcp?toolset=${encodeURIComponent(toolset)}`, body: rpc('tools/list'), headers: HEADERS } }) // prettier-ignore
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/event-stream', ''])
      send(`as ${type}`, rpc('tools/list'), null, { statuses: [400, 415], fault: undefined }, { 'content-type': type }) // prettier-ignore

    // A page elsewhere, or a name that now leads here.
    for (const origin of ORIGINS)
      for (const token of [null, member.accessToken])
        send(`from ${origin}`, call('check_connection'), token, { statuses: [403], without: ['"result"'], fault: ({ headers }) => headers['access-control-allow-origin'] === undefined ? null : 'the page may read it' }, { origin }) // prettier-ignore
    for (const host of HOSTS)
      for (const token of [null, member.accessToken])
        send(`to ${host}`, call('check_connection'), token, { statuses: [400, 403, 421], without: ['"result"'], fault: undefined }, { host }) // prettier-ignore

    // Tools of others: by no token, by a member, by an app that lacks the scope, by a role that lacks the right.
    const isPublic = new Set(tools.public.map(({ name }) => name))
    const inner = { without: ['"structuredContent"'], fault: undefined }
    for (const { name } of tools.staff.filter((tool) => !isPublic.has(tool.name))) {
      send(`${name} by nobody`, call(name), null, { statuses: [401], ...inner })
      send(`${name} by a member`, call(name), member.accessToken, { statuses: [403], ...inner })
    }
    for (const { name } of tools.member.filter((tool) => !isPublic.has(tool.name))) {
      send(`${name} by nobody`, call(name), null, { statuses: [401], ...inner })
      send(`${name} by staff`, call(name), staff(), { statuses: [403], ...inner })
    }
    for (const name of ['list_orders', 'list_members', 'list_coupons', 'update_school', 'update_my_profile'])
      for (const token of [narrow.accessToken, lecturer()])
        send(`${name} beyond scope or role`, call(name, {}), token, { statuses: [200, 403], fault: refusedCall }) // prettier-ignore

    // Every tool with arguments that are not its own.
    for (const tool of tools.staff) {
      const names = Object.keys(tool.inputSchema.properties ?? {})
      for (const args of [{ nothing: 1 }, { __proto__: null, constructor: 1 }, { site: 'site_kiln' }, { id: '../..', nothing: 1 }])
        send(`${tool.name} with ${JSON.stringify(args)}`, call(tool.name, args), staff())
      for (const [index, name] of names.slice(0, 5).entries())
        for (const value of [ARGUMENTS[(index * 3) % ARGUMENTS.length], ARGUMENTS[(index * 5 + 4) % ARGUMENTS.length]])
          send(`${tool.name} with ${name}=${JSON.stringify(value)}`, call(tool.name, { [name]: value, nothing: 1 }), staff())
    } // prettier-ignore
    for (const tool of tools.member)
      for (const args of sampled(fc.dictionary(fc.constantFrom('id', 'member', 'first', 'after', 'subject', 'site', 'nothing'), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), 6)) // prettier-ignore
        send(`${tool.name} with ${JSON.stringify(args)}`, call(tool.name, { ...(args as object), nothing: 1 }), member.accessToken) // prettier-ignore

    // Two people at the same time, each with their own data.
    const other = await service.mint({ clientId: 'study-buddy', subject: 'mem_l06', scopes: MEMBER_SCOPES }) // prettier-ignore
    for (let index = 0; index < 200; index++) {
      const [token, own, foreign] =
        index % 2 === 0
          ? [member.accessToken, 'Mei-Ling', 'Jonas']
          : [other.accessToken, 'Jonas', 'Mei-Ling']
      send(`own data ${index}`, call('get_my_profile'), token, {
        statuses: [200],
        without: [foreign],
        fault: ({ text }) => (text.includes(own) ? null : 'the own data is not there'),
      })
    }
    return {
      attacks,
      controls: [
        { name: 'the orders', request: { path: '/mcp', body: call('list_orders', { limit: 1 }), headers: { ...HEADERS, ...bearer(staff()) } }, statuses: [200], fault: ({ text }) => text.includes('"structuredContent"') ? null : 'there are none' },
        { name: 'a page on this computer', request: { path: '/mcp', body: rpc('tools/list'), headers: { ...HEADERS, origin: 'http://localhost:6274' } }, statuses: [200] },
      ],
    } // prettier-ignore
  },
}

/** The same for a rung: two tools of its own, and those of the Account API. */
export const mcpOfRung: RungClass = {
  name: mcp.name,
  needs: ['MCP', 'Account API'],
  least: 280,
  async build(rung) {
    const { grant } = rung
    const staff = (await grant('staff', 'openid students:read')).accessToken
    const narrow = (await grant('staff', 'openid')).accessToken
    const member = (await grant('member')).accessToken
    const tools = { staff: await toolsOf(rung, staff, '/mcp'), member: await toolsOf(rung, member, '/mcp'), public: await toolsOf(rung, null, '/mcp') } // prettier-ignore
    if (tools.member.length < 8) throw new Error('few tools are listed')
    const attacks: Attack[] = []
    const send = sendTo(attacks)
    for (const [body, token] of pairs(MESSAGES, [null, member]))
      send(`the message ${body}`, body, token, { statuses: [400, 413], fault: undefined })
    for (const [method, token] of pairs(METHODS, [null, member]))
      send(`the method ${method}`, rpc(method), token, { statuses: [200, 202, 400, 404] })
    for (const [name, token] of pairs(TOOLS, [null, member, narrow])) send(`the tool ${name}`, call(name), token) // prettier-ignore
    const elsewhere = { statuses: [400, 403, 421], without: ['"result"'], fault: undefined }
    for (const [origin, token] of pairs(ORIGINS, [null, member]))
      send(`from ${origin}`, call('list_courses'), token, elsewhere, { origin })
    for (const [host, token] of pairs(HOSTS, [null, member]))
      send(`to ${host}`, call('list_courses'), token, elsewhere, { host })
    const isPublic = new Set(tools.public.map(({ name }) => name))
    const inner = { statuses: [200, 401, 403], without: ['"structuredContent"'], fault: undefined }
    for (const { name } of tools.member.filter((tool) => !isPublic.has(tool.name)))
      for (const token of [null, staff]) send(`${name} by another`, call(name), token, inner)
    for (const token of [null, member, narrow])
      send('list_students by another', call('list_students', { course: 'glazing' }), token, inner)
    for (const tool of [...tools.staff, ...tools.member])
      for (const args of [{ nothing: 1 }, { subject: 'usr_1', nothing: 1 }, { id: '../..', nothing: 1 }, { course: "' or 1=1 --", nothing: 1 }])
        send(`${tool.name} with ${JSON.stringify(args)}`, call(tool.name, args), tools.staff.includes(tool) ? staff : member) // prettier-ignore
    return {
      attacks,
      controls: [
        { name: 'the students of a course', request: { path: '/mcp', body: call('list_students', { course: 'glazing' }), headers: { ...HEADERS, ...bearer(staff) } }, statuses: [200], fault: ({ text }) => (text.includes('Ada Okafor') ? null : 'nobody is listed') },
        { name: 'a page on this computer', request: { path: '/mcp', body: rpc('tools/list'), headers: { ...HEADERS, origin: 'http://localhost:6274' } }, statuses: [200] },
      ],
    } // prettier-ignore
  },
}

/** A call that has not run: an error of the protocol, or one of the tool. */
function refusedCall({ text }: Answer): string | null {
  if (text === '') return null
  const { error, result } = messageIn(text)
  if (error !== undefined) return null
  return result?.isError === true ? null : 'the call has run'
}

interface Message {
  readonly error?: unknown
  readonly result?: { readonly isError?: boolean; readonly tools?: readonly Tool[]; readonly nextCursor?: string } // prettier-ignore
}

/** A message, which may come as JSON or as an event. */
const messageIn = (text: string): Message =>
  JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Message

/** The tools that a caller is offered, all pages of them. */
async function toolsOf(
  { send }: Pick<Service, 'send'>,
  token: string | null,
  path = '/mcp?toolset=all',
): Promise<readonly Tool[]> {
  const tools: Tool[] = []
  let cursor: string | undefined
  for (let page = 0; page < 50; page++) {
    const { text } = await send({
      path,
      body: rpc('tools/list', { cursor }),
      headers: { ...HEADERS, ...(token !== null && bearer(token)) },
    })
    const { result } = messageIn(text)
    tools.push(...(result?.tools ?? []))
    cursor = result?.nextCursor
    if (cursor === undefined) return tools
  }
  throw new Error('the list of tools has no end')
}
