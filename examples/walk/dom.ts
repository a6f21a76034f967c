/** Creates an element. Its text is never parsed as HTML. */
export function element(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElement {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

// The name at the start of a line: a member of JSON, a header or a parameter.
const NAME = /^(\s*"[^"]+"(?=:)|[a-z-]+(?=: )|[?&]?[a-z_]+(?==))/

/** Returns the text of a request or a response, with its names highlighted. */
export function painted(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  for (const [index, line] of text.split('\n').entries()) {
    const [name = ''] = NAME.exec(line) ?? []
    if (index > 0) fragment.append('\n')
    if (name !== '') fragment.append(element('span', { class: 'code-name' }, name))
    fragment.append(line.slice(name.length))
  }
  return fragment
}
