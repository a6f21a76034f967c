/** What is read aloud: no tags, white space as one space. */
export const textOf = (page: string): string =>
  page
    .slice(page.indexOf('<main'))
    .replace(/<\/?(?:bdi|span|strong|time)[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/&#39;/g, "'")

/** The opening tags of one name, white space as one space. */
export const tagsOf = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>`, 'g'))].map(([tag]) =>
    tag.replace(/\s+/g, ' '),
  )

/** The value of a tag's attribute, as written. */
export const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]

/** Everything in a form that takes a value and can be seen. */
export const controlsOf = (page: string): string[] =>
  ['input', 'select', 'textarea']
    .flatMap((name) => tagsOf(page, name))
    .filter((tag) => attribute(tag, 'type') !== 'hidden')

/** The words on the buttons, in order. */
export const buttonsOf = (page: string): string[] =>
  [...page.matchAll(/<button[^>]*>([^<]*)<\/?[a-z]/g)].map(([, text]) => text!.trim())
