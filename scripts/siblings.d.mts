export const SIBLINGS: readonly string[]
