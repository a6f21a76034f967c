// Adds a button to each field with text to copy. Without this script, the text can be selected.
for (const field of document.querySelectorAll('textarea[data-copy]')) {
  if (!navigator.clipboard) break
  const label = field.labels[0]?.textContent.trim() ?? ''
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button button-plain button-small'
  const said = document.createElement('span')
  said.setAttribute('role', 'status')
  said.className = 'quiet'
  button.append(
    field.dataset.copy,
    Object.assign(document.createElement('span'), {
      className: 'unseen',
      textContent: ` ${label}`,
    }),
  )
  button.addEventListener('click', () => {
    field.select()
    navigator.clipboard.writeText(field.value).then(
      () => (said.textContent = field.dataset.done),
      () => (said.textContent = field.dataset.selected),
    )
  })
  const row = document.createElement('p')
  row.className = 'more'
  row.append(button, said)
  field.after(row)
}
