import { isProblem, type ListRequest, type OperationContext, type Problem } from 'hallpass/admin'
import type { SchoolScope } from 'hallpass/scope'
import * as z from 'zod'
import { defineList, defineOperation, type SchoolOperation } from './define.js'
import { newId } from './fields.js'
import type { Columns, Db, Kit, Listed } from './kit.js'

type Named<Scope, Access extends string> = Scope extends `${infer Name}:${Access}` ? Name : never
type Read = Named<SchoolScope, 'read'>
type Written = Read & Named<SchoolScope, 'write'>

type Words = Partial<
  Pick<SchoolOperation, 'id' | 'summary' | 'description' | 'roles' | 'tool' | 'events'>
>
type Identified = z.ZodObject<{ id: z.ZodString }>
type Maybe<Value> = Value | Problem | Promise<Value | Problem>
type After<Sent> = (db: Db, id: string, sent: Sent) => Promise<Problem | null | void>

interface Facts<Scope, Item> {
  /** The scopes without their ending. The name of many objects and of one follow from it. */
  readonly scope: Scope
  readonly many?: string
  /** The words for one object in summaries. */
  readonly called?: string
  readonly item: Item
  /** The rows, or the rows as they are at a time in seconds since the epoch. */
  readonly rows: Listed | ((now: number) => Listed)
}

/**
 * Returns the operations that read one kind of object. Their ids, summaries, paths, scopes and tools follow from its name;
 * a resource replaces those that are different.
 */
export function readsOf<Item extends Identified>(kit: Kit, facts: Facts<Read, Item>) {
  const { scope, many = scope, item } = facts
  const rows = rowsOf(kit, facts)
  const { called = calledOf(many) } = facts
  const { id }: Identified['shape'] = item.shape
  const read = { scope: `${scope}:read`, effect: 'read' } as const
  return {
    byId: z.strictObject({ id }),
    list: <Filters extends z.ZodRawShape, const Sort extends string>(
      own: Words & {
        filters: Filters
        sorts: readonly [Sort, ...Sort[]]
        rows?: (
          request: ListRequest<z.output<z.ZodObject<Filters>>>,
        ) => Promise<readonly z.output<Item>[] | Problem>
      },
    ) =>
      defineList({
        id: `${many}.list`,
        summary: `List ${called}s`,
        scope: read.scope,
        path: pathOf(many),
        tool: `list_${many}`,
        item,
        ...own,
        rows: (_context, request) =>
          own.rows?.(request) ?? kit.list<z.output<Item>>(rows(), request),
      }),
    get: (own: Words = {}) =>
      defineOperation({
        ...read,
        id: `${many}.get`,
        summary: `Get ${withArticle(called)}`,
        method: 'GET',
        path: `${pathOf(many)}/{id}`,
        tool: `get_${many.slice(0, -1)}`,
        ...own,
        input: z.strictObject({ id }),
        output: item,
        run: (_context, input) => kit.get<z.output<Item>>(rows(), input.id),
      }),
  }
}

