// Adds to the pages of the reference the line that imports a name, and in the front matter the entry, the group and the
// place in the source, which the theme shows above the page.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'
import { Converter, ReflectionGroup, ReflectionKind } from 'typedoc'
import { MarkdownPageEvent } from 'typedoc-plugin-markdown'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { ENTRIES } = await tsImport('./pages.ts', import.meta.url)
const { STORE_GROUPS } = await tsImport('../../src/store/groups.ts', import.meta.url)

const TYPES = ReflectionKind.Interface | ReflectionKind.TypeAlias

/** @param {import('typedoc-plugin-markdown').MarkdownApplication} app */
export function load(app) {
  /** Where each declaration is, by its reflection. */
  const places = new WeakMap()

  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    const declaration = context.getSymbolFromReflection(reflection)?.declarations?.[0]
    if (declaration === undefined) return
    const file = declaration.getSourceFile()
    const { line } = file.getLineAndCharacterOfPosition(declaration.getStart())
    places.set(reflection, {
      path: relative(ROOT, file.fileName).replaceAll('\\', '/'),
      line: line + 1,
    })
  })

  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const store of project.getReflectionsByKind(ReflectionKind.Interface))
      if (store.name === 'Store') groupStore(store, places)
  })

  app.renderer.on(MarkdownPageEvent.END, (page) => {
    const { model, project } = page
    const lone = ENTRIES.find(({ folder }) => folder === project.name)
    const folder = lone?.folder ?? page.url.split('/')[0]
    const entry = ENTRIES.find((one) => one.folder === folder)
    if (entry === undefined) {
      page.contents = listEntries(page.contents)
      return
    }
    const isIndex = model === project || model.parent === project
    if (lone ? model === project : isIndex) {
      page.contents = page.contents.replace(/^# .*/m, () => `# ${entry.name}`)
      page.contents = withFacts({ entry: folder }, page.contents)
      return
    }
    const exporting = model.parent
    const group = exporting.groups?.find(({ children }) => children.includes(model))?.title
    const place = places.get(model)
    const kind = model.kindOf(TYPES) ? 'import type' : 'import'
    const code = `\`\`\`ts\n${kind} { ${model.name} } from '${entry.name}'\n\`\`\``
    const facts = {
      entry: folder,
      group,
      source: place && `${place.path}#L${place.line}`,
    }
    page.contents = withFacts(facts, page.contents.replace(/^# .*/m, (title) => `${title}\n\n${code}`)) // prettier-ignore
  })
}

const withFacts = (facts, text) =>
  `---\n${Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('')}---\n\n${text}`

/** Names the entries as they are imported, in the order of the package. */
function listEntries(text) {
  const rows = new Map(
    [...text.matchAll(/^\| \[(.+?)\]\((.+?)\) (\|.*)$/gm)].map(([, name, path, rest]) => [
      name,
      { path, rest },
    ]),
  )
  const table = ENTRIES.map(({ name, folder }) => {
    const { path, rest } = rows.get(folder) ?? siblingRow(name)
    return `| [${name}](${path}) ${rest}`
  })
  const head = text.slice(0, text.search(/^\| \[/m)).replace('## Modules', '## Entries')
  return `${head.replace(/^\| Module /m, '| Entry ')}${table.join('\n')}\n`
}

/** A package beside the library, which has an index of its own. */
function siblingRow(name) {
  const manifest = readFileSync(`${ROOT}packages/${name}/package.json`, 'utf8')
  return {
    path: `${name}/index.md`,
    rest: `| A package of its own. ${JSON.parse(manifest).description}. |`,
  }
}

/** The methods of a store in the order of the source, first its core, then group by group. */
function groupStore(store, places) {
  const inOrder = [...store.children].sort((a, b) => places.get(a).line - places.get(b).line)
  const groupOf = (name) =>
    Object.keys(STORE_GROUPS).find((group) => STORE_GROUPS[group].includes(name))
  const titles = ['Properties', 'The core', ...Object.keys(STORE_GROUPS).map((group) => `The group ${group}`)] // prettier-ignore
  const titleOf = (child) => {
    if (child.kindOf(ReflectionKind.Property)) return titles[0]
    const group = groupOf(child.name)
    return group === undefined ? titles[1] : `The group ${group}`
  }
  store.groups = titles.map((title) => {
    const group = new ReflectionGroup(title, store)
    group.children = inOrder.filter((child) => titleOf(child) === title)
    return group
  })
}
