import { describe, expect, it } from 'vitest'
import { greeting, greetingBox } from '../../examples/school/src/greeting.js'
import { widthOf } from '../../examples/school/src/platform/terminal.js'
import { KILN, LANTERN } from '../../examples/school/src/sites.js'

const SITES = [
  { definition: LANTERN, origin: 'http://127.0.0.1:3000' },
  { definition: KILN, origin: 'http://127.0.0.1:3001' },
]
const DEMO = { databaseUrl: null, dataFolder: '/srv/data', demo: true, seconds: 4.06, columns: 80 }
const box = (changes: object = {}): readonly string[] =>
  greetingBox(SITES, { ...DEMO, ...changes }).split('\n')

describe('the greeting on a terminal', () => {
  it('is one box of at most 24 lines with what a visitor needs first', () => {
    const lines = box()
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(new Set(lines.map(widthOf)).size).toBe(1)
    expect(widthOf(lines[0]!)).toBeLessThanOrEqual(80)
    expect(lines.map((line) => line.slice(1, -1).trim())).toMatchInlineSnapshot(`
      [
        "───────────────────────────────────────────────────────────────────",
        "✓ Ready in 4.1 s",
        "",
        "Open       http://127.0.0.1:3000  Lantern Street Drawing School",
        "and        http://127.0.0.1:3001  Kiln & Coil Pottery",
        "",
        "Sign in    ines.duarte@example.com    owner",
        "yuki.tan@example.com       assistant",
        "mei-ling.chou@example.com  student",
        "Password   hallpass-demo, everyone's",
        "Playground http://127.0.0.1:3000/playground",
        "",
        "Connect Claude Code:",
        "claude mcp add --transport http lantern http://127.0.0.1:3000/mcp",
        "",
        "Data       /srv/data",
        "Email      /srv/data/mail",
        "Stop       Ctrl+C",
        "───────────────────────────────────────────────────────────────────",
      ]
    `)
  })

  it('has no frame where a command to copy would not fit, and breaks none', () => {
    const lines = box({ columns: 68 })
    expect(lines.some((line) => /[│─]/.test(line))).toBe(false)
    expect(lines).toContain('claude mcp add --transport http lantern http://127.0.0.1:3000/mcp')
  })

  it('names no one and no password where there are no demo people', () => {
    const text = box({ demo: false, databaseUrl: 'postgres://u:secret@db/school' }).join('\n')
    expect(text).not.toMatch(/@example|hallpass-demo|Playground|secret/)
    expect(text).toContain('Set HALLPASS_DEMO=1')
    expect(text).toContain('in PostgreSQL')
  })
})

describe('the greeting elsewhere', () => {
  it('is lines without a frame, which programs wait for', () => {
    const text = greeting(SITES, DEMO)
    expect(text).toContain('Stop with Ctrl+C.')
    expect(text.split('\n').at(-1)).toBe('Open http://127.0.0.1:3000')
    expect(text).toMatch(/^ {4}ines\.duarte@example\.com {8}owner$/m)
  })
})
