/** Makes an element. Text is text: nothing here is read as HTML. */
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

// What a line begins with: a member of JSON, a header, a parameter.
const NAME = /^(\s*"[^"]+"(?=:)|[a-z-]+(?=: )|[?&]?[a-z_]+(?==))/

/** Text of a request or an answer, with its names in a colour of their own. */
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
