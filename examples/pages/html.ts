/** A value that `html` accepts. Arrays are joined; `null`, `undefined` and `false` render as nothing. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[]

class Rendered {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

/**
 * Finished HTML. Only `html` and `alreadyEscaped` create it, so a string from a request can never be taken for
 * it.
 */
export type Html = Rendered

/** Takes the HTML of a renderer that escapes what it is given. Never call it with text from elsewhere. */
export const alreadyEscaped = (text: string): Html => new Rendered(text)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

// Controls, bidi controls, invisible fillers, tag characters and lone surrogates. A name that contains them
// could reorder or hide the words around it. The flags of England, Scotland and Wales come first: their
// spelling has tag characters.
const FLAG_OR_DECEIVING =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]/gu

/** Replaces characters that could reorder or hide the words around them. */
export const visible = (text: string): string =>
  text.replace(FLAG_OR_DECEIVING, (found) => (found.length > 2 ? found : '\ufffd'))

/** Escapes text for element content and for quoted attributes. */
export const escapeHtml = (text: string): string =>
  visible(text).replace(/[&<>"'`]/g, (character) => ENTITIES[character]!)

function render(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Rendered) return value.toString()
  if (typeof value === 'number' || typeof value === 'string') return escapeHtml(String(value))
  return value.map(render).join('')
}

/** Renders HTML from a template. Every interpolated string is escaped; attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Rendered(
    strings
      .map((text, index) => text + (index < values.length ? render(values[index]) : ''))
      .join(''),
  )
}
