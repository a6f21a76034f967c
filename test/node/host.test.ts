import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createHostCheck, FOREIGN_HOST, TWO_HOSTS } from '../../src/node/host.js'

const check = (origin: string, host: string | undefined): boolean =>
  // `From` is as long as `Host`.
  createHostCheck(origin)({ rawHeaders: ['Host', String(host), 'From', 'me'] } as IncomingMessage, {
    header: () => host ?? null,
  }) === null

it.each([
  ['http://127.0.0.1:3000', false],
  ['http://127.1.2.3', false],
  ['http://localhost:3000', false],
  ['https://my-school.localhost', false],
  ['http://a.b.localhost:1', false],
  ['http://[::1]:3000', false],
  ['https://school.example', true],
  ['https://localhost.example', true],
  ['https://school.example?http://localhost', true],
  ['http://127.0.0.1.example', true],
])('at the origin %s any Host may be sent: %s', (origin, isAny) => {
  expect([check(origin, 'evil.example'), check(origin, 'localhost')]).toEqual([isAny, true])
})

it.each([
  [undefined, true],
  ['', true],
  ['localhost', true],
  ['LOCALHOST:3000', true],
  ['my-school.localhost:3000', true],
  ['127.0.0.1:3000', true],
  ['10.0.0.7', true],
  ['[::1]:3000', true],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['evil.example:127.0.0.1', false],
  ['127.0.0.1:3000x', false],
])('a site on this computer takes the Host %s: %s', (host, isTaken) => {
  expect(check('http://127.0.0.1:3000', host)).toBe(isTaken)
})

it('says so as JSON that nothing keeps', () => {
  for (const { headers } of [TWO_HOSTS, FOREIGN_HOST])
    expect(headers).toEqual(['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']) // prettier-ignore
})
