// Forms of a page, as a browser without script reads and fills them in.

/** The text that markup stands for. */
export const decode = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The value of a tag's attribute, decoded; `null` if it has none. */
export const attribute = (tag: string, name: string): string | null => {
  const match = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)
  return match === null ? null : decode(match[1]!)
}

/** What a form sends with these fields: what it has otherwise, hidden, typed or ticked, remains. */
export function filledIn(
  form: string,
  fields: Readonly<Record<string, string | readonly string[]>>,
): URLSearchParams {
  const body = new URLSearchParams()
  for (const tag of form.match(/<input[^>]*>/g) ?? []) {
    const name = attribute(tag, 'name')
    const isTicked = !/type="(?:radio|checkbox)"/.test(tag) || /\schecked\b/.test(tag)
    if (name !== null && !Object.hasOwn(fields, name) && isTicked)
      body.append(name, attribute(tag, 'value') ?? 'on')
  }
  for (const [name, value] of Object.entries(fields))
    for (const one of typeof value === 'string' ? [value] : value) body.append(name, one)
  return body
}
