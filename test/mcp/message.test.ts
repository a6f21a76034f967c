import { describe, expect, it } from 'vitest'
import { idOf, readMessage, readToolCall } from '../../src/mcp/message.js'

const NOT_A_MESSAGE = {
  ok: false,
  code: -32600,
  message: 'the body must be a JSON-RPC message',
}
const BATCH = {
  ok: false,
  code: -32600,
  message: 'batches are not supported: send one message at a time',
}
const NO_METHOD = { ok: false, code: -32600, message: 'the message has no method' }
const BAD_ID = { ok: false, code: -32600, message: 'id must be a string or an integer' }
const BAD_PARAMS = { ok: false, code: -32602, message: 'params must be an object' }

describe('readMessage', () => {
  it.each([
    [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { method: 'ping', id: 1, params: {} },
    ],
    [
      { jsonrpc: '2.0', id: 0, method: 'ping' },
      { method: 'ping', id: 0, params: {} },
    ],
    [
      { jsonrpc: '2.0', id: -1, method: 'ping' },
      { method: 'ping', id: -1, params: {} },
    ],
    [
      { jsonrpc: '2.0', id: '', method: 'ping' },
      { method: 'ping', id: '', params: {} },
    ],
    [
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { method: 'ping', id: 'a', params: {} },
    ],
    [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { method: 'notifications/initialized', id: undefined, params: {} },
    ],
    [
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' }, more: 1 },
      { method: 'tools/list', id: 1, params: { cursor: 'x' } },
    ],
  ])('reads %j', (body, message) => {
    expect(readMessage(body)).toEqual({ ok: true, body, message })
  })

  it.each([
    [null, {}],
    [{ cursor: null }, {}],
    [{ name: 'x', arguments: null, _meta: null }, { name: 'x' }],
    [
      { name: 'x', arguments: { a: null } },
      { name: 'x', arguments: { a: null } },
    ],
  ])('reads params %j as %j: null is absent [MCP-20]', (params, read) => {
    const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    expect(readMessage(sent)).toEqual({
      ok: true,
      body: { ...sent, params: read },
      message: { method: 'tools/call', id: 1, params: read },
    })
  })

  it.each([
    [{ id: 7 }, 7],
    [{ id: 'a', params: 5 }, 'a'],
    [{ id: null }, null],
    [{ id: 1.5 }, null],
    [{ id: {} }, null],
    [[{ id: 1 }], null],
    [undefined, null],
  ])('finds in %j the id %j', (sent, id) => {
    expect(idOf(sent)).toBe(id)
  })

  it.each([
    [null, NOT_A_MESSAGE],
    [true, NOT_A_MESSAGE],
    [1, NOT_A_MESSAGE],
    ['ping', NOT_A_MESSAGE],
    [{}, NOT_A_MESSAGE],
    [{ id: 1, method: 'ping' }, NOT_A_MESSAGE],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, NOT_A_MESSAGE],
    [{ jsonrpc: 2, id: 1, method: 'ping' }, NOT_A_MESSAGE],
    [[], BATCH],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], BATCH],
    [{ jsonrpc: '2.0', id: 1 }, NO_METHOD],
    [{ jsonrpc: '2.0', id: 1, result: {} }, NO_METHOD],
    [{ jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }, NO_METHOD],
    [{ jsonrpc: '2.0', id: 1, method: null }, NO_METHOD],
    [{ jsonrpc: '2.0', id: 1, method: ['ping'] }, NO_METHOD],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, BAD_ID],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, BAD_ID],
    [{ jsonrpc: '2.0', id: true, method: 'ping' }, BAD_ID],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }, BAD_ID],
    [{ jsonrpc: '2.0', id: [1], method: 'ping' }, BAD_ID],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: '' }, BAD_PARAMS],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, BAD_PARAMS],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: 'x' }, BAD_PARAMS],
  ])('refuses %j', (body, expected) => {
    expect(readMessage(body)).toEqual(expected)
  })

  it('reads no member that a body did not send', () => {
    const body = JSON.parse(
      '{"__proto__":{"jsonrpc":"2.0","method":"ping"},"constructor":{"method":"ping"}}',
    ) as unknown
    expect(readMessage(body)).toEqual(NOT_A_MESSAGE)
  })
})

const BAD_NAME = {
  ok: false,
  code: -32602,
  message: 'params.name must be the name of a tool',
}
const BAD_ARGUMENTS = {
  ok: false,
  code: -32602,
  message: 'params.arguments must be an object',
}

describe('readToolCall', () => {
  const read = (params: Readonly<Record<string, unknown>>) =>
    readToolCall({ method: 'tools/call', id: 1, params })

  it.each([
    [{ name: 'get_course' }, { name: 'get_course', args: {} }],
    [{ name: '' }, { name: '', args: {} }],
    [
      { name: 'get_course', arguments: { id: 'crs_1' }, _meta: { progressToken: 1 } },
      { name: 'get_course', args: { id: 'crs_1' } },
    ],
  ])('reads %j', (params, call) => {
    expect(read(params)).toEqual({ ok: true, call })
  })

  it.each([
    [{}, BAD_NAME],
    [{ name: null }, BAD_NAME],
    [{ name: 1 }, BAD_NAME],
    [{ name: ['get_course'] }, BAD_NAME],
    [{ name: 'get_course', arguments: null }, BAD_ARGUMENTS],
    [{ name: 'get_course', arguments: [] }, BAD_ARGUMENTS],
    [{ name: 'get_course', arguments: 'id=1' }, BAD_ARGUMENTS],
  ])('refuses %j', (params, expected) => {
    expect(read(params)).toEqual(expected)
  })
})
