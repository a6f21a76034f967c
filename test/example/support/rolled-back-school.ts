import type { Operation } from 'hallpass/admin'
import type { Execute } from 'hallpass/postgres'
import type { SchoolScope } from 'hallpass/scope'
import { createKit, type Kit } from '../../../examples/school/src/admin/kit.js'
import type { Transaction } from '../../../examples/school/src/platform/transaction.js'
import { demoAtT } from '../../support/databases/templates.js'
import { addExampleRows } from './operator-inputs.js'
import { openOperatorSchool, type OperatorSchool } from './operator-school.js'

/**
 * Opens the admin API of both demo schools, with the rows that the examples of the operations need. A transaction of the
 * school is a savepoint, so a test can be one transaction that is rolled back.
 */
export async function openRolledBackSchool(
  operations: (kit: Kit) => readonly Operation<SchoolScope>[],
): Promise<{ school: OperatorSchool; execute: Execute }> {
  let execute!: Execute
  const transaction: Transaction = async (work) => {
    await execute('savepoint inner_one', [])
    try {
      return await work(execute)
    } catch (fault) {
      await execute('rollback to savepoint inner_one', [])
      throw fault
    }
  }
  const school = await openOperatorSchool(
    ({ site, origin, now }) => operations(createKit({ execute, transaction, site, origin, now })),
    async (run) => {
      execute = run
      await addExampleRows(execute)
      await execute(ADD_TWIN, [])
    },
    demoAtT,
  )
  return { school, execute }
}

/** Gives a third school that nobody asks the very rows of the first, so that a statement that forgets the site is noticed. */
const ADD_TWIN = `do $$
  declare
    todo text[] := array(select table_name from information_schema.columns
      where table_name like 'school\\_%' and column_name = 'site');
    one text;
    names text;
  begin
    -- In whatever order their references allow.
    while cardinality(todo) > 0 loop
      foreach one in array todo loop
        select string_agg(quote_ident(column_name), ', ') into names from information_schema.columns
          where table_name = one and is_generated = 'NEVER' and is_identity = 'NO';
        begin
          execute format('insert into %1$I (%2$s) select %2$s from (
            select (jsonb_populate_record(t, ''{"site": "site_twin"}'')).* from %1$I t
            where site = ''site_lantern'') twin', one, names);
          todo := array_remove(todo, one);
        exception when foreign_key_violation then null;
        end;
      end loop;
    end loop;
  end $$`

/** A digest of the rows of each table at each site. */
export async function rowsOf(execute: Execute): Promise<Readonly<Record<string, string>>> {
  const { rows: tables } = await execute(
    `select table_name as name from information_schema.columns
     where table_name like 'school\\_%' and column_name = 'site'`,
    [],
  )
  const parts = (tables as { name: string }[]).map(
    ({ name }) =>
      `select '${name} of ' || site as what, md5(string_agg(t::text, ' ' order by t::text)) as digest
       from ${name} t group by site`,
  )
  const { rows } = await execute(parts.join(' union all '), [])
  return Object.fromEntries(
    (rows as { what: string; digest: string }[]).map(({ what, digest }) => [what, digest]),
  )
}
