import { type Attack, type AttackClass, pairs } from '../support/attack/run.js'
import { type Operation, operationsOf, pathOf, type Schema } from '../support/attack/operations.js'
import { bearer, JSON_HEADERS, MEMBER_SCOPES, STAFF_SCOPES, tokenSupply } from '../support/attack/service.js' // prettier-ignore
import type { Answer } from '../support/attack/wire.js'

const IDS = [
  '..', '%00', '%ff', '%', "'%20or%20'1'='1", `crs_${'x'.repeat(300)}`, 'crs_l01%00', '__proto__',
] // prettier-ignore
const FILTERS = ['', '%00', '%ff', "'%20or%201=1%20--", '-1', 'x'.repeat(2000)] // prettier-ignore
const CURSORS = ['x', 'e30', 'bnVsbA', '%00', 'x'.repeat(1500), 'WyJhIl0'] // prettier-ignore

/** Bodies that no operation takes. */
const BODIES: readonly string[] = [
  'null', '[{}]', '{', '{"a":1}{"b":2}', '{"nothing":1}', '{"__proto__":{"a":1}}', '{"id":"crs_l01"}', '{"site":"site_kiln"}',
  '{"a":1,"a":2}', '{"nothing":1,"\\u006eothing":2}', '\ufeff{}', `${'['.repeat(5000)}${']'.repeat(5000)}`, `{"a":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`,
  `{"nothing":"${'x'.repeat(300_000)}"}`,
] // prettier-ignore
const WRONG: readonly unknown[] = [7.5, true, {}, [], 'x\u0000', '', null, ['\u0000'], { a: 1 }, -1, 1e300, 'x'.repeat(60_000)] // prettier-ignore

const isProblem = ({ headers }: Answer): string | null =>
  String(headers['content-type']).startsWith('application/problem+json') ? null : 'it is no problem'

