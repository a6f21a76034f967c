// loans.ts
/** Your table. */
export const loansOf = async (subject: string) =>
  [{ title: 'Glazes', dueAt: 1_796_000_000, subject: 'mem_mei' }].filter(
    (loan) => loan.subject === subject,
  )
