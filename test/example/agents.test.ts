import { UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressesOf, AUTH_MD_WALK, followAuthMd } from '../support/http/auth-md-walk.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { connectAgent } from '../support/http/mcp-agent.js'
import { dataFolder } from '../support/processes/example-process.js'
import {
  passwordOf,
  type RunningProject,
  startExampleProject,
} from '../support/processes/project.js'

describe('examples/agents', () => {
  const folder = dataFolder()
  let rung: RunningProject
  beforeAll(async () => {
    rung = await startExampleProject('agents', { folder: folder.path })
  })
  afterAll(async () => {
    await rung.stop()
    folder.remove()
  })

  const connect = (clientId?: string): ReturnType<typeof connectAgent> =>
    connectAgent({ origin: rung.origin, password: passwordOf(rung) }, clientId)

  it('shows on its home page how to connect an agent', async () => {
    const home = await (await fetch(rung.origin)).text()
    expect(home).toContain(`claude mcp add --transport http school ${rung.origin}/mcp`)
    expect(home).toContain(`codex mcp add school --url ${rung.origin}/mcp`)
  })

  it('leads its client by /auth.md from registration to revocation, and names only what is there [DISC-32]', async () => {
    const text = await (await fetch(`${rung.origin}/auth.md`)).text()
    const walked = await followAuthMd(text, (url) =>
      signInAndAllow(createFormBrowser(rung.origin), url, {
        email: 'owner@example.com',
        password: passwordOf(rung),
      }),
    )
    expect(walked).toEqual(AUTH_MD_WALK)
    const dead = []
    for (const address of addressesOf(text, `${rung.origin}/`)) {
      const { status, body } = await fetch(address, { redirect: 'manual' })
      await body?.cancel()
      if (status === 404) dead.push(address)
    }
    expect(dead).toEqual([])
    expect(text).toContain(`${rung.origin}/mcp/member`)
    expect(text).toContain(`${rung.origin}/account/graphql`)
  })

  it('lists and calls the public tools without a sign-in', async () => {
    const agent = await connect()
    expect(await agent.listTools()).toEqual(['check_connection', 'list_courses'])
    expect(await agent.call('list_courses')).toMatchObject({
      structuredContent: {
        data: [
          { slug: 'glazing', title: 'Glazing' },
          { slug: 'throwing', title: 'Throwing' },
        ],
      },
    })
    await agent.close()
  })

  it('challenges a call that needs a scope, and runs it after the sign-in', async () => {
    const agent = await connect()
    const listStudents = (): Promise<unknown> => agent.call('list_students', { course: 'glazing' })
    await expect(listStudents()).rejects.toThrow(UnauthorizedError)
    await agent.signIn('owner@example.com')
    expect(await listStudents()).toMatchObject({
      structuredContent: {
        data: [
          { id: 'usr_1', name: 'Ada Okafor' },
          { id: 'usr_2', name: 'Mei-Ling Chou' },
        ],
      },
    })
    expect(await agent.listTools()).toEqual(['check_connection', 'list_courses', 'list_students'])
    await agent.close()
  })

  it('gives members the tools for their own account', async () => {
    const agent = await connect('study-buddy')
    await expect(agent.call('get_my_profile')).rejects.toThrow(UnauthorizedError)
    await agent.signIn('student@example.com')
    expect(await agent.call('get_my_profile')).toMatchObject({
      structuredContent: { data: { name: 'Mei-Ling Chou' } },
    })
    expect(await agent.listTools()).not.toContain('list_students')
    await agent.close()
  })
})
