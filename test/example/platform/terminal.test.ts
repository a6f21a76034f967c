import { describe, expect, it } from 'vitest'
import {
  createTerminal,
  cut,
  formatLine,
  printable,
  wholeText,
  widthOf,
} from '../../../examples/school/src/platform/terminal.js'

const PLAIN = { columns: 80, hasColors: false, hasLinks: false }
const LINK = {
  label: 'its attempt',
  url: 'http://127.0.0.1:3000/oauth/applications/attempts/att_1',
}

/** A terminal, and all that it was sent. */
function terminalOf(variables: Readonly<Record<string, string>>, columns?: number) {
  const sent: string[] = []
  const stream = { ...(columns !== undefined && { columns }), write: (text: string) => sent.push(text) } // prettier-ignore
  return { terminal: createTerminal(stream, variables), sent, text: () => sent.join('') }
}

describe('a line of the terminal', () => {
  it.each([
    [
      'of\ntwo \r\u001b[2Jlines\u009b31m\u0007',
      String.raw`of\u000atwo \u000d\u001b[2Jlines\u009b31m\u0007`,
    ],
    [
      '\u001b]8;;https://evil.test\u001b\\click',
      String.raw`\u001b]8;;https://evil.test\u001b\click`,
    ],
    ['turn\u202e\u2066ed\u200b\u00ad', String.raw`turn\u202e\u2066ed\u200b\u00ad`],
    ['next\u2028line\u2029', String.raw`next\u2028line\u2029`],
    ['half \ud800 and \u{e0001}', String.raw`half \ud800 and \u{e0001}`],
    ['Zoë 陶藝 روي', 'Zoë 陶藝 روي'],
  ])('has no character that controls the terminal: %j [LOG-11]', (text, shown) => {
    expect(printable(text)).toBe(shown)
    const wide = { ...PLAIN, columns: 200 }
    expect(formatLine({ mark: 'done', text }, PLAIN)).toBe(`✓ ${shown}`)
    expect(formatLine({ mark: 'done', text, isWhole: true }, PLAIN)).toBe(`✓ ${shown}`)
    const link = { label: text, url: text }
    expect(formatLine({ mark: 'done', text, link }, wide)).toBe(`✓ ${shown} → ${shown}`)
    expect(formatLine({ mark: 'done', text, link }, { ...wide, hasLinks: true })).toBe(
      `✓ ${shown} → \u001b]8;;${shown}\u001b\\${shown}\u001b]8;;\u001b\\`,
    )
  })

  it('is cut at the width, by what its characters take', () => {
    expect([cut('abcdef', 6), cut('abcdefg', 6)]).toEqual(['abcdef', 'abcde…'])
    expect([widthOf('光a'), cut('光光光', 6), cut('光光光光', 6)]).toEqual([3, '光光光', '光光…'])
    const long = formatLine({ mark: 'refused', text: 'x'.repeat(200) }, PLAIN)
    expect([widthOf(long), long.slice(0, 3), long.slice(-2)]).toEqual([80, '✗ x', 'x…'])
  })

  it('has its colour in the mark alone', () => {
    const colored = { ...PLAIN, hasColors: true }
    expect(formatLine({ mark: 'done', text: 'a' }, colored)).toBe('\u001b[32m✓\u001b[0m a')
    expect(formatLine({ mark: 'refused', text: 'a' }, colored)).toBe('\u001b[31m✗\u001b[0m a')
  })

  it('has its address beside the text where it fits, else below, and none that is broken', () => {
    const line = { mark: 'refused', text: 'refused', link: LINK } as const
    expect(formatLine(line, PLAIN)).toBe(`✗ refused → ${LINK.url}`)
    expect(formatLine(line, { ...PLAIN, columns: 62 })).toBe(`✗ refused\n  → ${LINK.url}`)
    expect(formatLine(line, { ...PLAIN, columns: 20 })).toBe('✗ refused\n  → http://127.0.0.…')
    const linked = formatLine({ ...line, text: 'x'.repeat(90) }, { ...PLAIN, hasLinks: true })
    expect(linked).toBe(
      `✗ ${'x'.repeat(63)}… → \u001b]8;;${LINK.url}\u001b\\its attempt\u001b]8;;\u001b\\`,
    )
  })

  it('goes on in the next one, between words, where it says what to do', () => {
    const line = { mark: 'warning', text: 'PORT must be a port. Set it.', isWhole: true } as const
    expect(formatLine(line, { ...PLAIN, columns: 16 })).toBe('! PORT must be a\n  port. Set it.')
    expect(formatLine({ ...line, text: 'y'.repeat(30) }, { ...PLAIN, columns: 16 })).toBe(
      `!\n  ${'y'.repeat(30)}`,
    )
  })
})

