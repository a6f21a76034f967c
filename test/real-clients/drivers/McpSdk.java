import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.customizer.McpHttpClientTransportAuthorizationErrorHandler;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The MCP SDK for Java. It has no OAuth: the sign-in is the code of its user, called with a 401 or
 * a 403.
 */
class McpSdk extends Trial {
  static final String VERIFIER = "v".repeat(43);
  static final String CHALLENGE = "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM";

  String email, token, refreshToken, clientId, asked = "";

  McpSdk(String email) {
    this.email = email;
  }

  McpSyncClient connect() {
    // region: MCP SDK for Java
    var transport =
        HttpClientStreamableHttpTransport.builder(SCHOOL)
            .endpoint("/mcp")
            .httpRequestCustomizer(
                (request, method, address, body, context) -> {
                  if (token != null) request.setHeader("authorization", "Bearer " + token);
                })
            .authorizationErrorHandler(
                McpHttpClientTransportAuthorizationErrorHandler.fromSync(
                    (request, answer, context) -> signIn(answer)))
            .build();
    McpSyncClient client = McpClient.sync(transport).build();
    client.initialize();
    // endregion
    return client;
  }

  /** Does what the challenge asks for. Returns whether the request is sent again. */
  boolean signIn(ResponseInfo answer) {
    String challenge = answer.headers().firstValue("www-authenticate").orElse("");
    String scope = named(challenge, "scope");
    // The same challenge after a sign-in is a refusal.
    if (scope.isEmpty() || scope.equals(asked)) return false;
    asked = scope;
    try {
      Map<?, ?> resource = read(named(challenge, "resource_metadata"));
      Map<?, ?> metadata =
          read(
              ((List<?>) resource.get("authorization_servers")).get(0)
                  + "/.well-known/oauth-authorization-server");
      if (clientId == null)
        clientId =
            (String) register((String) metadata.get("registration_endpoint")).get("client_id");
      Map<String, String> begin =
          fields(
              "response_type",
              "code",
              "code_challenge",
              CHALLENGE,
              "code_challenge_method",
              "S256",
              "state",
              "s",
              "resource",
              (String) resource.get("resource"));
      begin.put("scope", scope);
      URI callback =
          callbackOf(URI.create(metadata.get("authorization_endpoint") + "?" + form(begin)), email);
      Matcher code = Pattern.compile("[?&]code=([^&]+)").matcher(callback.toString());
      check(code.find(), callback.toString());
      keep(
          post(
              (String) metadata.get("token_endpoint"),
              fields(
                  "grant_type",
                  "authorization_code",
                  "code",
                  code.group(1),
                  "code_verifier",
                  VERIFIER,
                  "resource",
                  begin.get("resource"))));
      return true;
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  void keep(Map<?, ?> tokens) {
    token = (String) tokens.get("access_token");
    refreshToken = (String) tokens.get("refresh_token");
  }

  Map<String, String> fields(String... pairs) {
    Map<String, String> all =
        new LinkedHashMap<>(Map.of("client_id", clientId, "redirect_uri", REDIRECT_URI));
    for (int at = 0; at < pairs.length; at += 2) all.put(pairs[at], pairs[at + 1]);
    return all;
  }

  static String named(String challenge, String name) {
    Matcher found = Pattern.compile(name + "=\"([^\"]*)\"").matcher(challenge);
    return found.find() ? found.group(1) : "";
  }

  static Map<?, ?> read(String url) throws Exception {
    return JSON.fromJson(send(to(url)).body(), Map.class);
  }

  static Map<?, ?> post(String url, Map<String, String> fields) throws Exception {
    var request = to(url).header("content-type", "application/x-www-form-urlencoded");
    String body = send(request.POST(BodyPublishers.ofString(form(fields)))).body();
    return body.isEmpty() ? Map.of() : JSON.fromJson(body, Map.class);
  }

  static Map<?, ?> register(String url) throws Exception {
    String own =
        JSON.toJson(
            Map.of(
                "client_name",
                "Trial",
                "redirect_uris",
                List.of(REDIRECT_URI),
                "token_endpoint_auth_method",
                "none"));
    Map<?, ?> known =
        JSON.fromJson(
            send(to(url)
                    .header("content-type", "application/json")
                    .POST(BodyPublishers.ofString(own)))
                .body(),
            Map.class);
    say(Map.of("clientId", known.get("client_id")));
    return known;
  }

  static Object call(McpSyncClient client, String tool) throws Exception {
    var result = client.callTool(CallToolRequest.builder(tool).arguments(Map.of()).build());
    check(!Boolean.TRUE.equals(result.isError()), result.toString());
    return result;
  }

  public static void main(String[] args) throws Exception {
    McpSdk owner = new McpSdk(TRIAL.owner);
    McpSyncClient client = step("discovery", owner::connect);
    int anonymous = client.listTools().tools().size();
    step("signIn", () -> call(client, "list_orders"));
    step(
        "call",
        () -> {
          check(owner.token != null, "no token");
          return call(client, "list_orders");
        });
    say(
        Map.of(
            "tools", Map.of("anonymous", anonymous, "owner", client.listTools().tools().size())));
    step(
        "refresh",
        () -> {
          String before = owner.refreshToken;
          owner.keep(
              post(
                  SCHOOL + "/api/oauth/token",
                  Map.of(
                      "grant_type",
                      "refresh_token",
                      "refresh_token",
                      before,
                      "client_id",
                      owner.clientId)));
          check(!before.equals(owner.refreshToken), "the same refresh token");
          return call(client, "list_orders");
        });
    step(
        "revocation",
        () ->
            post(
                SCHOOL + "/api/oauth/revoke",
                Map.of("token", owner.refreshToken, "client_id", owner.clientId)));
    refusal("refusal", () -> call(client, "list_orders"));
    client.close();
    System.exit(0);
  }
}
