/** The names of what can be chosen, each with what people read of it. */
export const FRAMEWORKS: Readonly<Record<string, { readonly title: string }>>
export const SERVICES: Readonly<Record<string, { readonly title: string }>>

/** The example that a project begins as. */
export function exampleFor(choices: { readonly framework: string; readonly serve: string }): string
