import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.*;
import org.springframework.http.RequestEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.*;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.client.RestTemplate;

/**
 * A resource server of Spring Security, which asks the school about each token. It runs until it is
 * ended.
 */
@EnableAutoConfiguration
@Configuration(proxyBeanMethods = false)
@RestController
class SpringResource extends Trial {
  static final String RESOURCE = TRIAL.resource;

  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests -> requests.anyRequest().hasAuthority("SCOPE_courses:read"))
        .oauth2ResourceServer(server -> server.opaqueToken(token -> {}))
        .build();
  }

  @Bean
  OpaqueTokenIntrospector introspector() {
    // region: Spring Security (resource server)
    String address = SCHOOL + "/api/oauth/introspect";
    var introspector = new SpringOpaqueTokenIntrospector(address, new RestTemplate());
    introspector.setRequestEntityConverter(
        token -> {
          var form = new LinkedMultiValueMap<String, String>();
          form.setAll(
              Map.of("token", token, "client_id", CLIENT_ID, "client_secret", CLIENT_SECRET));
          return RequestEntity.post(address).body(form);
        });
    return token -> {
      OAuth2AuthenticatedPrincipal access = introspector.introspect(token);
      List<String> audience = access.getAttribute("aud");
      if (!audience.contains(RESOURCE))
        throw new BadOpaqueTokenException("It is for another resource");
      return access;
    };
    // endregion
  }

  @GetMapping("/")
  String who(@AuthenticationPrincipal OAuth2AuthenticatedPrincipal access) {
    return access.getAttribute("sub");
  }

  public static void main(String[] args) {
    new SpringApplication(SpringResource.class)
        .run(
            "--server.port=" + TRIAL.port,
            "--server.address=127.0.0.1",
            "--spring.main.banner-mode=off");
    System.out.println("it listens");
  }
}
