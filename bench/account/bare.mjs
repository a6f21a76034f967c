import { once } from 'node:events'
import { accountSchema } from 'hallpass/account'
import { execute, parse } from 'graphql'
import { contextOf, scenariosOf } from './common.mjs'

/** The floor: a handler of `node:http` that reads the request and always writes the same answer. */
export async function createSubject() {
  const scenarios = scenariosOf()
  const [{ json }] = await scenarios.known.prepare(1)
  const document = parse(JSON.parse(json).query)
  const result = await execute({
    schema: accountSchema(),
    document,
    contextValue: contextOf(),
  })
  const body = JSON.stringify(result)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  }
  const listener = async (req, res) => {
    let text = ''
    req.setEncoding('utf8')
    req.on('data', (chunk) => (text += chunk))
    await once(req, 'end')
    if (JSON.parse(text).query === undefined) res.writeHead(400).end()
    else res.writeHead(200, headers).end(body)
  }
  return { listener, scenarios }
}
