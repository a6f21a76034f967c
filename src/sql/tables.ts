import type { SqlMigration } from './schema.js'

interface Column {
  readonly name: string
  readonly isInteger: boolean
  readonly isRequired: boolean
  /** Whether the database gives each row the next number. */
  readonly isNumbered: boolean
}

interface Index {
  readonly name: string
  /** Each with its direction, as in `order by`. */
  readonly columns: readonly string[]
}

/** A table that has rows of sites. */
export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  /** The column that, with the site, names a row; `site` where that has one row. */
  readonly key: string
  /** Whether the primary key begins with the site. */
  readonly isKeyedBySite: boolean
  readonly indexes: readonly Index[]
}

const CREATION = /^create table if not exists (\w+) \(([^]*)\)/
const ADDITION = /^alter table (\w+)\s+add column (\w+ [^,]*)$/
const INDEX = /^create (?:unique )?index (?:if not exists )?(\w+) on (\w+) \(([^]*)\)$/
const DROP = /drop index (?:if exists )?(\w+)/g
const KEY = /(?:primary key|unique) \(([^)]*)\)/
const PREFIX = /\(\d+\)$/

/** The parts of a list that are between commas outside of brackets. */
function listed(sql: string): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const character of sql) {
    depth += Number(character === '(') - Number(character === ')')
    if (character === ',' && depth === 0) parts.push('')
    else parts.push(parts.pop()! + character)
  }
  return parts.map((part) => part.trim())
}

function columnOf(definition: string): Column | null {
  const [, name, rest] = /^(\w+) ([^]*)$/.exec(definition) ?? []
  if (name === undefined || KEY.test(definition)) return null
  return {
    name,
    isInteger: /^(?:integer|bigint|int)(?: |$)/.test(rest!),
    isRequired: /not null|primary key/.test(rest!),
    isNumbered: /auto_?increment/.test(rest!),
  }
}

function tableOf(name: string, body: string): Table {
  const parts = listed(body)
  const key = parts.map((part) => KEY.exec(part)?.[1]).find((columns) => columns !== undefined)
  return {
    name,
    columns: parts.map(columnOf).filter((column) => column !== null),
    key: listed(key ?? '').find((column) => column !== '' && column !== 'site') ?? 'site',
    isKeyedBySite: parts.some(
      (part) =>
        part.startsWith('primary key (site') ||
        (part.startsWith('site ') && part.endsWith(' primary key')),
    ),
    indexes: [],
  }
}

/** The tables with a column `site` that migrations leave, each behind those that it refers to. */
export function tablesOf(migrations: readonly SqlMigration[]): readonly Table[] {
  const tables = new Map<string, Table>()
  const change = (name: string, next: (table: Table) => Partial<Table>): void => {
    const table = tables.get(name)
    if (table !== undefined) tables.set(name, { ...table, ...next(table) })
  }
  for (const sql of migrations.flatMap(({ statements }) => statements)) {
    const [, created, body] = CREATION.exec(sql) ?? []
    if (created !== undefined) tables.set(created, tableOf(created, body!))
    const [, altered, column] = ADDITION.exec(sql) ?? []
    if (altered !== undefined)
      change(altered, ({ columns }) => ({ columns: [...columns, columnOf(column!)!] }))
    const [, name, indexed, list] = INDEX.exec(sql) ?? []
    if (name !== undefined) {
      const columns = listed(list!).map((part) => part.replace(PREFIX, ''))
      change(indexed!, ({ indexes }) => ({ indexes: [...indexes, { name, columns }] }))
    }
    for (const [, dropped] of sql.matchAll(DROP))
      for (const table of tables.keys())
        change(table, ({ indexes }) => ({ indexes: indexes.filter((one) => one.name !== dropped) }))
  }
  return [...tables.values()].filter(({ columns }) => columns.some(({ name }) => name === 'site'))
}
