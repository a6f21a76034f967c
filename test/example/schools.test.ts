import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolder } from '../support/processes/example-process.js'
import {
  type RunningProject,
  startExampleProject,
  startScript,
} from '../support/processes/project.js'
import { ROOT } from '../support/source/root.js'

const FOLDER = `${ROOT}examples/schools`
const data = dataFolder()
let platform: RunningProject

beforeAll(async () => {
  platform = await startExampleProject('schools', { folder: data.path })
})
afterAll(async () => {
  await platform?.stop()
  data.remove()
})

/** Asks the platform as a browser does that resolves the host. `fetch` sets `Host` itself. */
const ask = (label: string, path: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(platform.origin)
    const host = label === '' ? `127.0.0.1:${port}` : `${label}.localhost:${port}`
    request(platform.origin + path, { headers: { host } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('end', () => resolve({ status: response.statusCode!, text }))
    })
      .once('error', reject)
      .end()
  })

describe('examples/schools', () => {
  it('has tests of its own, for a project that begins as it', async () => {
    const { stdout } = await promisify(execFile)('npm', ['test', '--silent'], { cwd: FOLDER })
    expect(stdout).toMatch(/(?:#|ℹ) pass 3\n/)
    expect(stdout).toMatch(/(?:#|ℹ) fail 0\n/)
  })

  it('adds two schools at its first start, each with its name, and lists them', async () => {
    for (const [label, name] of [
      ['art', 'School of Art'],
      ['music', 'School of Music'],
    ] as const) {
      expect(platform.output()).toMatch(
        new RegExp(`//${label}\\S+: owner@example.com with \\S{12}`),
      )
      expect(await ask(label, '/')).toMatchObject({
        status: 200,
        text: expect.stringContaining(`<h1>${name}</h1>`),
      })
      expect((await ask('', '/')).text).toContain(name)
    }
  })

  it('is well at its own host, and answers 421 at any that no school has', async () => {
    expect((await ask('', '/livez')).status).toBe(200)
    expect((await ask('', '/readyz')).status).toBe(200)
    expect((await ask('', '/courses')).status).toBe(404)
    expect((await ask('pottery', '/')).status).toBe(421)
    expect((await ask('art', '/readyz')).status).toBe(404)
  })

  it('says why it cannot add a school', async () => {
    const fail = async (...args: readonly string[]): Promise<string> => {
      const { ended, output } = startScript('schools', 'school', args, { folder: own.path })
      expect(await ended).toBe(1)
      return output()
    }
    const own = dataFolder()
    // These two open no database.
    expect(await fail('Art', 'School of Art')).toContain('must be 1 to 40 of a-z, 0-9 and -')
    expect(await fail('art')).toContain('npm run school -- art "School of Art"')
    expect(readdirSync(own.path)).toEqual([])
    expect(await fail('art', '--pause')).toContain('There is no school "art"')
    own.remove()
  })
})
