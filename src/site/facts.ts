/**
 * The member of a server that has its configuration, for what is made of a whole server, such as `/auth.md`. A symbol is
 * also copied by `{ ...server }`, and no router takes it for an endpoint.
 */
export const FACTS: unique symbol = Symbol('the configuration of a server')
