type Table = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/**
 * Throws if a refusal does not have the error that its table gives its reason, or has an empty description. A reason that
 * the table does not have is that of another one.
 */
export function assertIsOf(
  table: Table,
  {
    error,
    reason,
    description,
  }: { error: string; reason: string; description?: string | undefined },
): void {
  const errors = Object.keys(table).filter((one) => reason in table[one]!)
  if (errors.length > 0 && !errors.includes(error))
    throw new Error(
      `${reason} is refused with ${JSON.stringify(error)}, and not with ${errors.join(' or ')}`,
    )
  if (description !== undefined && description.length < 20)
    throw new Error(`${reason} has the description ${JSON.stringify(description)}`)
}
