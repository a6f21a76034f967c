declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
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
