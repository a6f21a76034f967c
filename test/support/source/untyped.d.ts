declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
    readonly Client: { find(id: string): Promise<object | undefined> }
    readonly Grant: new (of: object) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    readonly RefreshToken: {
      new (of: object): { save(): Promise<string> }
      find(token: string): Promise<{ consume(): Promise<void> }>
    }
  }
}

declare module 'node-sqlite3-wasm' {
  type Value = string | number | null | Uint8Array

  class Database {
    constructor(path: string)
    exec(sql: string): void
    all(sql: string, values: Value[]): unknown[]
    run(sql: string, values: Value[]): unknown
    close(): void
  }
  const sqlite: { readonly Database: typeof Database }
  export default sqlite
}

declare module 'node:sqlite' {
  type Value = string | number | null

  /** Of Node 22 and newer, which the types of Node 20 do not have. */
  export class DatabaseSync {
    constructor(path: string, options?: { readonly readOnly?: boolean })
    exec(sql: string): void
    prepare(sql: string): {
      all(...values: Value[]): unknown[]
      all(named: Readonly<Record<string, Value>>): unknown[]
      run(...values: Value[]): unknown
    }
    close(): void
  }
}

declare module 'bun:sqlite' {
  export { DatabaseSync as Database } from 'node:sqlite'
}

declare const Bun: { readonly argv: readonly string[] }
