import sanitizeHtml from 'sanitize-html'
import * as z from 'zod'

const TAGS = [
  'p', 'br', 'hr', 'h2', 'h3', 'h4', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'strong', 'b',
  'em', 'i', 'u', 's', 'sub', 'sup', 'a', 'img', 'figure', 'figcaption',
] as const // prettier-ignore

// Elements whose text is no prose, so it goes with them.
const SILENT = [
  'script', 'style', 'template', 'noscript', 'textarea', 'option', 'title', 'iframe', 'object',
  'noembed', 'noframes', 'xmp', 'plaintext', 'svg', 'math',
] as const // prettier-ignore

const DIRECTIONS: readonly string[] = ['ltr', 'rtl', 'auto']

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [...TAGS],
  nonTextTags: [...SILENT],
  allowedAttributes: {
    '*': ['dir'],
    a: ['href', 'rel'],
    img: ['src', 'alt'],
  },
  allowedSchemes: ['https'],
  allowedSchemesByTag: { a: ['https', 'mailto'] },
  allowProtocolRelative: false,
  nestingLimit: 30,
  transformTags: {
    // After the one for the tag itself.
    '*': (tagName, { dir = '', ...rest }) => ({
      tagName,
      attribs: DIRECTIONS.includes(dir) ? { ...rest, dir } : rest,
    }),
    a: (tagName, { href = '', dir }) => ({
      tagName,
      attribs: pick({
        dir,
        href: addressOf(href, ['https:', 'mailto:']),
        rel: 'nofollow noopener noreferrer',
      }),
    }),
    img: (tagName, { src = '', alt }) => ({
      tagName,
      attribs: pick({ src: addressOf(src, ['https:']), alt }),
    }),
  },
  // A link to nowhere is its text, a picture from nowhere is nothing.
  exclusiveFilter: ({ tag, attribs }) =>
    tag === 'img'
      ? attribs['src'] === undefined
      : tag === 'a' && attribs['href'] === undefined && 'excludeTag',
}

const pick = (attributes: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

// As the parser of browsers reads it, so that nothing is hidden in tabs, line breaks or letter case.
function addressOf(text: string, schemes: readonly string[]): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, href } = new URL(text)
  return schemes.includes(protocol) && username + password === '' ? href : undefined
}

/**
 * What is left of HTML that somebody sent: text with headings, lists, quotes, links and pictures. Links
 * are absolute, https or mailto, and vouch for nobody; pictures come by https. No style, no script, no
 * form, no frame. Doing it twice is as doing it once.
 */
export const cleanHtml = (text: string): string => sanitizeHtml(text, OPTIONS)

/** A field of HTML, cleaned as it is read. The length counts before and after. */
export const html = (max = 50_000): z.ZodPipe<z.ZodType<string, string>, z.ZodString> =>
  z.string().max(max).transform(cleanHtml).pipe(z.string().max(max))
