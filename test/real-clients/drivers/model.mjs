// A language model that is none: it asks once for one tool, and then says that it is done. The agents' own programs are
// led to it, so that what they offer to a model, and what they do with its wish, is what they do with any.
import { once } from 'node:events'
import { createServer } from 'node:http'

/** @returns its address, and the last conversation: the names of the tools that the agent offered, and the tool's answer */
export async function startModel() {
  const seen = { tools: [], result: null }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => answer(request.url, text === '' ? {} : JSON.parse(text), response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function answer(url, body, response) {
    const api = url.includes('/v1/messages')
      ? MESSAGES
      : url.includes('/responses')
        ? RESPONSES
        : url.includes('enerateContent')
          ? CONTENT
          : COMPLETIONS
    if (url.includes('count_tokens')) return response.end('{"input_tokens":1}')
    const names = api.tools(body).filter((name) => name !== undefined && isOfSchool(name))
    const said = JSON.stringify(body.messages ?? body.input ?? body.contents ?? [])
    if (names.length > 0) seen.tools = names
    const isOver = api.hasResult(said)
    if (isOver) seen.result = said
    const wanted = names.find((name) => name.endsWith('check_connection'))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const data of api.events(isOver ? undefined : wanted, body.model)) {
      const event = data.type === undefined ? '' : `event: ${data.type}\n`
      response.write(`${event}data: ${JSON.stringify(data)}\n\n`)
    }
    return response.end(api === COMPLETIONS ? 'data: [DONE]\n\n' : undefined)
  }
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close: () => server.close() }
}

const isOfSchool = (name) => /^(?:mcp__?)?school(?:__|_|\/)/.test(name)

/** Of Anthropic. */
const MESSAGES = {
  tools: ({ tools = [] }) => tools.map(({ name }) => name),
  hasResult: (said) => said.includes('"tool_result"'),
  events(name, model) {
    const block =
      name === undefined
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: 'toolu_1', name, input: {} }
    const delta =
      name === undefined
        ? { type: 'text_delta', text: 'done' }
        : { type: 'input_json_delta', partial_json: '{}' }
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const stop_reason = name === undefined ? 'end_turn' : 'tool_use'
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: 'message_stop' },
    ]
  },
}

/** Of OpenAI. */
const RESPONSES = {
  tools: ({ tools = [] }) =>
    tools.flatMap(({ type, name, tools: inner = [] }) =>
      type === 'namespace' ? inner.map((tool) => `${name}__${tool.name}`) : name,
    ),
  hasResult: (said) => said.includes('"function_call_output"'),
  events(name) {
    const item =
      name === undefined
        ? {
            type: 'message',
            role: 'assistant',
            id: 'm1',
            content: [{ type: 'output_text', text: 'done' }],
          }
        : {
            type: 'function_call',
            id: 'f1',
            call_id: 'c1',
            namespace: 'mcp__school',
            name: name.replace('mcp__school__', ''),
            arguments: '{}',
          }
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      total_tokens: 2,
      input_tokens_details: null,
      output_tokens_details: null,
    }
    return [
      { type: 'response.created', response: { id: 'r1' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'r1', usage } },
    ]
  },
}

/** Of Google. */
const CONTENT = {
  tools: ({ tools = [] }) =>
    tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
  hasResult: (said) => said.includes('"functionResponse"'),
  events(name) {
    const part = name === undefined ? { text: 'done' } : { functionCall: { name, args: {} } }
    const content = { role: 'model', parts: [part] }
    return [{ candidates: [{ index: 0, content, finishReason: 'STOP' }] }]
  },
}

/** The older one of OpenAI, which many servers of models have. */
const COMPLETIONS = {
  tools: ({ tools = [] }) => tools.map((tool) => tool.function?.name),
  hasResult: (said) => said.includes('"role":"tool"'),
  events(name) {
    const chunk = (delta, finish_reason = null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    })
    if (name === undefined)
      return [chunk({ role: 'assistant', content: 'done' }), chunk({}, 'stop')]
    const call = { index: 0, id: 'call1', type: 'function', function: { name, arguments: '{}' } }
    return [chunk({ role: 'assistant', tool_calls: [call] }), chunk({}, 'tool_calls')]
  },
}
