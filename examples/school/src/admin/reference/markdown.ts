import MarkdownIt from 'markdown-it'
import sanitizeHtml from 'sanitize-html'
import { alreadyEscaped, type Html } from '../../pages/html.js'

// HTML in the text is shown as text, and links with other schemes than http, https and mailto are not links.
const renderer = new MarkdownIt({ html: false })

/** Renders CommonMark. */
export const markdown = (text: string): Html => alreadyEscaped(renderer.render(text))

/** Renders one paragraph of CommonMark, for inside other text. */
export const markdownLine = (text: string): Html => alreadyEscaped(renderer.renderInline(text))

const documents = new MarkdownIt({ html: true })
documents.core.ruler.push('heading_ids', ({ tokens }) => {
  for (const [index, token] of tokens.entries())
    if (token.type === 'heading_open') token.attrSet('id', idOf(tokens[index + 1]!.content))
})

const ALLOWED = {
  allowedTags: [
    'h1', 'h2', 'h3', 'p', 'ul', 'ol', 'li', 'pre', 'code', 'em', 'strong', 'a', 'br',
    'table', 'thead', 'tbody', 'tr', 'th', 'td',
  ],
  allowedAttributes: { '*': ['id'], a: ['id', 'href'] },
  allowedSchemes: ['https', 'http', 'mailto'],
} // prettier-ignore

/** Renders a document in Markdown with tables, `<br>` and the anchors that it has as HTML. Its headings get ids. */
export const documentHtml = (text: string): Html =>
  alreadyEscaped(sanitizeHtml(documents.render(text), ALLOWED))

/** Returns the headings of the second level, with their ids. */
export const headingsIn = (
  text: string,
): readonly { readonly id: string; readonly title: string }[] =>
  [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => ({ id: idOf(title!), title: title! }))

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
