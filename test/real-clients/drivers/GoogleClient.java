import com.google.api.client.auth.oauth2.*;
import com.google.api.client.auth.openidconnect.*;
import com.google.api.client.http.*;
import com.google.api.client.http.javanet.NetHttpTransport;
import com.google.api.client.json.gson.GsonFactory;
import java.net.URI;
import java.util.List;

/** Google's OAuth client for Java. It has no discovery: the addresses are those of the metadata. */
class GoogleClient extends Trial {
  static final HttpTransport transport = new NetHttpTransport();
  // region: Google's oauth client
  static final HttpExecuteInterceptor secret =
      new ClientParametersAuthentication(CLIENT_ID, CLIENT_SECRET);

  // endregion

  static AuthorizationCodeFlow flowOf(HttpExecuteInterceptor secret) {
    // region: Google's oauth client
    return new AuthorizationCodeFlow.Builder(
            BearerToken.authorizationHeaderAccessMethod(),
            transport,
            GsonFactory.getDefaultInstance(),
            new GenericUrl(SCHOOL + "/api/oauth/token"),
            secret,
            CLIENT_ID,
            SCHOOL + "/oauth/authorize")
        .setScopes(List.of("openid", "profile", "email", "account:read"))
        .enablePKCE()
        .build();
    // endregion
  }

  static IdTokenResponse signIn(AuthorizationCodeFlow flow) throws Exception {
    // region: Google's oauth client
    AuthorizationCodeRequestUrl begin =
        flow.newAuthorizationUrl().setRedirectUri(REDIRECT_URI).setState("state");
    begin.set("resource", SCHOOL).set("nonce", "n1");
    // endregion
    URI address = callbackOf(begin.toURI(), TRIAL.student);
    AuthorizationCodeResponseUrl callback = new AuthorizationCodeResponseUrl(address.toString());
    if (callback.getError() != null) throw new Exception(callback.getErrorDescription());
    String code = callback.getCode();
    // region: Google's oauth client
    TokenRequest exchange = flow.newTokenRequest(code).setRedirectUri(REDIRECT_URI);
    return IdTokenResponse.execute(exchange.set("resource", SCHOOL));
    // endregion
  }

  public static void main(String[] args) {
    refusal("untold", () -> signIn(flowOf(new BasicAuthentication(CLIENT_ID, CLIENT_SECRET))));
    AuthorizationCodeFlow flow = flowOf(secret);
    IdTokenResponse tokens = step("signIn", () -> signIn(flow));
    step(
        "idToken",
        () -> {
          // region: Google's oauth client
          IdTokenVerifier verifier =
              new IdTokenVerifier.Builder()
                  .setIssuer(SCHOOL)
                  .setAudience(List.of(CLIENT_ID))
                  .setCertificatesLocation(SCHOOL + "/.well-known/jwks.json")
                  .build();
          // endregion
          IdToken token = tokens.parseIdToken();
          check(verifier.verifyOrThrow(token), "an ID token for another");
          check("n1".equals(token.getPayload().getNonce()), "another nonce");
          return token;
        });
    Credential credential =
        step(
            "refresh",
            () -> {
              Credential own = flow.createAndStoreCredential(tokens, null);
              check(own.refreshToken(), "not refreshed");
              check(
                  !own.getRefreshToken().equals(tokens.getRefreshToken()),
                  "the same refresh token");
              return own;
            });
    step(
        "userInfo",
        () -> {
          HttpRequestFactory requests = transport.createRequestFactory(credential);
          String answer =
              requests
                  .buildGetRequest(new GenericUrl(SCHOOL + "/api/oauth/userinfo"))
                  .execute()
                  .parseAsString();
          check(answer.contains("\"email\""), answer);
          return answer;
        });
    step(
        "call",
        () -> {
          HttpContent query =
              ByteArrayContent.fromString("application/json", "{\"query\":\"{ viewer { id } }\"}");
          HttpRequestFactory requests = transport.createRequestFactory(credential);
          return requests
              .buildPostRequest(new GenericUrl(SCHOOL + "/account/graphql"), query)
              .execute()
              .parseAsString();
        });
    step("revocation", () -> revokeByHand(credential.getRefreshToken()));
    refusal("refusal", () -> account(credential.getAccessToken()));
    refusal("refusal", () -> credential.refreshToken());
  }
}
