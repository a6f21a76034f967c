import static org.springframework.security.config.Customizer.withDefaults;

import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.*;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.server.authorization.client.*;
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

  @Bean
  RegisteredClientRepository clients() {
    RegisteredClient.Builder known =
        RegisteredClient.withId(UUID.randomUUID().toString())
            .clientId(CLIENT_ID)
            .clientSecret("{noop}" + CLIENT_SECRET)
            .redirectUri(REDIRECT_URI)
            .scope("openid");
    Stream.of("client_secret_basic", "client_secret_post", "private_key_jwt", "none")
        .map(ClientAuthenticationMethod::new)
        .forEach(known::clientAuthenticationMethod);
    Stream.of(
            "authorization_code",
            "refresh_token",
            "client_credentials",
            "urn:ietf:params:oauth:grant-type:device_code",
            "urn:ietf:params:oauth:grant-type:token-exchange")
        .map(AuthorizationGrantType::new)
        .forEach(known::authorizationGrantType);
    return new InMemoryRegisteredClientRepository(known.build());
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
