-- Spreads every table of hallpass by site, in 16 parts. Run it after `migratePostgres`, while no process uses the tables:
-- rows are copied, and later migrations find the parts. Another number of parts is another number in the next line but one.
do $partitions$ declare
  parts constant integer := 16;
  one record;
begin
  create temp table old on commit drop as
    select c.oid, c.relname as name, coalesce('with (' || array_to_string(c.reloptions, ', ') || ')', '') as options
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'site'
    where c.relkind = 'r' and not c.relispartition and c.relname like 'hallpass\_%'
      and c.relnamespace = current_schema()::regnamespace;
  create temp table keys on commit drop as
    select o.name, k.conname, k.contype, pg_get_constraintdef(k.oid) as definition
    from old o join pg_constraint k on k.conrelid = o.oid and k.contype in ('p', 'u', 'f');
  create temp table indexes on commit drop as
    select pg_get_indexdef(i.indexrelid) as definition from old o join pg_index i on i.indrelid = o.oid
    where not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'));
  for one in select * from old loop
    execute format('alter table %I rename to %I', one.name, one.name || '_old');
    execute format('create table %I (like %I including defaults) partition by hash (site)', one.name, one.name || '_old');
    for part in 0 .. parts - 1 loop
      execute format('create table %I partition of %I for values with (modulus %s, remainder %s) %s',
        one.name || '_part' || part, one.name, parts, part, one.options);
    end loop;
    execute format('insert into %I select * from %I', one.name, one.name || '_old');
  end loop;
  for one in select * from old loop
    execute format('drop table %I cascade', one.name || '_old');
  end loop;
  for one in select * from keys order by contype = 'f' loop
    execute format('alter table %I add constraint %I %s', one.name, one.conname, one.definition);
  end loop;
  for one in select * from indexes loop
    execute one.definition;
  end loop;
end $partitions$;
