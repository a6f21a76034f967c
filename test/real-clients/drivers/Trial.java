import com.google.gson.Gson;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What the drivers in Java have in common: as `trial.mjs` for those of Node. */
class Trial {
  static final Gson JSON = new Gson();
  static final Trial TRIAL = JSON.fromJson(System.getenv("HALLPASS_TRIAL"), Trial.class);
  static final String SCHOOL = TRIAL.school;
  static final String REDIRECT_URI = TRIAL.redirectUri;
  static final String CLIENT_ID = TRIAL.id;
  static final String CLIENT_SECRET = TRIAL.secret;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  String school, people, clients, owner, student, redirectUri, resource, id, secret;
  int port;

  interface Work<T> {
    T run() throws Exception;
  }

  static void say(Map<String, ?> line) {
    System.out.println("STEP " + JSON.toJson(line));
  }

  /** Runs a step, and says how it went; `null` if it failed. */
  static <T> T step(String name, Work<T> work) {
    try {
      T value = work.run();
      say(Map.of("step", name, "ok", true));
      return value;
    } catch (Exception error) {
      say(Map.of("step", name, "ok", false, "words", words(error)));
      return null;
    }
  }

  /** Runs what has to be refused, and says with which words it was. */
  static void refusal(String name, Work<?> work) {
    try {
      say(Map.of("step", name, "ok", false, "words", "not refused: " + work.run()));
    } catch (Exception error) {
      say(Map.of("step", name, "ok", true, "words", words(error)));
    }
  }

  private static String words(Throwable error) {
    String text = "";
    for (Throwable at = error; at != null; at = at.getCause()) text += at + " | ";
    return text.replaceAll("\\s+", " ");
  }

  static String form(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(
            field ->
                field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> answer = HTTP.send(request.build(), BodyHandlers.ofString());
    if (answer.statusCode() >= 400)
      throw new Exception(
          answer.statusCode()
              + " "
              + answer.headers().map().get("www-authenticate")
              + " "
              + answer.body());
    return answer;
  }

  static HttpRequest.Builder to(String url) {
    return HttpRequest.newBuilder(URI.create(url));
  }

  private static String ask(String path, String url, String email) throws Exception {
    return send(to(TRIAL.people + path + "?" + form(Map.of("url", url, "email", email)))).body();
  }

  /** What the app gets once the person has been to this address. */
  static URI callbackOf(URI url, String email) throws Exception {
    return URI.create(ask("/callback", url.toString(), email));
  }

  /** What the last page says that the person sees. */
  static String follow(String url) throws Exception {
    Map<?, ?> page = JSON.fromJson(ask("/follow", url, TRIAL.student), Map.class);
    String html = (String) page.get("html");
    if ((Double) page.get("status") >= 400) throw new Exception(page.get("url") + " " + html);
    return html;
  }

  /** A call that a member allowed. */
  static Object account(String token) throws Exception {
    String query = "{\"query\":\"{ viewer { id } }\"}";
    HttpRequest.Builder request =
        to(SCHOOL + "/account/graphql").header("content-type", "application/json");
    return send(request
            .header("authorization", "Bearer " + token)
            .POST(BodyPublishers.ofString(query)))
        .body();
  }

  /** What a library leaves to its user. */
  static Object revokeByHand(String token) throws Exception {
    Map<String, String> fields =
        new LinkedHashMap<>(Map.of("token", token, "client_id", CLIENT_ID));
    if (CLIENT_SECRET != null) fields.put("client_secret", CLIENT_SECRET);
    HttpRequest.Builder request = to(SCHOOL + "/api/oauth/revoke");
    return send(request
            .header("content-type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form(fields))))
        .statusCode();
  }

  static void check(boolean isSo, String words) throws Exception {
    if (!isSo) throw new Exception(words);
  }
}
