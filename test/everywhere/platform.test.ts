import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Child, startChild } from '../support/processes/child.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { passTime } from '../support/processes/wait.js'
import { sharedService } from '../support/run/shared-service.js'
import { ROOT } from '../support/source/root.js'
import { buildPlatform } from './build.js'

const JWKS = '/.well-known/jwks.json'
let port = 0
let child: Child | undefined

beforeAll(async () => {
  await sharedService('express')
  const [scope, cwd] = [
    join(ROOT, 'test/everywhere/node_modules/@cloudflare'),
    await buildPlatform(),
  ]
  port = await freePorts()
  const program = join(scope, readdirSync(scope)[0]!, 'bin/workerd')
  child = startChild(program, ['serve', '--socket-addr', `http=127.0.0.1:${port}`, 'config.capnp'], { cwd }) // prettier-ignore
  await child.until(() => accepts(port), { what: 'it listens' })
})
afterAll(() => child?.stop('SIGTERM'))

interface Asked {
  readonly form?: Readonly<Record<string, string>>
  readonly token?: string
  /** Closes the connection at once. */
  readonly leaves?: boolean
}

/** Sends a request to one of the schools: a host name that `fetch` would look up. */
const ask = (host: string, path: string, { form, token, leaves = false }: Asked = {}) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const sent = request(
      {
        port,
        path,
        method: form === undefined ? 'GET' : 'POST',
        headers: {
          host,
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...(token && { authorization: `Bearer ${token}` }),
        },
      },
      (response) => {
        const status = response.statusCode!
        textOf(response).then((text) => resolve({ status, text }), reject)
      },
    )
    sent.once('error', reject)
    sent.end(form === undefined ? undefined : new URLSearchParams(form).toString())
    if (leaves) void passTime(20).then(() => sent.destroy())
  })

async function accessTokenAt(school: string): Promise<string> {
  const { text } = await ask(`${school}.example`, '/api/oauth/token', {
    form: {
      grant_type: 'refresh_token',
      client_id: 'study-app',
      refresh_token: `the-first-refresh-token-of-a-person-at-${school}`,
    },
  })
  return (JSON.parse(text) as { access_token: string }).access_token
}

describe('a platform in workerd', () => {
  it('opens a school for all who wait for it, with its issuer and its own key', async () => {
    const asked = ['art', 'music'].flatMap((name) => [name, name, name])
    const found = await Promise.all(
      asked.map(async (name) => {
        const { text } = await ask(`${name}.example`, '/.well-known/openid-configuration')
        return (JSON.parse(text) as { issuer: string }).issuer
      }),
    )
    expect(found).toEqual(asked.map((name) => `https://${name}.example`))
    const kids = await Promise.all(
      ['art', 'music'].map(async (name) => {
        const { keys } = JSON.parse((await ask(`${name}.example`, JWKS)).text) as {
          keys: { kid: string }[]
        }
        return keys.map(({ kid }) => kid).join()
      }),
    )
    expect(new Set(kids).size).toBe(2)
  })

  it('accepts a token at its school, and at no other', async () => {
    const token = await accessTokenAt('art')
    const statuses = []
    for (const school of ['art', 'music', 'dance'])
      statuses.push((await ask(`${school}.example`, '/api/oauth/userinfo', { token })).status)
    expect(statuses).toEqual([200, 401, 401])
  })

  it('answers 421 to a host that no school has, and 400 to what is none', async () => {
    expect((await ask('none.example', '/')).status).toBe(421)
    expect((await ask('art.example.', '/')).status).toBe(400)
  })

  it('shows a row that has changed', async () => {
    expect((await ask('music.example', '/')).text).toBe('music 1')
    await ask('music.example', '/rename')
    expect((await ask('music.example', '/')).text).toBe('renamed 2')
  })

  it('serves those who wait for a school whose first visitor has left', async () => {
    await ask('dance.example', '/rename')
    await expect(ask('dance.example', '/', { leaves: true })).rejects.toThrow()
    expect((await ask('dance.example', '/')).text).toBe('renamed 2')
  })
})
