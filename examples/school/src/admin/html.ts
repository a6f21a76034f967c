import sanitizeHtml from 'sanitize-html'
import * as z from 'zod'

const TAGS = [
  'p', 'br', 'hr', 'h2', 'h3', 'h4', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'strong', 'b',
  'em', 'i', 'u', 's', 'sub', 'sup', 'a', 'img', 'figure', 'figcaption',
] as const // prettier-ignore

// Elements whose content is not prose. It is removed with them.
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
    // This rule must come after the one for the tag itself.
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
  // A link without an allowed address becomes its text, and such a picture is removed.
  exclusiveFilter: ({ tag, attribs }) =>
    tag === 'img'
      ? attribs['src'] === undefined
      : tag === 'a' && attribs['href'] === undefined && 'excludeTag',
}

const pick = (attributes: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

// Read as browsers parse it, so that tabs, line breaks and letter case cannot hide anything.
function addressOf(text: string, schemes: readonly string[]): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, href } = new URL(text)
  return schemes.includes(protocol) && username + password === '' ? href : undefined
}

/**
 * Cleans HTML from a request. Only text with headings, lists, quotes, links and pictures is left, without
 * styles, scripts, forms and frames. Links are absolute, use https or mailto, and have `nofollow`; pictures use
 * https. Cleaning a result again does not change it.
 */
export const cleanHtml = (text: string): string => sanitizeHtml(text, OPTIONS)

/** The schema of a field of HTML, which is cleaned when it is read. The limit applies before and after. */
export const html = (max = 50_000): z.ZodPipe<z.ZodType<string, string>, z.ZodString> =>
  z.string().max(max).transform(cleanHtml).pipe(z.string().max(max))
