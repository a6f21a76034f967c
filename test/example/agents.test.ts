import { UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
