import type { Execute } from 'hallpass/postgres'
import type { Prisma, PrismaClient } from '../.generated/prisma/client.js'

export const executeOf =
  (db: Prisma.TransactionClient): Execute<readonly unknown[]> =>
  (text, values) =>
    db.$queryRawUnsafe<unknown[]>(text, ...values)

export const together = (
  db: PrismaClient,
  { id, work }: { id: string; work: (execute: Execute<readonly unknown[]>) => Promise<void> },
): Promise<void> =>
  db.$transaction(async (tx) => {
    await tx.hostRow.create({ data: { id } })
    await work(executeOf(tx))
  })
