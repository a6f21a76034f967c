import * as z from 'zod'
import { cleanHtml } from '../admin/html.js'

const MAX_TEXT = 4000

/** The schema of text that people wrote. */
export const textSchema: z.ZodObject<{ text: z.ZodString; truncated: z.ZodBoolean }> = z.object({
  text: z.string().max(MAX_TEXT).describe('Plain text, without markup.'),
  truncated: z.boolean().describe('Whether the text continues on the website.'),
})
type Text = z.output<typeof textSchema>

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
}
const INLINE = /^<\/?(?:a|b|code|em|i|img|s|strong|sub|sup|u)\b/

/**
 * Converts HTML to plain text, with a line for each paragraph and each item of a list. A link becomes its
 * text, and a picture is left out.
 *
 * @param max - length in UTF-16 units
 */
export function plainText(html: string, max: number = MAX_TEXT): Text {
  const text = cleanHtml(html)
    .replace(/\s+/g, ' ')
    // Clean HTML has no other "<" or ">" than those of its tags.
    .replace(/<li[^>]*>(?: ?<p[^>]*>)?|<[^>]*>/g, breakOf)
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity]!)
  const words = harmless(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && line !== '-')
      .join('\n'),
  )
  return { text: words.slice(0, max).replace(/\p{Cs}$/u, ''), truncated: words.length > max }
}

function breakOf(tag: string): string {
  if (INLINE.test(tag)) return ''
  return tag.startsWith('<li') ? '\n- ' : '\n'
}

/**
 * Removes from every text of a value the characters that people cannot see. It also breaks the beginnings of
 * pictures and elements, so that a client that renders the text fetches nothing.
 */
export function harmless<Value>(value: Value): Value {
  if (typeof value === 'string') return harmlessText(value) as Value
  if (Array.isArray(value)) return value.map(harmless) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, harmless(one)])) as Value // prettier-ignore
}

// Tag characters encode letters that only machines read.
const HIDDEN = /(?!\n)\p{Cc}|[\u{E0000}-\u{E007F}]/gu
const OPENING = /!(?=\[)|<(?=[A-Za-z/!?])/g

const harmlessText = (text: string): string => text.replace(HIDDEN, '').replace(OPENING, '$& ')
