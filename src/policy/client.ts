import type { Audience } from '../scope/registry.js'

/**
 * How a client came to be known. The kind fixes the client's audience, its widest scopes and how
 * much a person is told about it.
 */
export type ClientKind = 'loopback' | 'vendor' | 'document' | 'member'

/** How a client proves who it is at the token endpoint (RFC 7591 §2). */
export type TokenEndpointAuthMethod = 'none' | 'client_secret_post'

/** One stored client secret. Only its hash is kept. */
export interface ClientSecret {
  /** SHA-256 of the secret, 43 base64url characters. */
  readonly hash: string
  /** Epoch seconds after which the secret no longer counts; `null` = does not expire. */
  readonly expiresAt: number | null
}

/** A client as the policy functions see it. */
export interface Client {
  readonly clientId: string
  readonly kind: ClientKind
  /** The name shown to people. */
  readonly name: string
  /** Registered redirect URIs, raw as registered. */
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
  /** Secrets that count, newest first; at most two, so that a rotation can overlap. */
  readonly secrets: readonly ClientSecret[]
  /** The scopes this client may ask for; `null` = everything its audience allows. */
  readonly scopes: readonly string[] | null
  /** A disabled client keeps its grants, but nothing works until it is enabled again. */
  readonly disabled: boolean
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds of the first completed authorization; `null` = never used. */
  readonly usedAt: number | null
}

/** The audience that a kind of client acts for. */
export function audienceOf(kind: ClientKind): Audience {
  return kind === 'member' ? 'member' : 'operator'
}
