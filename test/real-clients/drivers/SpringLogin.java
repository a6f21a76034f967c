import jakarta.servlet.http.*;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.*;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.*;
import org.springframework.security.oauth2.client.endpoint.*;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.registration.*;
import org.springframework.security.oauth2.client.web.*;
import org.springframework.security.oauth2.core.OAuth2AuthorizationException;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.JwtDecoderFactory;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.core.Authentication;
import org.springframework.web.bind.annotation.*;

/** The login of Spring Security, in an application of Spring Boot. */
@EnableAutoConfiguration
@Configuration(proxyBeanMethods = false)
@RestController
class SpringLogin extends Trial {
  /** Whether it is run with its settings. */
  static boolean isTold;

  @Bean
  ClientRegistrationRepository registrations() {
    // region: Spring Security
    ClientRegistration registration =
        ClientRegistrations.fromIssuerLocation(SCHOOL)
            .registrationId("school")
            .clientId(CLIENT_ID)
            .clientSecret(CLIENT_SECRET)
            .scope("openid", "profile", "email", "account:read")
            .build();
    return new InMemoryClientRegistrationRepository(registration);
    // endregion
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository registrations)
      throws Exception {
    http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated());
    if (!isTold) return http.oauth2Login(login -> login.failureHandler(SpringLogin::fail)).build();
    // region: Spring Security
    var resolver = new DefaultOAuth2AuthorizationRequestResolver(registrations);
    resolver.setAuthorizationRequestCustomizer(
        request -> request.additionalParameters(parameters -> parameters.put("resource", SCHOOL)));
    var exchange = new RestClientAuthorizationCodeTokenResponseClient();
    exchange.setParametersCustomizer(parameters -> parameters.set("resource", SCHOOL));
    http.oauth2Login(
        login ->
            login
                .authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(resolver))
                .tokenEndpoint(endpoint -> endpoint.accessTokenResponseClient(exchange)));
    // endregion
    return http.oauth2Login(login -> login.failureHandler(SpringLogin::fail)).build();
  }

  @Bean
  JwtDecoderFactory<ClientRegistration> idTokens() {
    if (!isTold) return new OidcIdTokenDecoderFactory();
    // region: Spring Security
    var factory = new OidcIdTokenDecoderFactory();
    factory.setJwsAlgorithmResolver(registration -> SignatureAlgorithm.ES256);
    return factory;
    // endregion
  }

  static void fail(HttpServletRequest request, HttpServletResponse response, Exception error)
      throws java.io.IOException {
    response.setStatus(401);
    response.getWriter().print(error.getMessage());
  }

  @GetMapping("/me")
  String me(
      @AuthenticationPrincipal OidcUser user, Authentication signedIn, HttpServletRequest request) {
    OAuth2AuthorizedClient client =
        bean(OAuth2AuthorizedClientRepository.class)
            .loadAuthorizedClient("school", signedIn, request);
    return JSON.toJson(
        Map.of(
            "subject", user.getIdToken().getSubject(),
            "email", user.getUserInfo().getEmail(),
            "token", client.getAccessToken().getTokenValue(),
            "refresh", client.getRefreshToken().getTokenValue()));
  }

  /** Refreshes, because it takes every access token for one that ends soon. */
  @GetMapping("/refresh")
  void refresh(Authentication signedIn, HttpServletRequest request, HttpServletResponse response)
      throws Exception {
    var manager =
        new DefaultOAuth2AuthorizedClientManager(
            bean(ClientRegistrationRepository.class), bean(OAuth2AuthorizedClientRepository.class));
    manager.setAuthorizedClientProvider(
        OAuth2AuthorizedClientProviderBuilder.builder()
            .refreshToken(refresh -> refresh.clockSkew(Duration.ofDays(1)))
            .build());
    try {
      manager.authorize(
          OAuth2AuthorizeRequest.withClientRegistrationId("school").principal(signedIn).build());
    } catch (OAuth2AuthorizationException error) {
      fail(request, response, error);
    }
  }

  static ConfigurableApplicationContext context;

  static <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  static Object start() {
    context =
        new SpringApplication(SpringLogin.class)
            .run(
                "--server.port=" + TRIAL.port,
                "--server.address=127.0.0.1",
                "--spring.main.banner-mode=off",
                "--logging.level.root=off",
                "--server.error.include-message=always");
    return context;
  }

  public static void main(String[] args) throws Exception {
    String site = "http://127.0.0.1:" + TRIAL.port;
    start();
    refusal("untold", () -> follow(site + "/me"));
    context.close();
    isTold = true;
    step("discovery", SpringLogin::start);
    Map<?, ?> me = step("signIn", () -> JSON.fromJson(follow(site + "/me"), Map.class));
    step("idToken", () -> me.get("subject").toString());
    step("userInfo", () -> me.get("email").toString());
    Map<?, ?> fresh =
        step(
            "refresh",
            () -> {
              follow(site + "/refresh");
              Map<?, ?> next = JSON.fromJson(follow(site + "/me"), Map.class);
              check(!next.get("refresh").equals(me.get("refresh")), "the same refresh token");
              return next;
            });
    step("call", () -> account((String) fresh.get("token")));
    step("revocation", () -> revokeByHand((String) fresh.get("refresh")));
    refusal("refusal", () -> account((String) fresh.get("token")));
    refusal("refusal", () -> follow(site + "/refresh"));
    context.close();
  }
}
