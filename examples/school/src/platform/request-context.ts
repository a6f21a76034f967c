/** The context of a request that the `Request` itself does not contain. */
export interface RequestContext {
  /** The client's IP address, or `null` if it is not known. */
  readonly address: string | null
}
