import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.auth.*;
import com.nimbusds.oauth2.sdk.id.*;
import com.nimbusds.oauth2.sdk.pkce.*;
import com.nimbusds.oauth2.sdk.token.*;
import com.nimbusds.openid.connect.sdk.*;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.rp.*;
import com.nimbusds.openid.connect.sdk.token.OIDCTokens;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import java.net.URI;

/** The SDK of Nimbus for OAuth 2.0 and OpenID Connect. */
class NimbusSdk extends Trial {
  static OIDCProviderMetadata metadata;
  // region: Nimbus
  static final ClientAuthentication secret =
      new ClientSecretPost(new ClientID(CLIENT_ID), new Secret(CLIENT_SECRET));
  // endregion
  static final Nonce nonce = new Nonce();

  /** A sign-in by code; `resources` are sent with both requests. */
  static OIDCTokens signIn(ClientAuthentication secret, URI... resources) throws Exception {
    ClientID client = secret.getClientID();
    Scope scope = new Scope("openid", "profile", "email", "account:read");
    CodeVerifier verifier = new CodeVerifier();
    State state = new State();
    // region: Nimbus
    AuthenticationRequest begin =
        new AuthenticationRequest.Builder(
                ResponseType.CODE, scope, client, URI.create(REDIRECT_URI))
            .endpointURI(metadata.getAuthorizationEndpointURI())
            .state(state)
            .nonce(nonce)
            .codeChallenge(verifier, CodeChallengeMethod.S256)
            .resources(resources)
            .build();
    // endregion
    AuthenticationResponse callback =
        AuthenticationResponseParser.parse(callbackOf(begin.toURI(), TRIAL.student));
    if (!callback.indicatesSuccess())
      throw new Exception(callback.toErrorResponse().getErrorObject().toJSONObject().toString());
    check(callback.getState().equals(state), "another state");
    check(callback.getIssuer().equals(metadata.getIssuer()), "another issuer");
    AuthorizationCode code = callback.toSuccessResponse().getAuthorizationCode();
    // region: Nimbus
    AuthorizationCodeGrant grant =
        new AuthorizationCodeGrant(code, URI.create(REDIRECT_URI), verifier);
    TokenRequest exchange =
        new TokenRequest.Builder(metadata.getTokenEndpointURI(), secret, grant)
            .resources(resources)
            .build();
    // endregion
    return send(exchange);
  }

  static OIDCTokens send(TokenRequest request) throws Exception {
    TokenResponse answer = OIDCTokenResponseParser.parse(request.toHTTPRequest().send());
    if (!answer.indicatesSuccess())
      throw new Exception(answer.toErrorResponse().toJSONObject().toString());
    return ((OIDCTokenResponse) answer).getOIDCTokens();
  }

  public static void main(String[] args) throws Exception {
    metadata = step("discovery", () -> OIDCProviderMetadata.resolve(new Issuer(SCHOOL)));
    step(
        "registration",
        () -> {
          OIDCClientMetadata own = new OIDCClientMetadata();
          own.setRedirectionURI(URI.create(REDIRECT_URI));
          own.setName("Trial");
          own.setTokenEndpointAuthMethod(ClientAuthenticationMethod.NONE);
          OIDCClientRegistrationRequest request =
              new OIDCClientRegistrationRequest(metadata.getRegistrationEndpointURI(), own, null);
          var answer = OIDCClientRegistrationResponseParser.parse(request.toHTTPRequest().send());
          check(answer.indicatesSuccess(), answer.toHTTPResponse().getBody());
          return answer;
        });
    URI school = URI.create(SCHOOL);
    refusal(
        "untold",
        () ->
            signIn(
                new ClientSecretBasic(new ClientID(CLIENT_ID), new Secret(CLIENT_SECRET)), school));
    OIDCTokens tokens = step("signIn", () -> signIn(secret, school));
    step(
        "idToken",
        () -> {
          // region: Nimbus
          var validator =
              new IDTokenValidator(
                  metadata.getIssuer(),
                  secret.getClientID(),
                  JWSAlgorithm.ES256,
                  metadata.getJWKSetURI().toURL());
          return validator.validate(tokens.getIDToken(), nonce);
          // endregion
        });
    step(
        "userInfo",
        () -> {
          var request =
              new UserInfoRequest(metadata.getUserInfoEndpointURI(), tokens.getBearerAccessToken());
          UserInfoResponse answer = UserInfoResponse.parse(request.toHTTPRequest().send());
          check(answer.toSuccessResponse().getUserInfo().getEmailAddress() != null, "no email");
          return answer;
        });
    OIDCTokens fresh = step("refresh", () -> refresh(secret, tokens));
    step("call", () -> account(fresh.getAccessToken().getValue()));
    step(
        "revocation",
        () -> {
          var request =
              new TokenRevocationRequest(
                  metadata.getRevocationEndpointURI(), secret, fresh.getRefreshToken());
          request.toHTTPRequest().send().ensureStatusCode(200);
          return request;
        });
    refusal("refusal", () -> account(fresh.getAccessToken().getValue()));
    refusal("refusal", () -> refresh(secret, fresh));
  }

  static OIDCTokens refresh(ClientAuthentication secret, OIDCTokens tokens) throws Exception {
    OIDCTokens next =
        send(
            new TokenRequest.Builder(
                    metadata.getTokenEndpointURI(),
                    secret,
                    new RefreshTokenGrant(tokens.getRefreshToken()))
                .build());
    check(!next.getRefreshToken().equals(tokens.getRefreshToken()), "the same refresh token");
    return next;
  }
}