it('keeps the lines of what a process says before it ends, and their indent', () => {
  expect(wholeText('Invalid:\n  PORT must be\u001b a port', 20)).toBe(
    'Invalid:\n  PORT must be\\u001b\n    a port',
  )
})

describe('a terminal', () => {
  it.each([
    [{}, { hasColors: true, hasLinks: false }],
    [{ TERM: 'xterm-256color' }, { hasColors: true, hasLinks: false }],
    [{ NO_COLOR: '' }, { hasColors: true, hasLinks: false }],
    [{ NO_COLOR: '1' }, { hasColors: false, hasLinks: false }],
    [{ TERM_PROGRAM: 'iTerm.app' }, { hasColors: true, hasLinks: true }],
    [
      { TERM_PROGRAM: 'vscode', NO_COLOR: '1' },
      { hasColors: false, hasLinks: true },
    ],
    [{ TERM_PROGRAM: 'Apple_Terminal' }, { hasColors: true, hasLinks: false }],
    [{ TERM: 'xterm-kitty' }, { hasColors: true, hasLinks: true }],
    [{ VTE_VERSION: '7600' }, { hasColors: true, hasLinks: true }],
    [{ VTE_VERSION: '5000' }, { hasColors: true, hasLinks: false }],
    [{ WT_SESSION: 'a' }, { hasColors: true, hasLinks: true }],
    [
      { VTE_VERSION: '7600', TMUX: '/tmp/tmux' },
      { hasColors: true, hasLinks: false },
    ],
    [
      { VTE_VERSION: '7600', STY: '1.pts' },
      { hasColors: true, hasLinks: false },
    ],
    [
      { TERM: 'dumb', TERM_PROGRAM: 'vscode' },
      { hasColors: false, hasLinks: false },
    ],
  ])('is what the environment says: %j', (variables, expected) => {
    expect(terminalOf(variables as Record<string, string>).terminal).toMatchObject(expected)
  })

  it('shows what takes time in one line, below the others', () => {
    const { terminal, sent } = terminalOf({ NO_COLOR: '1' }, 12)
    terminal.progress('one')
    terminal.line({ mark: 'note', text: 'said' })
    terminal.progress('a long text')
    terminal.clear()
    terminal.clear()
    terminal.print('last')
    const erase = '\r\u001b[2K'
    expect(sent).toEqual(['one …', `${erase}· said\none …`, `${erase}a long tex…`, erase, 'last\n'])
  })

  it('that cannot go back in a line has lines for what takes time', () => {
    const { terminal, text } = terminalOf({ TERM: 'dumb' })
    terminal.progress('one')
    terminal.line({ mark: 'done', text: 'two' })
    terminal.clear()
    expect(text()).toBe('one …\n✓ two\n')
  })

  it('has 80 columns unless it says how many', () => {
    expect(terminalOf({}).terminal.columns()).toBe(80)
    expect(terminalOf({}, 0).terminal.columns()).toBe(80)
    expect(terminalOf({}, 132).terminal.columns()).toBe(132)
  })
})
