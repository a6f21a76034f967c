import MarkdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { alreadyEscaped, type Html } from '../../../../pages/html.js'

// HTML in the text is shown as text, and links with other schemes than http, https and mailto are not links.
const renderer = new MarkdownIt({ html: false })

/** Renders CommonMark. */
export const markdown = (text: string): Html => alreadyEscaped(renderer.render(text))

/** Renders one paragraph of CommonMark, for inside other text. */
export const markdownLine = (text: string): Html => alreadyEscaped(renderer.renderInline(text))

const documents = new MarkdownIt({ html: true })

const ALLOWED = {
  allowedTags: [
    'h1', 'h2', 'h3', 'p', 'ul', 'ol', 'li', 'pre', 'code', 'em', 'strong', 'a', 'br',
    'table', 'thead', 'tbody', 'tr', 'th', 'td',
  ],
  allowedAttributes: { '*': ['id'], a: ['id', 'href'] },
  allowedSchemes: ['https', 'http', 'mailto'],
} // prettier-ignore

/**
 * Renders a document in Markdown with tables, `<br>` and the anchors that it has as HTML. Its headings get ids.
 *
 * @returns `sections`: the headings of the second level
 */
export function markdownDocument(text: string): {
  readonly body: Html
  readonly sections: readonly { readonly id: string; readonly title: string }[]
} {
  const tokens = documents.parse(text, {})
  const sections: { id: string; title: string }[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const title = tokens[index + 1]!.content
    const id = idOf(title)
    token.attrSet('id', id)
    if (token.tag === 'h2') sections.push({ id, title })
  }
  const rendered = documents.renderer.render(tokens, documents.options, {})
  return { body: alreadyEscaped(sanitizeHtml(rendered, ALLOWED)), sections }
}

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
