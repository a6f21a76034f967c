import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'

/** Where apps on somebody's computer are answered; nobody listens, since the browser stops there. */
const CALLBACK = 'http://127.0.0.1:7777/callback'

/** Somebody's app: what the SDK keeps for it, and where it sends the browser. */
export interface App {
  readonly provider: OAuthClientProvider
  readonly tokens: () => OAuthTokens | undefined
  /** Where the browser is to go, once for each time that it was asked to. */
  readonly sentTo: URL[]
}

/**
 * @param issuer - of the school
 * @param app - `name`: of the app; `clientId`: of an application that the school set up; left out, the app registers
 *   itself; `keep`: what of its tokens it keeps. Default: all
 */
export function createApp(
  issuer: string,
  {
    name,
    clientId,
    keep = (tokens) => tokens,
  }: {
    name: string
    clientId?: string | undefined
    keep?: (tokens: OAuthTokens) => OAuthTokens
  },
): App {
  // Version 2 also asks which issuer knows the client.
  const known = { client_id: clientId ?? '', issuer }
  let information: OAuthClientInformationMixed | undefined =
    clientId === undefined ? undefined : known
  let discovered: OAuthDiscoveryState | undefined
  let tokens: OAuthTokens | undefined
  let verifier = ''
  const sentTo: URL[] = []
  return {
    tokens: () => tokens,
    sentTo,
    provider: {
      redirectUrl: CALLBACK,
      clientMetadata: { client_name: name, redirect_uris: [CALLBACK] },
      state: () => 'state-of-the-app',
      clientInformation: () => information,
      saveClientInformation: (saved) => void (information = saved),
      tokens: () => tokens,
      saveTokens: (saved) => void (tokens = keep(saved)),
      redirectToAuthorization: (url) => void sentTo.push(url),
      saveCodeVerifier: (saved) => void (verifier = saved),
      codeVerifier: () => verifier,
      saveDiscoveryState: (saved) => void (discovered = saved),
      discoveryState: () => discovered,
    },
  }
}

/** Version 1 would refresh where it is asked for more scopes, which no refresh can give. */
export function withoutRefreshToken(tokens: OAuthTokens): OAuthTokens {
  const { refresh_token: _, ...rest } = tokens
  return rest
}
