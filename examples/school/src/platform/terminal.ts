import { standardOutput } from './log.js'

/** A terminal that a person reads. */
export interface Terminal {
  /** How many columns a line has now. A terminal can be resized. */
  readonly columns: () => number
  readonly hasColors: boolean
  /** Whether it shows a text as a link, by OSC 8. Others would print the command, or swallow the address. */
  readonly hasLinks: boolean
  /** Prints a line. One that is too long is cut at the width of the terminal, unless it is {@link TerminalLine.isWhole}. */
  readonly line: (line: TerminalLine) => void
  /** Prints text as it is, such as what is to be copied. */
  readonly print: (text: string) => void
  /** Shows what takes time, in a line that the next one replaces. */
  readonly progress: (text: string) => void
  /** Removes the line of {@link Terminal.progress}, such as before the last words of the process. */
  readonly clear: () => void
}

/** A line of a terminal. Its text may come from clients. */
export interface TerminalLine {
  readonly mark: keyof typeof MARKS
  readonly text: string
  /** A page with more: its name in a terminal that has links, and its address in the others. */
  readonly link?: { readonly label: string; readonly url: string } | undefined
  /** Whether it says what to do: then it has further lines, broken between words. */
  readonly isWhole?: boolean
}

const MARKS = {
  done: { sign: '✓', color: '\u001b[32m' },
  refused: { sign: '✗', color: '\u001b[31m' },
  warning: { sign: '!', color: '\u001b[33m' },
  note: { sign: '·', color: '\u001b[2m' },
} as const

const PLAIN = '\u001b[0m'
const EMPTY_LINE = '\r\u001b[2K'
const DEFAULT_COLUMNS = 80

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Creates the terminal of a stream, by what the environment says of it.
 *
 * @param stream - `columns`: as `process.stdout` has them
 */
export function createTerminal(
  stream: { readonly columns?: number; readonly write: (text: string) => unknown },
  variables: Variables,
): Terminal {
  const isSimple = variables['TERM'] === 'dumb'
  const hasColors = !isSimple && (variables['NO_COLOR'] ?? '') === ''
  const hasLinks = !isSimple && saysThatItHasLinks(variables)
  const columns = (): number => stream.columns || DEFAULT_COLUMNS
  let shown: string | null = null
  const hide = (): string => (shown === null || isSimple ? '' : EMPTY_LINE)
  const show = (): string => (shown === null || isSimple ? '' : cut(shown, columns() - 1))
  const print = (text: string): void => void stream.write(`${hide()}${text}\n${show()}`)

  return {
    columns,
    hasColors,
    hasLinks,
    print,
    line: (line) => print(formatLine(line, { columns: columns(), hasColors, hasLinks })),
    progress(text) {
      const before = hide()
      shown = `${printable(text)} …`
      stream.write(isSimple ? `${shown}\n` : `${before}${show()}`)
    },
    clear() {
      const before = hide()
      shown = null
      if (before !== '') stream.write(before)
    },
  }
}

/** Creates the terminal of standard output. No request waits for it, where Ctrl+S or a connection that hangs stops it. */
export function standardTerminal(): Terminal {
  const output = standardOutput((lines) =>
    output.write(`! ${lines} more lines came while nothing read them\n`),
  )
  const stream = {
    get columns() {
      return process.stdout.columns
    },
    write: output.write,
  }
  return createTerminal(stream, process.env)
}

/** A terminal names itself. Within tmux or screen, the variables are those of another one. */
function saysThatItHasLinks(variables: Variables): boolean {
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION = '' } = variables
  if (['TMUX', 'STY'].some((name) => variables[name] !== undefined)) return false
  return (
    /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper)$/.test(TERM_PROGRAM) ||
    /^(?:xterm-kitty|xterm-ghostty|alacritty|foot)/.test(TERM) ||
    Number(VTE_VERSION) > 5000 ||
    variables['WT_SESSION'] !== undefined
  )
}

/** Returns a line as the terminal shows it. An address that does not fit after its text has a line of its own. */
export function formatLine(
  { mark, text, link, isWhole = false }: TerminalLine,
  { columns, hasColors, hasLinks }: Pick<Terminal, 'hasColors' | 'hasLinks'> & { columns: number },
): string {
  const { sign, color } = MARKS[mark]
  const said = `${sign} ${printable(text)}`
  const colored = (line: string): string =>
    hasColors ? `${color}${sign}${PLAIN}${line.slice(sign.length)}` : line
  if (isWhole) return colored(wrapped(said, columns))
  if (link === undefined) return colored(cut(said, columns))
  const label = printable(link.label)
  if (hasLinks) {
    const left = cut(said, columns - widthOf(label) - ARROW.length)
    return `${colored(left)}${ARROW}${linked(label, printable(link.url))}`
  }
  const url = printable(link.url)
  return widthOf(said) + ARROW.length + widthOf(url) <= columns
    ? colored(`${said}${ARROW}${url}`)
    : `${colored(cut(said, columns))}\n${cut(` ${ARROW}${url}`, columns)}`
}

const ARROW = ' → '

/** Returns a text of several lines as a terminal of this width shows it, whole. */
export const wholeText = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => wrapped(printable(line), columns))
    .join('\n')

/**
 * Breaks a line between words, and indents what follows. A word that is longer than a line is broken by the terminal,
 * so that it can be copied.
 */
function wrapped(text: string, columns: number): string {
  const [indent = ''] = /^ */.exec(text) ?? []
  const lines: string[] = []
  const [first = '', ...words] = text.slice(indent.length).split(' ')
  let line = indent + first
  for (const word of words) {
    if (widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line)
      line = `${indent}  ${word}`
    } else line += ` ${word}`
  }
  return [...lines, line].join('\n')
}

const linked = (label: string, url: string): string =>
  `\u001b]8;;${url}\u001b\\${label}\u001b]8;;\u001b\\`

/**
 * Returns a text in which nothing controls the terminal: control characters, marks that turn the direction of text,
 * characters without a shape and line breaks are shown by their number.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const number = character.codePointAt(0)!.toString(16)
    return `\\u${number.length > 4 ? `{${number}}` : number.padStart(4, '0')}`
  })

/** Characters that take two columns. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u

/** Returns how many columns a text takes at most. */
export const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0)

/** Returns the text if it fits into so many columns, and otherwise its beginning and `…`. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 1
  for (const character of text) {
    width += widthOf(character)
    if (width > columns) break
    kept += character
  }
  return `${kept}…`
}