/** Nobody changes or reads a school with less than the scope, the role and the right input. */
export const adminApi: AttackClass = {
  name: 'admin API',
  least: 3700,
  async build(service) {
    const operations = await operationsOf(service)
    const attacks: Attack[] = []
    const add = (
      { id, method }: Operation,
      name: string,
      request: { path: string; token: string | null; body?: string; headers?: Record<string, string> },
      rest: Pick<Attack, 'statuses'> & Partial<Attack>,
    ): void => {
      const { path, token, body, headers } = request
      attacks.push({
        name: `${id} ${name}`.slice(0, 120),
        request: {
          method,
          path,
          headers: { ...(body !== undefined && JSON_HEADERS), ...(token !== null && bearer(token)), ...headers },
          ...(body !== undefined && { body }),
        },
        ...rest,
      })
    } // prettier-ignore

    // Whoever lacks the token, the scope or the role.
    const member = await tokenSupply(service, operations.length, { clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES }) // prettier-ignore
    const student = await tokenSupply(service, operations.length, { subject: 'mem_l05' })
    const other = await tokenSupply(service, operations.length, { site: 'kiln' })
    const lacking = new Map<string, () => string>()
    for (const scope of new Set(operations.map((one) => one.scope)))
      lacking.set(scope, await tokenSupply(service, 79, { scopes: STAFF_SCOPES.filter((one) => one !== scope) })) // prettier-ignore
    for (const operation of operations) {
      const path = pathOf(operation, 'crs_l01')
      const body = operation.hasBody ? { body: '{}' } : {}
      const without = ['"data"', '"id":']
      add(operation, 'without a token', { path, token: null, ...body }, { statuses: [401], without, fault: isProblem }) // prettier-ignore
      add(operation, 'with the token of a member', { path, token: member(), ...body }, { statuses: [403], without, fault: isProblem }) // prettier-ignore
      add(operation, 'with the token of a student', { path, token: student(), ...body }, { statuses: [403], without, fault: isProblem }) // prettier-ignore
      add(operation, 'with the token of the other school', { path, token: other(), ...body }, { statuses: [401], without, fault: isProblem }) // prettier-ignore
      add(operation, 'with every other scope', { path, token: lacking.get(operation.scope)!(), ...body }, { statuses: [403], without, fault: isProblem }) // prettier-ignore
    }

    // The owner's own tokens, and what nobody may send with them.
    const token = await tokenSupply(service, 5000)
    const refused = [400, 404, 405, 409, 412, 413, 415, 422, 428]
    for (const operation of operations) {
      const { query, method, hasBody, path, body } = operation
      const valid = pathOf(operation, 'crs_nothing')
      if (path.includes('{'))
        for (const id of IDS)
          add(operation, `with the id ${id}`, { path: path.replace(/\{\w+\}/, id), token: token(), ...(hasBody && { body: '{}' }) }, { statuses: refused }) // prettier-ignore
      const isList = query.some(({ name }) => name === 'limit')
      const isFound = isList && !path.includes('{')
      const read = { statuses: isFound ? [200, 400, 422] : [400, 404, 422] }
      if (method === 'GET') {
        for (const [{ name }, value] of pairs(query, FILTERS))
          add(operation, `with ${name}=${value}`, { path: `${valid}?${name}=${value}`, token: token() }, read) // prettier-ignore
        // A list is separated by commas, and may be repeated as well.
        for (const { name } of query.filter((one) => one.schema.type !== 'array'))
          add(operation, `with ${name} twice`, { path: `${valid}?${name}=1&${name}=2`, token: token() }, { statuses: [400, 404, 422] }) // prettier-ignore
        add(operation, 'with an unknown parameter', { path: `${valid}?nothing=1`, token: token() }, { statuses: [400, 422] }) // prettier-ignore
        if (isList)
          for (const cursor of CURSORS)
            add(operation, `with the cursor ${cursor}`, { path: `${valid}?cursor=${cursor}`, token: token() }, { statuses: [400, 404, 422] }) // prettier-ignore
        if (isList)
          for (const limit of ['0', '-1', '101', '1e1', '99999999999999999999'])
            add(operation, `with the limit ${limit}`, { path: `${valid}?limit=${limit}`, token: token() }, { statuses: [400, 404, 422] }) // prettier-ignore
      }
      if (hasBody) {
        for (const text of BODIES)
          add(operation, `with the body ${text.slice(0, 40)}`, { path: valid, token: token(), body: text }, { statuses: refused }) // prettier-ignore
        for (const type of ['text/plain', 'application/x-www-form-urlencoded']) // prettier-ignore
          add(operation, `as ${type}`, { path: valid, token: token(), body: '{}', headers: { 'content-type': type } }, { statuses: [415] }) // prettier-ignore
        for (const [name, value] of wrongMembers(body))
          add(operation, `with ${name}=${JSON.stringify(value).slice(0, 30)}`, { path: valid, token: token(), body: JSON.stringify({ [name]: value }) }, { statuses: refused }) // prettier-ignore
      }
      if (method !== 'GET')
        for (const [name, value] of [['dry_run', 'x'], ['dry_run', ''], ['nothing', '1'], ['id', 'crs_l02']] as const) // prettier-ignore
          add(operation, `with ${name}=${value}`, { path: `${valid}?${name}=${value}`, token: token(), ...(hasBody && { body: '{}' }) }, { statuses: refused }) // prettier-ignore
    }
    for (const [path, method] of pairs(
      ['/api/v1', '/api/v1/', '/api/v1/nothing', '/api/v1/../v1/courses', '/api/v1//courses', '/api/v1/courses/', '/api/v1/Courses', '/api/v1/courses%2f', '/api/v1/%63ourses', '/api/v1/courses;x', '/API/V1/courses', '/api/v2/courses', '/api/v1/courses/crs_l01/../../members'],
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'],
    ))
      attacks.push({
        name: `${method} ${path}`,
        request: { method, path, headers: bearer(token()) },
        statuses: method === 'GET' ? [200, 307, 308, 400, 404, 405] : [204, 307, 308, 400, 404, 405, 415, 422],
      }) // prettier-ignore

    return {
      attacks,
      controls: operations
        .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
        .map((operation): Attack => ({
          name: operation.id,
          request: { path: operation.path, headers: bearer(token()) },
          statuses: [200],
        })),
    }
  },
}

/** Values of a type that a member of the input has not. */
function wrongMembers({ properties = {} }: Schema): readonly (readonly [string, unknown])[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const allowed = (schema.anyOf ?? [schema]).map(({ type }) => type)
    const wrong = WRONG.filter(
      (value) => !allowed.includes(typeOf(value)) && !isText(value, allowed),
    )
    return wrong.slice(0, 2).map((value) => [name, value] as const)
  })
}

const isText = (value: unknown, allowed: readonly (string | undefined)[]): boolean =>
  typeof value === 'string' && allowed.includes('string')

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
