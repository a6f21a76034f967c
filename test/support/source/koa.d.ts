/** As much of Koa as the tests use: it brings no types. */
declare module 'koa' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  export interface Context {
    readonly req: IncomingMessage
    readonly res: ServerResponse
    readonly request: { body?: unknown }
    respond: boolean
  }
  export default class Koa {
    use(run: (context: Context, next: () => Promise<void>) => unknown): void
    callback(): RequestListener
  }
}
