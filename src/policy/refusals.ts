/**
 * Every refusal: first by the OAuth error code that the client receives, then by its exact reason.
 * The types below, `docs/look-up/errors.md` and the errors of `/auth.md` follow from this table. No
 * other list of refusals exists.
 *
 * `meaning` explains the reason, and `advice` says how to fix it. `source` names the specification that requires
 * the refusal, or `hallpass` for a choice of this project. `turn` says who has to act, and for whom the texts are: a
 * `manager` or a `person` reads no code. What the programmers of the site have to know follows `Host application:` in
 * `advice`; the record of an attempt leaves it out. `at` names the endpoints that refuse with it, of an error that many
 * endpoints have.
 * CIMD is draft-ietf-oauth-client-id-metadata-document-02.
 *
 * @see [RFC 6749, section 4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1)
 * @see [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)
 * @see [RFC 6750, section 3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1)
 * @see [RFC 7591, section 3.2.2](https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2)
 * @see [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707#section-2)
 * @see [OpenID Connect Core, section 3.1.2.6](https://openid.net/specs/openid-connect-core-1_0.html#AuthError)
 */
export const REFUSALS = {
  access_denied: {
    person_denied: {
      meaning: 'The person pressed Cancel.',
      advice: 'Nothing to fix. The person can start again from the app.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'person',
    },
    person_has_no_role: {
      meaning: 'The person has no role at the site, or none that the site knows.',
      advice:
        'Give the person a role. Host application: `findPerson` returns no role that the role table contains.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'manager',
    },
    person_suspended: {
      meaning:
        'The account that is signed in was deleted or suspended, and the sign-in page leads back with the same account.',
      advice:
        'Nothing, if that is right. Host application: `findPerson` returned `null` for the subject that `currentPerson` returned. Show the cause `suspended` on your sign-in page.',
      source: 'hallpass',
      turn: 'manager',
    },
    person_not_staff: {
      meaning: 'The app is for staff, and the person has no role of the staff.',
      advice:
        'Sign in with a staff account, or use an app for members. Host application: this is an operator client.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'person',
    },
    person_may_not_manage: {
      meaning: "Client management: the person's role does not include it.",
      advice:
        'Use an account whose role does. Host application: none of its roles has `managesClients`.',
      source: 'hallpass',
      turn: 'person',
    },
    member_clients_off: {
      meaning:
        'Client management: apps of members are switched off at this site, so none can be created.',
      advice:
        'Switch them on first. Host application: the option `memberClients` returned `false`.',
      source: 'service description',
      turn: 'manager',
    },
    interaction_of_other_browser: {
      meaning: 'The page was opened in a different browser from the one that started the request.',
      advice: 'Start again from the app. If it happens again, the browser does not keep cookies.',
      source: 'RFC 9700 §4.7',
      turn: 'person',
    },
    grant_not_of_person: {
      meaning:
        'The link to allow more was opened by another person than the one who connected the app, or the app is no longer connected.',
      advice:
        'Sign in as that person, or connect the app again. Host application: the link is a step-up link.',
      source: 'hallpass',
      turn: 'person',
    },
    csrf_token_mismatch: {
      meaning:
        'The consent form is out of date, belongs to another person, or was sent from another site.',
      advice:
        'Start again from the app. Host application: return `csrf_token` exactly as the view contained it.',
      source: 'RFC 6749 §10.12',
      turn: 'person',
    },
  },
  consent_required: {
    consent_missing: {
      meaning:
        'No remembered consent covers this request. A client also receives this error if the role of the person is not sufficient; `onRefusal` then receives that reason.',
      advice: 'Send the request again without `prompt=none`.',
      source: 'OpenID Connect Core §3.1.2.6',
      turn: 'client',
    },
  },
  insufficient_scope: {
    scope_not_granted: {
      meaning: 'The access token does not have a scope that the request needs.',
      advice: 'Client: authorize again with the scopes of the challenge.',
      source: 'RFC 6750 §3.1',
      turn: 'client',
    },
    scope_beyond_client: {
      meaning: 'The app may not use a permission that the request needs.',
      advice:
        'Allow the app this permission, or use another app. Host application: the challenge names no scope, because a new authorization does not help. A client of the other audience may have it.',
      source: 'RFC 6750 §3.1',
      turn: 'manager',
    },
    scope_beyond_role: {
      meaning:
        "None of the person's current roles allows what the request needs, whatever the app was allowed.",
      advice:
        'Give the person a role that allows it, or use another account. To connect again as the same person does not help.',
      source: 'RFC 6750 §3.1',
      turn: 'manager',
    },
    tool_of_other_audience: {
      meaning:
        'A member client called a tool for operators, or an operator client a tool for members.',
      advice: 'Use a client of the other audience. No scope gives this client access to the tool.',
      source: 'service description',
      turn: 'client',
    },
  },
  invalid_client: {
    client_unknown: {
      meaning: 'No client has this `client_id`.',
      advice:
        'Register again. What was not used within seven days of its registration is removed. Host application: `purge` does that.',
      source: 'RFC 6749 §5.2',
      turn: 'client',
    },
    client_disabled: {
      meaning: 'The app is turned off.',
      advice: 'Turn it on.',
      source: 'RFC 6749 §5.2',
      turn: 'manager',
    },
    client_blocked: {
      meaning:
        'The app identifies itself with a web address, and a manager blocked it. Everyone was disconnected.',
      advice:
        'Unblock it. Then connect it again. Host application: the client has a client metadata document, and its grants were revoked.',
      source: 'RFC 6749 §5.2',
      turn: 'manager',
    },
    client_ended: {
      meaning: 'The time for which the site lets this app connect is over.',
      advice:
        'Set a later end. Connections that have not ended themselves then work again. Host application: the client has reached its `endsAt`.',
      source: 'hallpass',
      turn: 'manager',
    },
    member_clients_off: {
      meaning: 'The site does not let apps of members connect at present.',
      advice:
        'Switch apps of members on. All of them then work again. Host application: the option `memberClients` returned `false`.',
      source: 'service description',
      turn: 'manager',
    },
    client_auth_method_not_supported: {
      meaning:
        'The request has an `Authorization` header that the server does not read, such as HTTP Basic without `clientSecretBasic`.',
      advice:
        'Send `client_id` and `client_secret` in the form. Host application: or accept HTTP Basic with `clientSecretBasic` in `blocks`.',
      source: 'RFC 6749 §5.2',
      turn: 'client',
    },
    client_auth_method_mismatch: {
      meaning:
        'The client authenticates in another way than its `token_endpoint_auth_method` says.',
      advice:
        'Use the method of the client. Host application: a client with `private_key_jwt` needs `privateKeyJwt` in `blocks`.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    client_secret_missing: {
      meaning: 'A confidential client sent no secret.',
      advice: 'Send `client_secret` in the form.',
      source: 'RFC 6749 §2.3.1',
      turn: 'client',
    },
    client_secret_mismatch: {
      meaning: 'The secret is wrong or has expired.',
      advice: 'Send the current secret. During a rotation, the previous one is valid as well.',
      source: 'RFC 6749 §2.3.1',
      turn: 'client',
    },
    client_secret_unexpected: {
      meaning: 'A public client sent a secret.',
      advice: 'Leave the secret out, or register with `client_secret_post`.',
      source: 'RFC 6749 §5.2',
      turn: 'client',
    },
    client_not_confidential: {
      meaning: 'A public client called the introspection endpoint.',
      advice: 'Call UserInfo, or use the token directly. Introspection requires a client secret.',
      source: 'RFC 7662 §2.1',
      turn: 'client',
    },
    documents_not_supported: {
      meaning: 'The `client_id` is a URL, but the site has no `documents` option.',
      advice: 'Register the client, or configure `documents`.',
      source: 'hallpass',
      turn: 'developer',
    },
    document_unavailable: {
      meaning:
        'The client metadata document could not be fetched, and there is no copy from the last 7 days. The event `oauth.client.cimd.fetch_failed` has the cause.',
      advice:
        'Publish the document so that a request without redirects gets status 200. Host application: pin the document.',
      source: 'CIMD §4',
      turn: 'client',
    },
    document_url_malformed: {
      meaning:
        'The URL is not https with a lower-case host and a path, or it has a fragment, user information, dot segments, `:443`, or characters that a URL parser would change.',
      advice: 'Publish the document under a URL without these, and send exactly that URL.',
      source: 'CIMD §3',
      turn: 'client',
    },
    document_host_not_public: {
      meaning: 'The host is an IP address, a single label, or a name of a local network.',
      advice: 'Serve the document from a public domain name.',
      source: 'CIMD §6.5',
      turn: 'client',
    },
    document_port_not_allowed: {
      meaning: 'The port is not one of the configured `ports` (443).',
      advice: 'Use port 443. Host application: add the port.',
      source: 'CIMD §6.5',
      turn: 'client',
    },
    document_host_not_allowed: {
      meaning:
        'The app identifies itself with a web address, and the site does not accept its host. The address was not opened.',
      advice:
        'Allow the host, if you know who runs it. Host application: add it to `allowedHosts`, or switch on `openRegistration`.',
      source: 'hallpass',
      turn: 'manager',
    },
    document_status_not_200: {
      meaning: 'The host responded with a status other than 200. Redirects are not followed.',
      advice:
        'Serve the document with status 200 at its own URL. Host application: pin the document.',
      source: 'CIMD §4',
      turn: 'client',
    },
    document_content_encoding_not_identity: {
      meaning: 'The response is compressed, although the request asked for identity encoding.',
      advice: 'Serve the document without compression.',
      source: 'hallpass',
      turn: 'client',
    },
    document_media_type_not_json: {
      meaning:
        'The media type is neither `application/json` nor `application/…+json`, or the charset is not UTF-8.',
      advice: 'Correct `Content-Type`.',
      source: 'CIMD §4',
      turn: 'client',
    },
    document_not_an_object: {
      meaning: 'The content is not a JSON object.',
      advice: 'Serve one JSON object.',
      source: 'CIMD §4',
      turn: 'client',
    },
    document_client_id_mismatch: {
      meaning: 'The member `client_id` is not equal to the URL, byte for byte.',
      advice: 'Set `client_id` to exactly the URL of the document.',
      source: 'CIMD §4',
      turn: 'client',
    },
    document_name_malformed: {
      meaning:
        '`client_name` is missing or blank, has more than 100 characters or more than 4 marks on one letter, or contains invisible or control characters.',
      advice: 'Publish a `client_name` of 1 to 100 printable characters.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    document_name_resembles_vendor: {
      meaning:
        'The name resembles that of the site, or of a configured vendor that has no https redirect URI on this host.',
      advice:
        "Choose another name. Host application: if the document is the vendor's, add its redirect URI to the vendor.",
      source: 'hallpass',
      turn: 'client',
    },
    document_redirect_uris_malformed: {
      meaning: '`redirect_uris` is not an array of 1 to 10 strings.',
      advice: 'Correct the list.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    document_redirect_uri_malformed: {
      meaning:
        'A redirect URI is not absolute, or it has a fragment, dot segments or response parameters.',
      advice: 'Correct the URI.',
      source: 'OAuth 2.1 §2.3.1',
      turn: 'client',
    },
    document_redirect_uri_of_other_host: {
      meaning:
        "A redirect URI is neither a loopback address nor https on the document's own host and port.",
      advice: 'Serve the document from the host that receives the redirect.',
      source: 'hallpass',
      turn: 'client',
    },
    document_secret_published: {
      meaning:
        'The document contains `client_secret`, `client_secret_expires_at`, or a private key in `jwks`.',
      advice: 'Remove it, and replace the secret or key, since everyone could read it.',
      source: 'CIMD §4',
      turn: 'client',
    },
    document_auth_method_not_supported: {
      meaning:
        '`token_endpoint_auth_method` is not `none`, and `token_endpoint_auth_methods_supported` does not list it.',
      advice: 'List `none` in either member.',
      source: 'CIMD §4',
      turn: 'client',
    },
    document_grant_types_not_supported: {
      meaning:
        '`grant_types` contains neither `authorization_code` nor a grant of this server that redirects nowhere.',
      advice: 'Add the one that the client uses.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    document_response_types_not_supported: {
      meaning: '`response_types` does not contain `code`.',
      advice: 'Add it.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    document_link_malformed: {
      meaning:
        'A link is not an http or https URL of at most 2,048 characters, or has a user name and password.',
      advice: 'Correct the link, or leave it out.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    document_contacts_malformed: {
      meaning:
        '`contacts` is not an array of at most five strings, each of at most 256 printable characters.',
      advice: 'Correct the contacts, or leave them out.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
  },
  invalid_client_metadata: {
    json_malformed: {
      meaning: 'The body is not JSON.',
      advice: 'Send one JSON object.',
      source: 'RFC 7591 §3.1',
      turn: 'client',
    },
    json_key_repeated: {
      meaning: 'The body contains a member name twice.',
      advice: 'Send each member once.',
      source: 'RFC 8259 §4',
      turn: 'client',
    },
    metadata_not_an_object: {
      meaning: 'The body is JSON, but not an object.',
      advice: 'Send one JSON object.',
      source: 'RFC 7591 §3.1',
      turn: 'client',
    },
    client_name_malformed: {
      meaning:
        '`client_name` is not a string, has more than 100 characters or more than 4 marks on one letter, or contains invisible or control characters.',
      advice: 'Send a name of at most 100 printable characters.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    client_name_not_a_vendor: {
      meaning: 'The request has no redirect URIs, and the name is not that of a configured vendor.',
      advice: 'Send loopback `redirect_uris`. Host application: add the vendor to `vendors`.',
      source: 'service description',
      turn: 'developer',
    },
    auth_method_not_supported: {
      meaning:
        '`token_endpoint_auth_method` is neither `none` nor `client_secret_post`, nor `client_secret_basic` at a server with `clientSecretBasic`.',
      advice: 'Send one of these.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    application_type_mismatch: {
      meaning: 'The request combines loopback addresses with another value than `native`.',
      advice: 'Send `native`, or leave `application_type` out.',
      source: 'OpenID Connect Registration §2',
      turn: 'client',
    },
    grant_types_not_supported: {
      meaning:
        '`grant_types` is present without `authorization_code`, or a grant that redirects nowhere and that this server registers.',
      advice: 'Add it, or leave the member out.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    response_types_not_supported: {
      meaning: '`response_types` is present without `code`.',
      advice: 'Add it, or leave the member out.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    metadata_value_not_supported: {
      meaning:
        'A member on which the client relies, such as `id_token_signed_response_alg`, has another value than the server has for every client.',
      advice: 'Send the value that the description names, or leave the member out.',
      source: 'OpenID Connect Registration §2',
      turn: 'client',
    },
    link_malformed: {
      meaning:
        '`client_uri`, `logo_uri`, `tos_uri`, `policy_uri` or `jwks_uri` is not an http or https URL of at most 2,048 characters, or has a user name and password.',
      advice: 'Correct the URL, or leave it out.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    contacts_malformed: {
      meaning:
        '`contacts` is not an array of at most five strings, each of at most 256 printable characters.',
      advice: 'Correct the contacts, or leave them out.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    logo_absent: {
      meaning: 'Logo of a client: the client has no `logo_uri`.',
      advice: 'Show the client without a logo.',
      source: 'RFC 7591 §2',
      turn: 'client',
    },
    logo_not_reviewed: {
      meaning:
        'Logo of an app: no one has reviewed the app, or its links have changed since its review.',
      advice: 'Review the app first.',
      source: 'hallpass',
      turn: 'manager',
    },
    logo_url_not_allowed: {
      meaning:
        'Logo of a client: `logo_uri` is not an https URL of a public host on port 443, as a URL parser returns it.',
      advice: 'Show the client without a logo.',
      source: 'CIMD §6.5',
      turn: 'client',
    },
    logo_unavailable: {
      meaning:
        'Logo of a client: the host did not respond with 200 and an image in time. A redirect is not followed.',
      advice: 'Review the client again later, or show it without a logo.',
      source: 'CIMD §6.5',
      turn: 'client',
    },
    logo_malformed: {
      meaning:
        'Logo of a client: the content is not a still PNG, JPEG or WebP image, or its `Content-Type` names another type.',
      advice: 'Show the client without a logo.',
      source: 'hallpass',
      turn: 'client',
    },
    logo_too_large: {
      meaning:
        'Logo of a client: the image has more than 60,000 bytes, or a side of more than 1,024 pixels.',
      advice: 'Show the client without a logo.',
      source: 'hallpass',
      turn: 'client',
    },
    name_malformed: {
      meaning:
        'Client management: the name is blank, has more than 100 characters, or contains invisible or control characters.',
      advice: 'Enter a name of 1 to 100 printable characters.',
      source: 'hallpass',
      turn: 'manager',
    },
    description_malformed: {
      meaning:
        'Client management: the description has more than 300 characters, or contains invisible or control characters.',
      advice: 'Enter at most 300 printable characters.',
      source: 'hallpass',
      turn: 'manager',
    },
    icon_malformed: {
      meaning:
        'Client management: the icon is not a name of at most 64 lower-case letters, digits and hyphens.',
      advice: 'Choose one of the icons.',
      source: 'hallpass',
      turn: 'manager',
    },
    redirect_uris_missing: {
      meaning: 'Client management: there is no redirect address.',
      advice: 'Enter at least one.',
      source: 'RFC 6749 §3.1.2.2',
      turn: 'manager',
    },
    redirect_uris_too_many: {
      meaning: 'Client management: there are more than ten redirect addresses.',
      advice: 'Enter at most ten.',
      source: 'hallpass',
      turn: 'manager',
    },
    redirect_uri_malformed: {
      meaning:
        'Client management: a redirect URI is not absolute, or it has a fragment, dot segments or response parameters.',
      advice: 'Correct the URI.',
      source: 'OAuth 2.1 §2.3.1',
      turn: 'client',
    },
    redirect_uri_not_allowed: {
      meaning:
        "Client management: a redirect address begins neither with https nor with an app's own scheme, and is not on this computer.",
      advice:
        'Use one of the three. Host application: `appSchemes` allows further schemes without a dot.',
      source: 'RFC 8252 §7',
      turn: 'manager',
    },
    keys_malformed: {
      meaning:
        'Client management: what was entered are neither public keys nor an address from which they can be fetched.',
      advice:
        'Enter an https address on the public internet, or the public keys. Host application: `documents` of the site fetches addresses, and `blocks` needs `privateKeyJwt`.',
      source: 'RFC 7591 §2',
      turn: 'manager',
    },
    scopes_missing: {
      meaning: 'Client management: no permission was chosen.',
      advice: 'Choose at least one.',
      source: 'hallpass',
      turn: 'manager',
    },
    scope_unknown: {
      meaning: 'Client management: the scope is not in the scope table.',
      advice: 'Choose a scope from the table.',
      source: 'hallpass',
      turn: 'client',
    },
    scope_of_other_audience: {
      meaning: 'Client management: the scope is not a member scope.',
      advice: 'Choose only member scopes.',
      source: 'hallpass',
      turn: 'client',
    },
  },
  invalid_grant: {
    code_unknown: {
      meaning: 'No authorization code of this site matches.',
      advice:
        'Check which site issued the code. Host application: `purge` removes codes a day after they expire.',
      source: 'RFC 6749 §5.2',
      turn: 'client',
    },
    code_expired: {
      meaning: 'The code is older than `codeSeconds` (60).',
      advice: 'Exchange the code immediately.',
      source: 'RFC 6749 §4.1.2',
      turn: 'client',
    },
    code_of_other_client: {
      meaning: 'The code was issued to another client. It remains valid for that client.',
      advice:
        'Client: send your own `client_id`. Many of these mean that someone is trying stolen codes.',
      source: 'RFC 6749 §5.2',
      turn: 'client',
    },
    code_bound: {
      meaning:
        'The authorization request named a key, and the exchange does not prove that it has this key. The code remains valid for who has it.',
      advice:
        'Send a proof of the same key. Many of these mean that someone is trying stolen codes.',
      source: 'RFC 9449 §10',
      turn: 'client',
    },
    redirect_uri_mismatch: {
      meaning:
        '`redirect_uri` is not equal to that of the authorization request, character by character.',
      advice: 'Repeat it exactly, including the port.',
      source: 'RFC 6749 §4.1.3',
      turn: 'client',
    },
    code_verifier_missing: {
      meaning: '`code_verifier` is missing.',
      advice: 'Send the verifier from which the challenge was made.',
      source: 'RFC 7636 §4.6',
      turn: 'client',
    },
    code_verifier_mismatch: {
      meaning: 'The code verifier does not match the code challenge.',
      advice: 'Keep one verifier for each authorization request.',
      source: 'RFC 7636 §4.6',
      turn: 'client',
    },
    code_challenge_lost: {
      meaning: 'The stored code challenge is not valid: the store lost or changed it.',
      advice: 'Host application: run the store contract.',
      source: 'RFC 7636 §4.6',
      turn: 'developer',
    },
    code_replayed: {
      meaning:
        'The client that owns the code had used it more than five seconds before. The grant is revoked.',
      advice: 'Authorize again, and find out what sent the code twice.',
      source: 'RFC 6749 §4.1.2',
      turn: 'client',
    },
    code_lost_race: {
      meaning:
        'Another request of the client exchanged the code at the same time, or at most five seconds before. Nothing is revoked.',
      advice: 'Send the exchange once.',
      source: 'RFC 6749 §4.1.2',
      turn: 'nobody',
    },
    resource_mismatch: {
      meaning: '`resource` is not the resource of the code or grant.',
      advice: 'Repeat the value of the authorization request. At refresh it may be left out.',
      source: 'RFC 8707 §2.2',
      turn: 'client',
    },
    refresh_token_unknown: {
      meaning: 'No refresh token of this site matches.',
      advice: 'Authorize again. Access tokens cannot be used to refresh.',
      source: 'RFC 6749 §5.2',
      turn: 'client',
    },
    refresh_token_of_other_client: {
      meaning: 'The refresh token was issued to another client. Nothing is revoked.',
      advice: 'Client: send your own `client_id`.',
      source: 'RFC 6749 §5.2',
      turn: 'client',
    },
    refresh_token_bound: {
      meaning:
        'The grant is bound to a key, and the request does not prove that it has it: it has no proof, or that of another key. Nothing is revoked.',
      advice:
        'Send a proof of the key with which the code was exchanged; a confidential client may use another. Many of these mean that someone is trying stolen tokens.',
      source: 'RFC 9449 §5',
      turn: 'client',
    },
    refresh_token_not_bound: {
      meaning:
        'The request proves that it has a key, but the grant of this public client is bound to none. Nothing is revoked.',
      advice: 'Authorize again, with a proof at the exchange of the code.',
      source: 'RFC 9449 §5',
      turn: 'client',
    },
    refresh_token_expired: {
      meaning: 'The refresh token was not used for longer than `refreshIdleSeconds` (30 days).',
      advice: 'Authorize again.',
      source: 'RFC 9700 §4.14.2',
      turn: 'client',
    },
    refresh_token_reused: {
      meaning:
        'The refresh token was used again later than the refresh policy of the client allows. The grant is revoked.',
      advice:
        'Authorize again. Two parties had the token: see the event `oauth.grant.reuse_detected`.',
      source: 'RFC 9700 §4.14.2',
      turn: 'client',
    },
    refresh_token_stale: {
      meaning:
        'Newer tokens have replaced the refresh token, and the refresh policy neither gives them out nor ends the grant.',
      advice: 'Client: read the newest token where your other processes store it.',
      source: 'hallpass',
      turn: 'client',
    },
    refresh_retry_differs: {
      meaning: 'The request was repeated, but with other scopes than the first time.',
      advice: 'Repeat the request unchanged.',
      source: 'hallpass',
      turn: 'client',
    },
    refresh_token_lost_race: {
      meaning: 'Both attempts to rotate the token failed, because another request committed first.',
      advice: 'Send one refresh request at a time.',
      source: 'hallpass',
      turn: 'nobody',
    },
    grant_revoked: {
      meaning: 'The grant was revoked by the client, after a replay, or by the host application.',
      advice: 'Authorize again.',
      source: 'RFC 7009 §2.1',
      turn: 'client',
    },
    grant_expired: {
      meaning:
        'The grant has reached its end: the one that the person chose, or that of `grantSeconds` (180 days).',
      advice: 'Authorize again.',
      source: 'hallpass',
      turn: 'client',
    },
    person_gone: {
      meaning: 'The account was deleted or suspended, or the site no longer finds it.',
      advice: 'Nothing, if that is right. Host application: `findPerson` returned `null`.',
      source: 'hallpass',
      turn: 'manager',
    },
    person_has_no_role: {
      meaning: 'The person no longer has any role at the site.',
      advice:
        'Give the person a role. Host application: `findPerson` returns no role that the role table contains.',
      source: 'hallpass',
      turn: 'manager',
    },
    person_not_staff: {
      meaning: 'The app is for staff, and the person no longer has a role of the staff.',
      advice: 'Connect with a staff account. Host application: this is an operator client.',
      source: 'hallpass',
      turn: 'person',
    },
  },
  invalid_redirect_uri: {
    redirect_uris_malformed: {
      meaning: '`redirect_uris` is not an array of at most ten strings.',
      advice: 'Send an array of at most ten strings.',
      source: 'RFC 7591 §3.2.2',
      turn: 'client',
    },
    redirect_uri_malformed: {
      meaning:
        'A redirect URI has a fragment, dot segments, a response parameter, more than 2048 characters, or characters that RFC 3986 does not allow.',
      advice: 'Send an absolute URI without these.',
      source: 'OAuth 2.1 §2.3.1',
      turn: 'client',
    },
    redirect_uri_not_loopback: {
      meaning:
        'A redirect URI is not `http://` with a loopback host, at most a port, and a path, and the request is not from a configured vendor.',
      advice: 'Register `http://127.0.0.1:<port>/<path>`.',
      source: 'service description',
      turn: 'client',
    },
  },
  invalid_request: {
    parameter_repeated: {
      at: 'everywhere',
      meaning: 'A parameter was sent more than once.',
      advice: 'Send each parameter once. Only `resource` may be repeated.',
      source: 'RFC 6749 §3.1',
      turn: 'client',
    },
    client_id_missing: {
      at: 'authorize, token, revoke, introspect',
      meaning: '`client_id` is missing.',
      advice: 'Send it.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'client',
    },
    redirect_uri_missing: {
      at: 'authorize, token',
      meaning: '`redirect_uri` is missing.',
      advice: 'Send it, even if the client registered only one.',
      source: 'RFC 6749 §3.1.2.3',
      turn: 'client',
    },
    redirect_uri_not_registered: {
      at: 'authorize',
      meaning:
        '`redirect_uri` is not equal to a registered one, character by character. Only the port of a loopback address may differ. Shown on a page.',
      advice: 'Send a registered redirect URI, or register this one.',
      source: 'RFC 6749 §3.1.2.4',
      turn: 'client',
    },
    request_embedded: {
      at: 'authorize',
      meaning:
        'A web page asked for the authorization endpoint as a part of itself: in a frame without `prompt=none`, or as an image, a script or a `fetch`.',
      advice: 'Open it in the window, or in a new one.',
      source: 'RFC 9700 §4.16',
      turn: 'client',
    },
    request_too_long: {
      at: 'authorize',
      meaning: 'The query has more than 8192 characters or 100 parameters.',
      advice: 'Send fewer or shorter parameters.',
      source: 'RFC 9110 §15.5.15',
      turn: 'client',
    },
    state_missing: {
      at: 'authorize',
      meaning: '`state` is missing.',
      advice: 'Send a random value. Host application: `requireState: false` makes it optional.',
      source: 'RFC 9700 §4.7.1',
      turn: 'client',
    },
    state_malformed: {
      at: 'authorize',
      meaning: '`state` has more than 2048 characters, or contains control characters.',
      advice: 'Send a shorter `state` of printable characters.',
      source: 'hallpass',
      turn: 'client',
    },
    response_type_missing: {
      at: 'authorize',
      meaning: '`response_type` is missing.',
      advice: 'Send `response_type=code`.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'client',
    },
    response_mode_not_supported: {
      at: 'authorize',
      meaning: '`response_mode` is not `query`.',
      advice: 'Leave `response_mode` out.',
      source: 'OAuth 2.0 Multiple Response Types §2.1',
      turn: 'client',
    },
    code_challenge_missing: {
      at: 'authorize',
      meaning: '`code_challenge` is missing. Every client must use PKCE.',
      advice: 'Send a code challenge, with `code_challenge_method=S256`.',
      source: 'RFC 7636 §4.4.1',
      turn: 'client',
    },
    code_challenge_malformed: {
      at: 'authorize',
      meaning: '`code_challenge` is not 43 base64url characters.',
      advice: 'Send the SHA-256 of the code verifier, as base64url without padding.',
      source: 'RFC 7636 §4.2',
      turn: 'client',
    },
    code_challenge_method_missing: {
      at: 'authorize',
      meaning: '`code_challenge_method` is missing, which means `plain`.',
      advice: 'Send `code_challenge_method=S256`.',
      source: 'RFC 7636 §4.3',
      turn: 'client',
    },
    code_challenge_method_not_supported: {
      at: 'authorize',
      meaning: '`code_challenge_method` is not `S256`.',
      advice: 'Send `code_challenge_method=S256`.',
      source: 'RFC 7636 §4.4.1',
      turn: 'client',
    },
    nonce_malformed: {
      at: 'authorize',
      meaning: '`nonce` has more than 512 characters, or contains control characters.',
      advice: 'Send a shorter `nonce` of printable characters.',
      source: 'hallpass',
      turn: 'client',
    },
    prompt_malformed: {
      at: 'authorize',
      meaning: '`prompt` combines `none` with another value.',
      advice: 'Send `prompt=none` without other values.',
      source: 'OpenID Connect Core §3.1.2.1',
      turn: 'client',
    },
    max_age_malformed: {
      at: 'authorize',
      meaning: '`max_age` is not a whole number of seconds.',
      advice: 'Send only digits.',
      source: 'OpenID Connect Core §3.1.2.1',
      turn: 'client',
    },
    sign_in_repeated: {
      at: 'interaction',
      meaning:
        'The person came back from the sign-in page for the third time, or saw it twelve times, and `currentPerson` finds no one, or no new sign-in. Shown on a page.',
      advice:
        'Allow cookies. Host application: check the path, the domain, `SameSite` and the name of the session cookie, and that `authTime` is that of the last sign-in.',
      source: 'hallpass',
      turn: 'developer',
    },
    interaction_expired: {
      at: 'interaction',
      meaning: 'The request waited for too long, is already completed, or does not exist.',
      advice:
        'Start again from the app. Host application: a request waits for `interactionSeconds` (600).',
      source: 'hallpass',
      turn: 'person',
    },
    access_token_sent_twice: {
      at: 'UserInfo',
      meaning: 'The access token is in the header and in `access_token`.',
      advice: 'Send it only in the header.',
      source: 'RFC 6750 §2',
      turn: 'client',
    },
    decision_missing: {
      at: 'interaction',
      meaning: 'The form contains no `decision`, or one that its page may not offer.',
      advice:
        'Host application: send `allow` or `deny`, or `allow_and_paste` where `mayPaste` is `true`.',
      source: 'hallpass',
      turn: 'developer',
    },
    consent_choice_malformed: {
      at: 'interaction',
      meaning: 'The form field `access` has a value that the page does not offer.',
      advice: 'Host application: send `all`, `read` or `choose`.',
      source: 'hallpass',
      turn: 'developer',
    },
    consent_end_unknown: {
      meaning: 'The page offered an end that the site no longer offers.',
      advice:
        'Start again from the app. Host application: the field `until` names no end that `grantEnds` returns now. Send the `id` of an end of the view.',
      source: 'hallpass',
      turn: 'person',
    },
    consent_empty: {
      at: 'interaction',
      meaning:
        'The person selected no permission. The page is shown again, and the request remains open.',
      advice: 'Select at least one permission, or cancel.',
      source: 'hallpass',
      turn: 'person',
    },
    grant_type_missing: {
      at: 'token',
      meaning: '`grant_type` is missing.',
      advice: 'Send it.',
      source: 'RFC 6749 §4.1.3',
      turn: 'client',
    },
    code_missing: {
      at: 'token',
      meaning: '`code` is missing.',
      advice: 'Send it.',
      source: 'RFC 6749 §4.1.3',
      turn: 'client',
    },
    code_verifier_malformed: {
      at: 'token',
      meaning: '`code_verifier` is not 43 to 128 unreserved characters.',
      advice: 'Send the verifier exactly as it was created.',
      source: 'RFC 7636 §4.1',
      turn: 'client',
    },
    refresh_token_missing: {
      at: 'token',
      meaning: '`refresh_token` is missing.',
      advice: 'Send it.',
      source: 'RFC 6749 §6',
      turn: 'client',
    },
    client_auth_ambiguous: {
      at: 'token, revoke, introspect',
      meaning: 'The request has both an `Authorization` header and a secret in the form.',
      advice: 'Send the secret only in the form.',
      source: 'RFC 6749 §2.3',
      turn: 'client',
    },
    token_missing: {
      at: 'revoke, introspect',
      meaning: '`token` is missing.',
      advice: 'Send it.',
      source: 'RFC 7009 §2.1, RFC 7662 §2.1',
      turn: 'client',
    },
    client_unknown: {
      at: 'client management',
      meaning: 'No client has this identifier, or the client was deleted.',
      advice: 'Look up the client in the list.',
      source: 'hallpass',
      turn: 'client',
    },
    client_kind_not_editable: {
      at: 'client management',
      meaning: 'The app is not a member app. Only member apps can be edited.',
      advice: 'Nothing: apps of other kinds say themselves what they are.',
      source: 'hallpass',
      turn: 'manager',
    },
    client_changed_meanwhile: {
      at: 'client management',
      meaning: 'Another manager changed the app since you loaded it.',
      advice: 'Load the app again, then decide.',
      source: 'hallpass',
      turn: 'manager',
    },
    client_end_malformed: {
      at: 'client management',
      meaning: 'The end of a client is not a time in whole epoch seconds.',
      advice: 'Divide milliseconds by 1000 and round.',
      source: 'hallpass',
      turn: 'developer',
    },
    client_has_no_secret: {
      at: 'client management',
      meaning: 'The app has no secret that could be replaced: it is public, or signs with a key.',
      advice:
        'Set up a new app that runs on a server. Host application: that is a client with `client_secret_post`.',
      source: 'hallpass',
      turn: 'manager',
    },
    overlap_out_of_range: {
      at: 'client management',
      meaning:
        'The time for which the previous secret remains valid is not between 0 and 72 hours.',
      advice: 'Choose 0 to 72 hours.',
      source: 'hallpass',
      turn: 'manager',
    },
    client_not_a_document: {
      at: 'client management',
      meaning:
        'The app does not identify itself with a web address. Only apps that do can be reviewed, blocked and fetched again.',
      advice:
        'Turn it off or edit it instead. Host application: the client has no client metadata document.',
      source: 'hallpass',
      turn: 'manager',
    },
    client_is_a_document: {
      at: 'client management',
      meaning:
        'The app identifies itself with a web address. Such apps are blocked and unblocked, not turned off and on.',
      advice: 'Block or unblock it. Host application: the client has a client metadata document.',
      source: 'hallpass',
      turn: 'manager',
    },
    document_changed_meanwhile: {
      at: 'client management',
      meaning: 'The document of the app has changed since the reviewer loaded it.',
      advice: 'Load it again, then decide.',
      source: 'hallpass',
      turn: 'manager',
    },
    host_not_allowed: {
      at: 'MCP endpoint',
      meaning:
        'The `Host` is not in `allowedHosts`; without that option, it is not a loopback name with the port of an issuer on loopback. It is a JSON-RPC error with 403, which names the `Host`.',
      advice:
        'A proxy sends a `Host` of its own: add it to `allowedHosts` of `createMcpEndpoint`. Otherwise, a web page tried DNS rebinding.',
      source: 'MCP 2025-11-25, transports',
      turn: 'developer',
    },
    origin_not_allowed: {
      at: 'MCP endpoint',
      meaning:
        'A web page called whose `Origin` is neither that of the site, nor on loopback, nor in `allowedOrigins`. It is a JSON-RPC error with 403, which names the `Origin`.',
      advice: 'If its pages may call, add it to `allowedOrigins` of `createMcpEndpoint`.',
      source: 'MCP 2025-11-25, transports',
      turn: 'developer',
    },
  },
  invalid_scope: {
    scope_missing: {
      meaning: 'The request contains no scope, or only `offline_access`.',
      advice:
        'Send `scope`, such as `scope=openid`. The resource metadata recommends scopes. Host application: `defaultScopes` applies when `scope` is missing.',
      source: 'RFC 6749 §3.3',
      turn: 'client',
    },
    scope_malformed: {
      meaning: '`scope` is not a list of scope names separated by spaces.',
      advice: 'Correct the parameter.',
      source: 'RFC 6749 §3.3',
      turn: 'client',
    },
    scope_unknown: {
      meaning: 'The scope is not in the scope table.',
      advice: 'See `scopes_supported` in the metadata.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'client',
    },
    scope_of_other_audience: {
      meaning: 'An operator client requested a member scope, or a member client an operator scope.',
      advice:
        'Request `account:*` with a member client, and all other scopes except the identity scopes with an operator client.',
      source: 'service description',
      turn: 'client',
    },
    scope_not_allowed_for_client: {
      meaning: 'The app may not use this permission.',
      advice: 'Allow the app this permission, or ask its makers to request less.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'manager',
    },
    scope_widened: {
      meaning:
        'A refresh asked for scopes that were not granted, or that the client may no longer use.',
      advice: 'Authorize again to get more scopes.',
      source: 'RFC 6749 §6',
      turn: 'client',
    },
    scope_beyond_client: {
      meaning: 'The app may no longer use any permission of the connection.',
      advice:
        'Allow the app these permissions. Host application: the client may use no scope of the grant.',
      source: 'hallpass',
      turn: 'manager',
    },
    scope_not_reviewable: {
      meaning:
        'Client management: a review only allows permissions of staff that change something.',
      advice: 'Select only those. Host application: they are the operator write scopes.',
      source: 'hallpass',
      turn: 'manager',
    },
    scope_beyond_reviewer: {
      meaning: "Client management: none of the reviewer's own roles includes this permission.",
      advice: 'A person whose role includes it must review the app.',
      source: 'hallpass',
      turn: 'manager',
    },
  },
  invalid_target: {
    resource_missing: {
      meaning:
        'A member client sent no `resource`, or the exchange does not repeat the one of the authorization request.',
      advice: 'Send the origin of the site in the authorization request and in the code exchange.',
      source: 'service description',
      turn: 'client',
    },
    resource_unknown: {
      meaning:
        '`resource` is not an accepted spelling of a resource of this site, or names two of them.',
      advice:
        'Send the `resource` of `/.well-known/oauth-protected-resource`. Host application: name the origin of another service in `resources`.',
      source: 'RFC 8707 §2',
      turn: 'client',
    },
  },
  invalid_token: {
    access_token_missing: {
      meaning: 'The request has no `Authorization` header.',
      advice: 'Send `Authorization: Bearer …`.',
      source: 'RFC 6750 §3.1',
      turn: 'client',
    },
    authorization_malformed: {
      meaning: 'The header is not `Bearer` followed by one token.',
      advice: 'Correct the header.',
      source: 'RFC 6750 §2.1',
      turn: 'client',
    },
    access_token_bound: {
      meaning:
        'The access token is bound to a key, and the request does not prove that it has the key: a token of the DPoP scheme was sent as `Bearer`.',
      advice:
        'Send it as `Authorization: DPoP …` with a proof. Host application: `dpop` in `blocks` of the site, or of `createRemoteGate`, is missing.',
      source: 'RFC 9449 §7.2',
      turn: 'client',
    },
    access_token_unknown: {
      meaning: 'No access token of this site matches. In another process: the token is not active.',
      advice: 'Refresh, or authorize again.',
      source: 'RFC 6750 §3.1',
      turn: 'developer',
    },
    access_token_revoked: {
      meaning: 'The access token was revoked.',
      advice: 'Refresh, or authorize again.',
      source: 'RFC 6750 §3.1',
      turn: 'client',
    },
    access_token_expired: {
      meaning: 'The access token is older than `accessTokenSeconds` (3600).',
      advice: 'Refresh.',
      source: 'RFC 6750 §3.1',
      turn: 'client',
    },
    access_token_of_future: {
      meaning:
        'The access token was issued five minutes after the present or later, by a clock that was wrong.',
      advice: 'Refresh.',
      source: 'hallpass',
      turn: 'client',
    },
    access_token_for_other_resource: {
      meaning: 'The access token was issued for another resource.',
      advice: 'Authorize with the origin that you call as `resource`.',
      source: 'RFC 8707 §2',
      turn: 'client',
    },
    grant_revoked: {
      meaning: 'The grant was revoked.',
      advice: 'Authorize again.',
      source: 'RFC 6750 §3.1',
      turn: 'client',
    },
    grant_expired: {
      meaning: 'The grant has reached its end, as the person chose it or after `grantSeconds`.',
      advice: 'Authorize again.',
      source: 'RFC 6750 §3.1',
      turn: 'client',
    },
    client_gone: {
      meaning: 'The client was deleted.',
      advice: 'Register again.',
      source: 'RFC 6750 §3.1',
      turn: 'client',
    },
    client_disabled: {
      meaning: 'The app is turned off.',
      advice: 'Turn it on.',
      source: 'RFC 6750 §3.1',
      turn: 'manager',
    },
    client_blocked: {
      meaning:
        'The app identifies itself with a web address, and a manager blocked it. Everyone was disconnected.',
      advice:
        'Unblock it. Then connect it again. Host application: the client has a client metadata document, and its grants were revoked.',
      source: 'RFC 6750 §3.1',
      turn: 'manager',
    },
    client_ended: {
      meaning: 'The time for which the site lets this app connect is over.',
      advice:
        'Set a later end. The app then continues. Host application: the client has reached its `endsAt`. It has to refresh.',
      source: 'hallpass',
      turn: 'manager',
    },
    member_clients_off: {
      meaning: 'The site does not let apps of members connect at present.',
      advice:
        'Switch apps of members on. All of them then work again. Host application: the option `memberClients` returned `false`. The same token works again.',
      source: 'service description',
      turn: 'manager',
    },
    person_gone: {
      meaning: 'The account was deleted or suspended, or the site no longer finds it.',
      advice: 'Nothing, if that is right. Host application: `findPerson` returned `null`.',
      source: 'RFC 6750 §3.1',
      turn: 'manager',
    },
    person_has_no_role: {
      meaning: 'The person no longer has any role at the site.',
      advice:
        'Give the person a role. Host application: `findPerson` returns no role that the role table contains.',
      source: 'RFC 6750 §3.1',
      turn: 'manager',
    },
  },
  login_required: {
    person_signed_out: {
      meaning:
        'No one is signed in, `findPerson` no longer finds the person, or `id_token_hint` names another one.',
      advice: 'Send the request again without `prompt=none`.',
      source: 'OpenID Connect Core §3.1.2.6',
      turn: 'client',
    },
    sign_in_not_fresh: {
      meaning: 'The person signed in longer ago than `max_age` allows.',
      advice: 'Send the request again without `prompt=none`.',
      source: 'OpenID Connect Core §3.1.2.1',
      turn: 'client',
    },
    scope_needs_sign_in: {
      meaning:
        'A scope of the request is sensitive, and the person signed in more than five minutes ago.',
      advice: 'Send the request again without `prompt=none`.',
      source: 'OpenID Connect Core §3.1.2.6',
      turn: 'client',
    },
  },
  request_not_supported: {
    request_object_not_supported: {
      meaning: 'The request contains the parameter `request`.',
      advice: 'Send the parameters in the query.',
      source: 'OpenID Connect Core §3.1.2.6',
      turn: 'client',
    },
  },
  request_uri_not_supported: {
    request_uri_not_supported: {
      meaning: 'The request contains the parameter `request_uri`.',
      advice: 'Send the parameters in the query.',
      source: 'OpenID Connect Core §3.1.2.6',
      turn: 'client',
    },
  },
  server_error: {
    code_not_issued: {
      meaning:
        'The store returned `gone` for a code that belongs to no pending interaction: the person was erased within about a day, or the store breaks its contract. Sent as a redirect.',
      advice: 'Host application: if no one was erased, run the store contract.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'developer',
    },
    key_state_final: {
      meaning: 'The key is retired, which is its last state.',
      advice: 'Create a new key.',
      source: 'hallpass',
      turn: 'developer',
    },
    key_not_published_long_enough: {
      meaning: 'A verifier may still have a cached JWK Set without this key.',
      advice: 'Wait for `jwksMaxAgeSeconds`.',
      source: 'hallpass',
      turn: 'developer',
    },
    key_other_active: {
      meaning: 'Another key is active.',
      advice: 'Retire that key first.',
      source: 'hallpass',
      turn: 'developer',
    },
    key_still_verifies: {
      meaning: 'An ID token signed with this key may still be valid.',
      advice: 'Wait for 600 seconds plus `jwksMaxAgeSeconds`.',
      source: 'hallpass',
      turn: 'developer',
    },
  },
  temporarily_unavailable: {
    document_fetch_paced: {
      meaning:
        'Too many client metadata documents were requested within a minute: more than 6 for one client; of new ones, more than 10 by one network, 40 of one host, or 180 in total. Or a network requested more than 100 new ones within a day.',
      advice: 'Wait as long as `Retry-After` says.',
      source: 'CIMD §6.6',
      turn: 'client',
    },
    registration_paced: {
      meaning:
        'A network registered more than 5000 clients within a day, or web pages of others more than 200 from there.',
      advice:
        'Wait as long as `Retry-After` says, and keep the `client_id` instead of registering again.',
      source: 'RFC 7591 §5',
      turn: 'client',
    },
    request_paced: {
      meaning:
        'A network started more than 6000 authorization requests within ten minutes, or one browser more than 60.',
      advice: 'Wait as long as `Retry-After` says.',
      source: 'RFC 9700 §4.16',
      turn: 'client',
    },
    code_paced: {
      meaning: 'A person authorized the same client more than 300 times within a day.',
      advice:
        'Client: use the refresh token instead of a new authorization. It works again within minutes.',
      source: 'hallpass',
      turn: 'client',
    },
  },
  unsupported_grant_type: {
    grant_type_not_supported: {
      meaning: '`grant_type` is neither `authorization_code` nor `refresh_token`.',
      advice: 'Send one of the two.',
      source: 'RFC 6749 §5.2',
      turn: 'client',
    },
  },
  unsupported_response_type: {
    response_type_not_supported: {
      meaning: '`response_type` is not `code`.',
      advice: 'Send `response_type=code`.',
      source: 'RFC 6749 §4.1.2.1',
      turn: 'client',
    },
  },
} as const

/**
 * For each error code, how a client reacts to it and every HTTP status of a response with it. A status is
 * `redirect` if the error is sent to the redirect URI.
 */
export const OAUTH_ERRORS: Readonly<
  Record<CoreErrorCode, { readonly status: string; readonly advice: string }>
> = {
  access_denied: {
    status: 'redirect, 403',
    advice:
      'The person declined, or may not authorize this kind of client. Start a new request only when the person asks for it.',
  },
  consent_required: {
    status: 'redirect',
    advice:
      'Send the request again without `prompt=none`, so that the person sees the consent page.',
  },
  insufficient_scope: {
    status: '403',
    advice: 'Authorize again with the scopes of the challenge.',
  },
  invalid_client: {
    status: '401, 400',
    advice:
      'Send `client_id` and `client_secret` in the form, as the description says. A client that was deleted must register again.',
  },
  invalid_client_metadata: {
    status: '400',
    advice: 'Correct the member that the description names, then register again.',
  },
  invalid_grant: {
    status: '400',
    advice:
      'The code or refresh token was already used, has expired, or belongs to another client. Start again from step 3.',
  },
  invalid_redirect_uri: {
    status: '400',
    advice: 'Register a loopback address, or use a client metadata document.',
  },
  invalid_request: {
    status: '400, 404, 405, 406, 413, 414, 415, redirect',
    advice: 'Correct what the description names. The same request would fail again.',
  },
  invalid_scope: {
    status: '400, redirect',
    advice: 'Request only scopes of the table below that your kind of client may use.',
  },
  invalid_target: {
    status: '400, redirect',
    advice: 'Send the `resource` of the protected resource metadata.',
  },
  invalid_token: { status: '401', advice: 'Refresh. If that fails too, start again from step 3.' },
  login_required: {
    status: 'redirect, 400',
    advice: 'Send the request again without `prompt=none`, so that the person can sign in.',
  },
  request_not_supported: {
    status: 'redirect, 400',
    advice: 'Send the parameters in the query. Request objects are not supported.',
  },
  request_uri_not_supported: {
    status: 'redirect, 400',
    advice: 'Send the parameters in the query. `request_uri` is never fetched.',
  },
  server_error: {
    status: '500, redirect',
    advice: 'Try again. If it fails again, report the time of the request to the school.',
  },
  temporarily_unavailable: {
    status: '503, 429, redirect',
    advice: 'Wait for the seconds of `Retry-After`, or for a minute.',
  },
  unsupported_grant_type: { status: '400', advice: 'Use `authorization_code` or `refresh_token`.' },
  unsupported_response_type: { status: 'redirect, 400', advice: 'Use `response_type=code`.' },
}

/**
 * An error code that a client receives as `error`: those of OAuth 2.1, OpenID Connect and their
 * extensions that hallpass uses.
 *
 * @group Records and refusals
 */
export type OAuthErrorCode = CoreErrorCode | BlockErrorCode

type CoreErrorCode = keyof typeof REFUSALS
/**
 * The error codes that only opt-in blocks send: those of RFC 8628, section 3.5, of RFC 9449, sections 5 and 8, and
 * `unauthorized_client` of RFC 6749, section 5.2.
 */
type BlockErrorCode =
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'unauthorized_client'

/**
 * The reason of any refusal. A `switch` over it can be exhaustive, and a misspelt reason does not
 * compile.
 *
 * @group Records and refusals
 */
export type RefusalReason = {
  [Code in CoreErrorCode]: keyof (typeof REFUSALS)[Code] & string
}[CoreErrorCode]

/**
 * The refusals of an opt-in block, in the form of the table of hallpass: by error code, then by reason. It is
 * `refusals` of the block.
 *
 * @typeParam Reason - the reasons; inferred from a table that is `as const`
 *
 * @group Records and refusals
 */
export type RefusalTable<Reason extends string = string> = {
  readonly [Code in OAuthErrorCode]?: {
    readonly [Row in Reason]?: {
      readonly meaning: string
      readonly advice: string
      readonly source: string
      readonly turn: 'client' | 'person' | 'manager' | 'developer' | 'nobody'
    }
  }
}
