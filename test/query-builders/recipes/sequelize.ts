import type { Execute } from 'hallpass/postgres'
import { QueryTypes, type Sequelize, type Transaction } from 'sequelize'

export const executeOf =
  (db: Sequelize, transaction?: Transaction): Execute<readonly unknown[]> =>
  (text, values) =>
    db.query(text, {
      type: QueryTypes.SELECT,
      // Without it, a replica would be asked to write.
      useMaster: true,
      // It looks for parameters in the text, also in the bodies of the migrations, which have none.
      ...(values.length > 0 && { bind: values }),
      ...(transaction && { transaction }),
    })

export const together = (
  db: Sequelize,
  { id, work }: { id: string; work: (execute: Execute<readonly unknown[]>) => Promise<void> },
): Promise<void> =>
  db.transaction(async (transaction) => {
    await db.query('insert into host_row values ($1)', { bind: [id], transaction })
    await work(executeOf(db, transaction))
  })
