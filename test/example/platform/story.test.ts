import { describe, expect, it, vi } from 'vitest'
import { createStory, type Names } from '../../../examples/school/src/platform/story.js'
import { formatLine, type TerminalLine } from '../../../examples/school/src/platform/terminal.js'
import { waitFor } from '../../support/processes/wait.js'

const ORIGIN = 'http://127.0.0.1:3000'
const NAMES: Names = {
  client: async (clientId) => ({ app_1: 'Course Desk', app_2: 'Evil\u001b[2J\napp\u202e' })[clientId] ?? null, // prettier-ignore
  person: async (subject) => ({ mem_1: 'Ines Duarte' })[subject] ?? null,
}

/** A story of two schools, and its lines as a terminal of 200 columns shows them. */
function begin(names: Names = NAMES) {
  const lines: TerminalLine[] = []
  const story = createStory({ line: (line) => lines.push(line) })
  story.add({ id: 'site_lantern', origin: ORIGIN, names })
  story.add({ id: 'site_kiln', origin: 'http://127.0.0.1:3001', tag: 'Kiln & Coil', names })
  const shown = (): readonly string[] =>
    lines.map((line) => formatLine(line, { columns: 200, hasColors: false, hasLinks: false }))
  return { story, lines, shown }
}

async function told(...entries: readonly Readonly<Record<string, unknown>>[]) {
  const { story, shown } = begin()
  for (const entry of entries) story.log({ site: 'site_lantern', at: 1, ...entry })
  // The last line is made without names, so all others are there when it is.
  story.log({ type: 'oauth.grants.revoked' })
  await waitFor(() => shown().at(-1)?.startsWith('! All access has ended'))
  return shown().slice(0, -1)
}

const APP = { clientId: 'app_1', subject: 'mem_1', requestId: 'req_1' }

