import MarkdownIt from 'markdown-it'
import { alreadyEscaped, type Html } from '../../pages/html.js'

// HTML in the text is shown as text, and links with other schemes than http, https and mailto are not links.
const renderer = new MarkdownIt({ html: false })

/** Renders CommonMark. */
export const markdown = (text: string): Html => alreadyEscaped(renderer.render(text))

/** Renders one paragraph of CommonMark, for inside other text. */
export const markdownLine = (text: string): Html => alreadyEscaped(renderer.renderInline(text))
