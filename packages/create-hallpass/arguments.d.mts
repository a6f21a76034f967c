/** Reads the command line: what it says, and the names of the frameworks that fit it. */
export function readArguments(args: readonly string[]): {
  readonly frameworks: readonly string[]
  readonly database: string | undefined
}
