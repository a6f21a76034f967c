/** Control characters, those that change the direction of a text, and all others that a reader does not see. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu

/** A command to the log of a CI service, which reads it at the beginning of a line, or anywhere in it. */
const COMMAND = /:(?=:[\w-]{1,40}(?: |::))|#(?=#\[)/g

/** Writes a character as its number. */
const written = (character: string): string => {
  const number = character.codePointAt(0)!
  return number < 256 ? `\\x${number.toString(16).padStart(2, '0')}` : `\\u{${number.toString(16)}}`
}

/**
 * Returns a text of a server as one line in which every character is seen, so that none moves the cursor, and none is a
 * command to a log.
 */
export const visible = (text: string): string =>
  text
    .replace(UNSEEN, (character) => ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[character] ?? written(character))
    .replace(COMMAND, written) // prettier-ignore

/** Returns the lines of a text of a server, each with every character seen. */
export const visibleLines = (text: string): readonly string[] =>
  text.split(/\r?\n/).map((line) => visible(line.replaceAll('\t', '  ')))

/** Breaks a text into lines of at most `width` characters, at spaces, and inside of longer words. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line: string[] = []
  for (const word of text.split(' ')) {
    let rest = [...word]
    const gap = line.length === 0 ? 0 : 1
    if (line.length + gap + rest.length <= width) {
      line.push(...(gap === 1 ? [' '] : []), ...rest)
      continue
    }
    // A word that has to be broken anyway begins where there is room, such as the value of a header.
    const room = width - line.length - gap
    if (rest.length > width && room >= 8) {
      line.push(...(gap === 1 ? [' '] : []), ...rest.slice(0, room))
      rest = rest.slice(room)
    }
    if (line.length > 0) lines.push(line.join(''))
    for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width).join(''))
    line = rest
  }
  return [...lines, line.join('')]
}

/** Shortens a line to `width` characters. */
export function cut(line: string, width: number): string {
  const characters = [...line]
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`
}

/** JSON that a terminal and a page can show: every character that is not seen, or a command to a log, is a number in it. */
export const toJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]|#(?=#\[)/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )}\n` // prettier-ignore

/** A number with its noun, such as `1 client` and `1,200 clients`. */
export const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
