import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.dpop.*;
import com.nimbusds.oauth2.sdk.http.*;
import com.nimbusds.oauth2.sdk.id.*;
import com.nimbusds.oauth2.sdk.pkce.*;
import com.nimbusds.oauth2.sdk.token.*;
import com.nimbusds.openid.connect.sdk.*;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.token.OIDCTokens;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import java.net.URI;

/** The SDK of Nimbus with opt-in blocks: pushed requests, `private_key_jwt`, DPoP with nonces. */
class NimbusBlocks extends Trial {
  static final ClientID client = new ClientID(CLIENT_ID);
  static final URI redirectUri = URI.create(REDIRECT_URI);
  static OIDCProviderMetadata metadata;

  static PrivateKeyJWT assertion() throws Exception {
    ECKey key = ECKey.parse(TRIAL.secret);
    return new PrivateKeyJWT(
        client, URI.create(SCHOOL), JWSAlgorithm.ES256, key.toECPrivateKey(), null, null);
  }

  static DPoPProofFactory newKey() throws Exception {
    return new DefaultDPoPProofFactory(
        new ECKeyGenerator(Curve.P_256).generate(), JWSAlgorithm.ES256);
  }

  /** Sends a request with a proof, and anew with the nonce that a refusal names. */
  static HTTPResponse prove(DPoPProofFactory key, AccessToken token, Work<HTTPRequest> work)
      throws Exception {
    Nonce nonce = null;
    for (int attempt = 0; ; attempt++) {
      HTTPRequest request = work.run();
      String method = request.getMethod().name();
      request.setDPoP(key.createDPoPJWT(method, request.getURI(), token, nonce));
      HTTPResponse answer = request.send();
      nonce = answer.getDPoPNonce();
      if (answer.indicatesSuccess()) return answer;
      if (nonce == null || attempt == 1)
        throw new Exception(answer.getStatusCode() + " " + answer.getBody());
    }
  }

  static OIDCTokens tokens(DPoPProofFactory key, AuthorizationGrant grant) throws Exception {
    URI endpoint = metadata.getTokenEndpointURI();
    Work<HTTPRequest> request =
        () ->
            new TokenRequest.Builder(endpoint, assertion(), grant)
                .resources(URI.create(SCHOOL))
                .build()
                .toHTTPRequest();
    return OIDCTokenResponse.parse(prove(key, null, request)).getOIDCTokens();
  }

  static HTTPResponse userInfo(DPoPProofFactory key, AccessToken token) throws Exception {
    URI endpoint = metadata.getUserInfoEndpointURI();
    return prove(key, token, () -> new UserInfoRequest(endpoint, token).toHTTPRequest());
  }

  public static void main(String[] args) throws Exception {
    DPoPProofFactory key = newKey();
    metadata = step("discovery", () -> OIDCProviderMetadata.resolve(new Issuer(SCHOOL)));
    CodeVerifier verifier = new CodeVerifier();
    Nonce nonce = new Nonce();
    AuthenticationRequest request =
        new AuthenticationRequest.Builder(
                ResponseType.CODE, new Scope("openid", "courses:read"), client, redirectUri)
            .state(new State())
            .nonce(nonce)
            .codeChallenge(verifier, CodeChallengeMethod.S256)
            .resources(URI.create(SCHOOL))
            .build();
    AuthorizationCode code =
        step(
            "pushed",
            () -> {
              URI endpoint = metadata.getPushedAuthorizationRequestEndpointURI();
              var pushed = new PushedAuthorizationRequest(endpoint, assertion(), request);
              var answer = PushedAuthorizationResponse.parse(pushed.toHTTPRequest().send());
              URI reference = answer.toSuccessResponse().getRequestURI();
              URI begin =
                  new AuthorizationRequest.Builder(reference, client)
                      .endpointURI(metadata.getAuthorizationEndpointURI())
                      .build()
                      .toURI();
              AuthenticationResponse callback =
                  AuthenticationResponseParser.parse(callbackOf(begin, TRIAL.student));
              return callback.toSuccessResponse().getAuthorizationCode();
            });
    OIDCTokens first =
        step("signIn", () -> tokens(key, new AuthorizationCodeGrant(code, redirectUri, verifier)));
    step(
        "idToken",
        () ->
            new IDTokenValidator(
                    metadata.getIssuer(),
                    client,
                    JWSAlgorithm.ES256,
                    metadata.getJWKSetURI().toURL())
                .validate(first.getIDToken(), nonce));
    step("userInfo", () -> userInfo(key, first.getDPoPAccessToken()));
    OIDCTokens fresh =
        step("refresh", () -> tokens(key, new RefreshTokenGrant(first.getRefreshToken())));
    DPoPAccessToken token = fresh.getDPoPAccessToken();
    step("call", () -> userInfo(key, token));
    refusal(
        "without a proof",
        () ->
            send(
                to(metadata.getUserInfoEndpointURI().toString())
                    .header("authorization", "Bearer " + token)));
    refusal("by another key", () -> userInfo(newKey(), token));
    refusal(
        "of another token",
        () ->
            prove(
                key,
                first.getDPoPAccessToken(),
                () ->
                    new UserInfoRequest(metadata.getUserInfoEndpointURI(), token).toHTTPRequest()));
    step(
        "revocation",
        () -> {
          URI endpoint = metadata.getRevocationEndpointURI();
          var revoked = new TokenRevocationRequest(endpoint, assertion(), fresh.getRefreshToken());
          revoked.toHTTPRequest().send().ensureStatusCode(200);
          return revoked;
        });
    refusal("refusal", () -> userInfo(key, token));
  }
}