describe('the story on a terminal', () => {
  it.each([
    [
      { type: 'oauth.authorization.approved', ...APP, scopes: ['courses:read'], remembered: false },
      ['✓ Course Desk got a code for Ines Duarte: courses:read'],
    ],
    [
      { type: 'oauth.authorization.approved', ...APP, scopes: ['courses:read'], remembered: true },
      ['✓ Course Desk got a code for Ines Duarte, who had allowed it: courses:read'],
    ],
    [
      { type: 'oauth.authorization.requested', ...APP, scopes: ['a', 'b', 'c', 'd', 'e'] },
      ['· Course Desk asks for a b c and 2 more'],
    ],
    [
      { type: 'oauth.authorization.requested', ...APP, scopes: ['a', 'b', 'c'] },
      ['· Course Desk asks for a b c'],
    ],
    [
      { type: 'oauth.client.registered', clientId: 'app_9', clientName: 'Claude Code' },
      ['✓ Claude Code registered itself'],
    ],
    [
      { type: 'mcp.tool_called', ...APP, tool: 'list_courses', outcome: 'done' },
      ['✓ Course Desk called list_courses for Ines Duarte'],
    ],
    [
      { type: 'mcp.tool_called', ...APP, tool: 'list_courses', outcome: 'not_found' },
      ['✗ Course Desk called list_courses for Ines Duarte: not_found'],
    ],
    [
      { type: 'api.denied', ...APP, operation: 'listCourses', reason: 'forbidden_role' },
      ['✗ Course Desk called listCourses for Ines Duarte: forbidden_role'],
    ],
    [
      {
        type: 'api.denied',
        clientId: null,
        subject: null,
        operation: 'a',
        reason: 'token_expired',
      },
      [],
    ],
    [
      { type: 'session.failed', subject: null, reason: 'wrong_credentials' },
      ['✗ The sign-in of someone was refused: wrong_credentials'],
    ],
    [
      {
        type: 'oauth.client.created',
        clientId: 'app_1',
        clientName: 'Course Desk',
        actor: 'mem_1',
      },
      ['✓ Ines Duarte created Course Desk'],
    ],
    [
      { type: 'oauth.client.cimd.changed', ...APP, reviewLost: true },
      ['! The document of Course Desk has changed: it needs a review again'],
    ],
    [{ type: 'request', method: 'GET', path: '/assets/school.css', status: 200 }, []],
    [{ type: 'maintained', purged: {} }, []],
    [{ type: 'oauth.key.published', kid: 'k' }, []],
    [{ type: 'oauth.token.issued', ...APP, scopes: [] }, []],
  ])('has a line for a decision, and none for anything else: %j [LOG-14]', async (entry, lines) => {
    expect(await told(entry)).toEqual(lines)
  })

  it('leads from a refusal to its attempt, and without one to what the reason means [LOG-14]', async () => {
    const refused = {
      type: 'refused',
      endpoint: 'token',
      error: 'invalid_grant',
      clientId: 'app_1',
    }
    expect(
      await told(
        { ...refused, reason: 'code_verifier_mismatch', attemptId: 'att_1' },
        { ...refused, reason: 'code_verifier_mismatch' },
        { ...refused, reason: 'of_a_block' },
        { ...refused, endpoint: 'mcp', clientId: null, error: 'invalid_token', reason: 'access_token_missing' }, // prettier-ignore
      ),
    ).toEqual([
      `✗ Course Desk was refused at token: code_verifier_mismatch → ${ORIGIN}/oauth/applications/attempts/att_1`,
      '✗ Course Desk was refused at token: code_verifier_mismatch → https://hallpass.example/look-up/errors.html#code_verifier_mismatch',
      '✗ Course Desk was refused at token: of_a_block',
      '· A client was shown where to get a token',
    ])
  })

  it('names the other school, and keeps what a client calls itself short and harmless [LOG-11]', async () => {
    expect(
      await told(
        { site: 'site_kiln', type: 'session.signed_in', subject: 'mem_1' },
        { type: 'oauth.token.refreshed', ...APP, clientId: 'app_2' },
        { type: 'oauth.client.registered', clientId: 'a', clientName: 'n'.repeat(90) },
        { type: 'session.signed_in', subject: 'mem_\u001b[31m' },
        { type: 'refused', endpoint: 'token', error: 'invalid_client', reason: 'client_unknown', clientId: '\u009b2J', attemptId: '../\u001b' }, // prettier-ignore
      ),
    ).toEqual([
      '✓ Kiln & Coil: Ines Duarte signed in',
      String.raw`✓ Evil\u001b[2J\u000aapp\u202e renewed its tokens for Ines Duarte`,
      `✓ ${'n'.repeat(31)}… registered itself`,
      String.raw`✓ mem_\u001b[31m signed in`,
      String.raw`✗ \u009b2J was refused at token: client_unknown → ${ORIGIN}/oauth/applications/attempts/..%2F%1B`,
    ])
  })

  it('says at once what is no decision, whole', () => {
    const { story, lines, shown } = begin({ ...NAMES, person: () => new Promise(() => {}) })
    story.log({ site: 'site_lantern', type: 'session.signed_in', subject: 'mem_1' })
    story.log({ type: 'fault', endpoint: 'process', fault: 'a bug', stack: 'at …' })
    const REDIS = { type: 'counters', setting: 'REDIS_URL' }
    story.log({ ...REDIS, isUp: false, reason: 'ECONNREFUSED' })
    story.log({ ...REDIS, isUp: true })
    story.log({ type: 'limits', reason: 'of a pooler', remedy: null, count: 2 })
    expect(shown()).toEqual([
      '✗ A fault in process: a bug',
      '! REDIS_URL: it does not answer, so no process knows what the others count: ECONNREFUSED',
      '✓ REDIS_URL: it answers, so all processes count together',
      '! limits  reason=of a pooler  count=2',
    ])
    expect(lines.every(({ isWhole }) => isWhole)).toBe(true)
  })

  it('has identifiers where no name comes, and none waits for ever', async () => {
    vi.useFakeTimers()
    try {
      const { story, shown } = begin({
        client: () => Promise.reject(new Error('down')),
        person: () => new Promise(() => {}),
      })
      story.log({ site: 'site_lantern', type: 'oauth.token.refreshed', ...APP })
      await vi.advanceTimersByTimeAsync(1001)
      expect(shown()).toEqual(['✓ app_1 renewed its tokens for mem_1'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('keeps a hundred lines for which it has no names yet, and counts the others [LOG-14]', async () => {
    const answers: ((name: string) => void)[] = []
    const client = (): Promise<string> => new Promise((resolve) => answers.push(resolve))
    const { story, shown } = begin({ ...NAMES, client })
    for (let count = 0; count < 104; count++)
      story.log({ site: 'site_lantern', type: 'oauth.token.refreshed', ...APP })
    await waitFor(() => {
      answers.shift()?.('Course Desk')
      return shown().length >= 102
    })
    expect(shown().at(-1)).toBe('! 3 more lines came too fast to be shown')
    expect(shown()).toHaveLength(102)
  })
})
