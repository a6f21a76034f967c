import static org.springframework.security.config.Customizer.withDefaults;

import com.google.gson.reflect.TypeToken;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.*;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.server.authorization.client.*;
import org.springframework.security.oauth2.server.authorization.settings.ClientSettings;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Spring Authorization Server, with every endpoint on that its documentation has. It runs until it
 * is ended.
 */
@EnableAutoConfiguration
@Configuration(proxyBeanMethods = false)
class SpringServer extends Trial {
  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http.oauth2AuthorizationServer(
            server ->
                server
                    // It accepts `none` from a client that has no secret, but does not list it.
                    .authorizationServerMetadataEndpoint(
                        endpoint ->
                            endpoint.authorizationServerMetadataCustomizer(
                                metadata -> metadata.tokenEndpointAuthenticationMethod("none")))
                    .oidc(oidc -> oidc.clientRegistrationEndpoint(withDefaults()))
                    .clientRegistrationEndpoint(endpoint -> endpoint.openRegistrationAllowed(true))
                    .deviceAuthorizationEndpoint(withDefaults())
                    .deviceVerificationEndpoint(withDefaults())
                    .pushedAuthorizationRequestEndpoint(withDefaults()))
        .authorizeHttpRequests(
            requests ->
                requests
                    .requestMatchers("/oauth2/register")
                    .permitAll()
                    .anyRequest()
                    .authenticated())
        .formLogin(withDefaults())
        .build();
  }

  private static List<Map<String, String>> rowsOf(String json) {
    return JSON.fromJson(json, new TypeToken<List<Map<String, String>>>() {}.getType());
  }

  @Bean
  UserDetailsService users() {
    List<Map<String, String>> people = TRIAL.people == null ? List.of() : rowsOf(TRIAL.people);
    return new InMemoryUserDetailsManager(
        people.stream()
            .map(
                one ->
                    User.withUsername(one.get("email"))
                        .password("{noop}" + one.get("password"))
                        .roles("USER")
                        .build())
            .toArray(UserDetails[]::new));
  }

  /** The clients that a person is asked about, each with one way to authenticate; else one with all. */
  @Bean
  RegisteredClientRepository clients() {
    if (TRIAL.clients == null)
      return new InMemoryRegisteredClientRepository(
          client(CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, false)
              .clientAuthenticationMethod(new ClientAuthenticationMethod("private_key_jwt"))
              .clientAuthenticationMethod(ClientAuthenticationMethod.NONE)
              .build());
    return new InMemoryRegisteredClientRepository(
        rowsOf(TRIAL.clients).stream()
            .map(
                one ->
                    client(
                            one.get("client_id"),
                            one.get("client_secret"),
                            one.get("redirect_uri"),
                            true)
                        .build())
            .toArray(RegisteredClient[]::new));
  }

  private static RegisteredClient.Builder client(
      String id, String secret, String redirectUri, boolean asks) {
    RegisteredClient.Builder known =
        RegisteredClient.withId(UUID.randomUUID().toString())
            .clientId(id)
            .redirectUri(redirectUri)
            .scope("openid")
            .scope("profile")
            .clientSettings(
                ClientSettings.builder()
                    .requireProofKey(asks)
                    .requireAuthorizationConsent(asks)
                    .build());
    if (secret == null) known.clientAuthenticationMethod(ClientAuthenticationMethod.NONE);
    else
      known
          .clientSecret("{noop}" + secret)
          .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
          .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_POST);
    Stream.of(
            "authorization_code",
            "refresh_token",
            "client_credentials",
            "urn:ietf:params:oauth:grant-type:device_code",
            "urn:ietf:params:oauth:grant-type:token-exchange")
        .map(AuthorizationGrantType::new)
        .forEach(known::authorizationGrantType);
    return known;
  }

  public static void main(String[] args) {
    new SpringApplication(SpringServer.class)
        .run(
            "--server.port=" + TRIAL.port,
            "--server.address=127.0.0.1",
            "--spring.main.banner-mode=off");
    System.out.println("it listens");
  }
}
