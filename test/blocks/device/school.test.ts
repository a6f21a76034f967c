import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFormBrowser, type Page } from '../../support/http/form-browser.js'
import { type RunningExample, startExample } from '../../support/processes/example.js'
import type { DeviceAuthorization } from '../../support/school/device-school.js'
import {
  DEVICE_GRANT,
  DEVICE_PATH,
  DEVICE_REQUEST_PATH,
} from '../../support/school/device-school.js'
import { encode, type Tokens } from '../../support/school/flow.js'

let school: RunningExample
beforeAll(async () => {
  school = await startExample({ environment: { SCHOOL_BLOCKS: 'device' } })
})
afterAll(() => school.stop())

const PASSWORD = 'hallpass-demo'
const post = (path: string, fields: Record<string, string>): Promise<Response> =>
  fetch(school.origin + path, { method: 'POST', body: encode(fields) })

describe('the school with SCHOOL_BLOCKS=device', () => {
  it('connects a program by its code, from the link to a tool of /mcp, without script', async () => {
    const { origin } = school
    const client = { client_id: 'desk-cli' }
    const resource = `${origin}/mcp`
    const scope = 'openid courses:read'
    const asked = (await (
      await post(DEVICE_REQUEST_PATH, { ...client, scope, resource })
    ).json()) as DeviceAuthorization
    expect(asked.verification_uri).toBe(origin + DEVICE_PATH)

    const browser = createFormBrowser(origin)
    const signInPage = await browser.open(asked.verification_uri_complete)
    const compare = await browser.submit(signInPage, { email: 'ines.duarte@example.com', password: PASSWORD }, 'Sign in') // prettier-ignore
    expect(compare.text).toContain('Is this the code on your device?')
    expect(compare.text).toContain(`value="${asked.user_code}"`)
    const question = await browser.submit(compare, {}, 'Continue')
    expect(question.text).toContain('Did you start')
    expect(question.text).toMatch(/127\.0\.0\.1|::1/)
    const done: Page = await browser.submit(question, {}, 'Allow')
    expect(done.text).toContain('Go back to your device.')

    const form = { ...client, grant_type: DEVICE_GRANT, device_code: asked.device_code, resource }
    const tokens = (await (await post('/api/oauth/token', form)).json()) as Tokens
    expect(tokens.scope).toBe(scope)
    const called = await fetch(resource, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens.access_token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect([called.status, await called.text()]).toEqual([200, expect.stringContaining('list_courses')]) // prettier-ignore
  })

  it('lets a manager create each kind of app that the table of doors has, a device without an address too', async () => {
    const browser = createFormBrowser(school.origin)
    const signInPage = await browser.open('/oauth/applications/new')
    const empty = await browser.submit(signInPage, { email: 'ines.duarte@example.com', password: PASSWORD }, 'Sign in') // prettier-ignore
    expect(empty.text).toContain('Redirect addresses (optional)')
    expect(empty.text).toContain('Leave it empty for a device without a browser')
    const outcomes: Record<string, number> = {}
    for (const [kind, auth_method, redirect_uris] of [
      ['web, with a secret', 'client_secret_post', 'https://notes.example/cb'],
      ['a page of a browser', 'none', 'https://notes.example/cb'],
      ['native', 'none', 'http://127.0.0.1/cb\r\ncom.example.notes:/cb'],
      ['a device', 'none', ''],
      ['a device with a secret', 'client_secret_post', ''],
      ['with http elsewhere', 'none', 'http://notes.example/cb'],
    ] as const) {
      const page = await browser.open('/oauth/applications/new')
      const fields = { name: `Kind ${kind}`, auth_method, redirect_uris, scope: 'account:read' }
      const done = await browser.submit(page, fields, 'Create app')
      outcomes[kind] = done.status
      const [id] = /member_[\w-]{43}/.exec(done.text) ?? []
      if (kind === 'a device')
        expect(await (await post(DEVICE_REQUEST_PATH, { client_id: id!, scope: 'account:read', resource: school.origin })).json()).toHaveProperty('user_code') // prettier-ignore
    }
    const { ['with http elsewhere']: refused, ...created } = outcomes
    expect([refused, new Set(Object.values(created))]).toEqual([422, new Set([200])])
  })
})