/** Returns what {@link readsOf} does, and the operations that create, change and delete an object. */
export function frameOf<Item extends Identified>(
  kit: Kit,
  facts: Facts<Written, Item> & { readonly prefix: string },
) {
  type Row = z.output<Item>
  const { scope, many = scope, item, prefix } = facts
  const rows = rowsOf(kit, facts)
  const { called = calledOf(many) } = facts
  const one = many.slice(0, -1)
  const reads = readsOf(kit, facts)
  const save = { scope: `${scope}:write`, effect: 'write', output: item } as const
  const tool = (value: string) => ({ name: `save_${one}`, argument: 'action', value })
  /** The first members of an action on one object. Its words, its events and its `run` follow. */
  const action = (verb: string) =>
    ({
      ...save,
      id: `${many}.${verb}`,
      method: 'POST',
      path: `${pathOf(many)}/{id}/${verb}`,
      tool: tool(verb),
      input: reads.byId,
    }) as const
  return {
    ...reads,
    save,
    action,
    create: <Input extends z.ZodObject>({
      columns = (sent) => sent,
      after,
      ...own
    }: Words & {
      input: Input
      columns?: (sent: z.output<Input>, db: Db, context: OperationContext) => Maybe<Columns>
      after?: After<z.output<Input>>
    }) =>
      defineOperation({
        ...save,
        id: `${many}.create`,
        summary: `Create ${withArticle(called)}`,
        method: 'POST',
        path: pathOf(many),
        tool: tool('create'),
        status: 201,
        events: [`${one}.created`],
        ...own,
        run: (context, sent) =>
          kit.create<Row>(context, rows(), async (db) => {
            const made = await columns(sent, db, context)
            if (isProblem(made)) return made
            const [id, at] = [newId(prefix), kit.now()]
            await db.insert(rows().table, { ...made, id, created_at: at, updated_at: at })
            return (await after?.(db, id, sent)) ?? id
          }),
      }),
    update: <Input extends Identified>({
      columns = (sent) => sent,
      after,
      ...own
    }: Words & {
      input: Input
      columns?: (sent: Omit<z.output<Input>, 'id'>, current: Row, db: Db) => Maybe<Columns>
      after?: After<Omit<z.output<Input>, 'id'>>
    }) =>
      defineOperation({
        ...save,
        id: `${many}.update`,
        summary: `Change ${withArticle(called)}`,
        method: 'PATCH',
        path: `${pathOf(many)}/{id}`,
        tool: tool('update'),
        precondition: 'optional',
        events: [`${one}.updated`],
        ...own,
        run: (context, { id, ...sent }) =>
          kit.change<Row>(context, rows(), id, async (db, current) => {
            const changed = await columns(sent, current, db)
            if (isProblem(changed)) return changed
            await db.update(rows().table, id, { ...changed, updated_at: kit.now() })
            return (await after?.(db, id, sent)) ?? undefined
          }),
      }),
    /** An action that moves an object to another state. `null`: it is in this state already, and nothing changes. */
    move: (
      verb: string,
      {
        columns,
        ...own
      }: Words & {
        summary: string
        destructive?: boolean
        columns: (current: Row) => Columns | Problem | null
      },
    ) =>
      defineOperation({
        ...action(verb),
        idempotent: true,
        ...own,
        run: (context, { id }) =>
          kit.change<Row>(context, rows(), id, async (db, current) => {
            const moved = columns(current)
            if (moved === null || isProblem(moved)) return moved ?? undefined
            return db.update(rows().table, id, { ...moved, updated_at: kit.now() })
          }),
      }),
    remove: ({
      before,
      ...own
    }: Words & { before?: (db: Db, current: Row) => Promise<Problem | void> } = {}) =>
      defineOperation({
        ...save,
        id: `${many}.remove`,
        summary: `Delete ${withArticle(called)}`,
        destructive: true,
        method: 'DELETE',
        path: `${pathOf(many)}/{id}`,
        status: 204,
        precondition: 'optional',
        events: [`${one}.deleted`],
        ...own,
        input: reads.byId,
        output: z.null(),
        run: (context, { id }) =>
          kit.remove<Row>(
            context,
            rows(),
            id,
            async (db, current) => (await before?.(db, current)) ?? db.remove(rows().table, id),
          ),
      }),
  }
}

const rowsOf =
  ({ now }: Kit, { rows }: Pick<Facts<unknown, unknown>, 'rows'>) =>
  (): Listed =>
    typeof rows === 'function' ? rows(now()) : rows
const pathOf = (many: string): string => `/${many.replace('_', '-')}`
const calledOf = (many: string): string => many.slice(0, -1).replace('_', ' ')
const withArticle = (called: string): string => `${/^[aeiou]/.test(called) ? 'an' : 'a'} ${called}`
