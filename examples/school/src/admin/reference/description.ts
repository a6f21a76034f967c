/** A JSON Schema, with the keywords that `openapiOf` writes. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

/** A response, or a reference to one of the components. */
export interface Answer {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Content
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly 'x-events'?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

/** What the reference reads of an OpenAPI 3.1 document. */
export interface Description {
  readonly info: { readonly title: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Answer>>
  }
}

/** An operation with its place: method in capital letters, and path. */
export interface PlacedOperation extends Operation {
  readonly method: string
  readonly path: string
  /** The scope of the access token, or `null` for an operation that is not of the admin API. */
  readonly scope: string | null
}

/** Returns the operations of a document, in its order. */
export const operationsOf = ({ paths }: Description): readonly PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      scope: operation.security?.[0]?.['oauth2']?.[0] ?? null,
    })),
  )

/** Returns the last part of a reference, such as `Course`. */
export const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
