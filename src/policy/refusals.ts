/**
 * Every refusal of the protocol: by the error that a client may read, then by its exact cause. The types
 * below, `docs/look-up/errors.md` and the errors of `/auth.md` follow from this table; nothing else lists them.
 *
 * `meaning` is for whoever reads a log, `advice` for whoever has to mend it, `source` says what asks for
 * the refusal: `hallpass` where it is a choice of this project. CIMD is
 * draft-ietf-oauth-client-id-metadata-document-02.
 *
 * @see RFC 6749 §4.1.2.1, §5.2; RFC 6750 §3.1; RFC 7591 §3.2.2; RFC 8707 §2; OpenID Connect Core §3.1.2.6
 */
export const REFUSALS = {
  access_denied: {
    person_denied: {
      meaning: 'The person pressed Cancel.',
      advice: 'Nothing. Let them try again when they want to.',
      source: 'RFC 6749 §4.1.2.1',
    },
    person_has_no_role: {
      meaning: 'The account has no role that the role table knows.',
      advice: 'Give the person a role at the site, or the role a row in the table.',
      source: 'RFC 6749 §4.1.2.1',
    },
    person_not_staff: {
      meaning: "An operator client, and none of the person's roles is staff.",
      advice: 'Sign in as staff, or use a member client.',
      source: 'RFC 6749 §4.1.2.1',
    },
    person_may_not_manage: {
      meaning: 'Managing clients: no role of the person has `managesClients`.',
      advice: 'Use an account that has one.',
      source: 'hallpass',
    },
    member_clients_off: {
      meaning:
        'Client management: member clients are switched off at this site, so none can be created.',
      advice: 'Switch them on first.',
      source: 'service description',
    },
    interaction_of_other_browser: {
      meaning: 'The interaction URL was opened in another browser than it began in.',
      advice: 'Start again from the application. If it repeats, the browser drops cookies.',
      source: 'RFC 9700 §4.7',
    },
    csrf_token_mismatch: {
      meaning: 'The consent form is stale, from another person, or from another site.',
      advice: 'Start again from the application. Host: send `csrf_token` back as the view gave it.',
      source: 'RFC 6749 §10.12',
    },
  },
  consent_required: {
    consent_missing: {
      meaning: 'No remembered consent answers for this request.',
      advice: 'Ask again without `prompt=none`.',
      source: 'OpenID Connect Core §3.1.2.6',
    },
  },
  insufficient_scope: {
    scope_not_granted: {
      meaning: 'The token does not hold a scope that is needed.',
      advice: 'Client: authorize again with the scopes of the challenge.',
      source: 'RFC 6750 §3.1',
    },
    scope_beyond_client: {
      meaning: "The token holds it, but the client's cap no longer does.",
      advice: 'An operator has to widen the cap. Asking again does not help.',
      source: 'RFC 6750 §3.1',
    },
    scope_beyond_role: {
      meaning: "The token holds it, but none of the person's roles allows it now.",
      advice: 'Another person, or another role. Asking again does not help.',
      source: 'RFC 6750 §3.1',
    },
    tool_of_other_audience: {
      meaning: "A member's client calls a tool for staff, or the other way round.",
      advice: 'Nothing: no scope of this client opens it.',
      source: 'service description',
    },
  },
  invalid_client: {
    client_unknown: {
      meaning: 'No client has this `client_id`.',
      advice: 'Register again. Clients never used for seven days are removed by `purge`.',
      source: 'RFC 6749 §5.2',
    },
    client_disabled: {
      meaning: 'The client is switched off.',
      advice: 'An operator has to switch it on.',
      source: 'RFC 6749 §5.2',
    },
    member_clients_off: {
      meaning: 'The site lets no member clients in now: `memberClients` said so.',
      advice: "Switch the site's member clients on; every one of them works again.",
      source: 'service description',
    },
    client_auth_method_not_supported: {
      meaning: 'An `Authorization` header came.',
      advice: 'Send `client_id` and `client_secret` in the form.',
      source: 'RFC 6749 §5.2',
    },
    client_secret_missing: {
      meaning: 'A confidential client sent no secret.',
      advice: 'Send `client_secret` in the form.',
      source: 'RFC 6749 §2.3.1',
    },
    client_secret_mismatch: {
      meaning: 'The secret is wrong or has expired.',
      advice: 'Take the present secret. While two overlap either counts.',
      source: 'RFC 6749 §2.3.1',
    },
    client_secret_unexpected: {
      meaning: 'A public client sent a secret.',
      advice: 'Leave it out, or register with `client_secret_post`.',
      source: 'RFC 6749 §5.2',
    },
    client_not_confidential: {
      meaning: 'A public client called introspection.',
      advice: 'Use UserInfo or just the token; introspection needs a secret.',
      source: 'RFC 7662 §2.1',
    },
    documents_not_supported: {
      meaning: 'A `client_id` is a URL, and the server has no `documents`.',
      advice: 'Register, or give the server `documents`.',
      source: 'hallpass',
    },
    document_unavailable: {
      meaning:
        'The document could not be read, and there is no copy from the last 7 days. The event `oauth.client.cimd.fetch_failed` says why.',
      advice: 'Publish it so that a fetch without redirects gets 200. Host: pin it.',
      source: 'CIMD §4',
    },
    document_url_malformed: {
      meaning:
        'The URL is not https with a lower-case host and a path, or has a fragment, user information, dot segments, `:443`, or characters that a parser would change.',
      advice: 'Publish under a plain URL and send exactly that.',
      source: 'CIMD §3',
    },
    document_host_not_public: {
      meaning: 'The host is an address, a single label, or a name of a local network.',
      advice: 'Serve the document from a public domain name.',
      source: 'CIMD §6.5',
    },
    document_port_not_allowed: {
      meaning: 'Another port than the configured ones (443).',
      advice: 'Use 443. Host: configure the port.',
      source: 'CIMD §6.5',
    },
    document_host_not_allowed: {
      meaning:
        'The host is not in `allowedHosts`, and `openRegistration` is off. Nothing was fetched.',
      advice: 'An operator has to allow the host.',
      source: 'hallpass',
    },
    document_status_not_200: {
      meaning: 'The host answered with another status; redirects are not followed.',
      advice: 'Serve it with 200 at its own URL, or pin it.',
      source: 'CIMD §4',
    },
    document_content_encoding_not_identity: {
      meaning: 'It came compressed although identity was asked for.',
      advice: 'Serve it uncompressed.',
      source: 'hallpass',
    },
    document_media_type_not_json: {
      meaning: 'Neither `application/json` nor `application/…+json`, or not UTF-8.',
      advice: 'Mend `Content-Type`.',
      source: 'CIMD §4',
    },
    document_not_an_object: {
      meaning: 'JSON, but no plain object.',
      advice: 'Serve one JSON object.',
      source: 'CIMD §4',
    },
    document_client_id_mismatch: {
      meaning: '`client_id` inside is not the URL, byte for byte.',
      advice: 'Write the URL exactly.',
      source: 'CIMD §4',
    },
    document_name_malformed: {
      meaning:
        '`client_name` is missing, blank, over 100 characters, or has invisible or control characters.',
      advice: 'Give a plain name.',
      source: 'RFC 7591 §2',
    },
    document_name_resembles_vendor: {
      meaning:
        'The name of a configured vendor, on a host where that vendor has no https redirect URI.',
      advice: "Choose another name. Host: add the vendor's URI, if it is the vendor.",
      source: 'hallpass',
    },
    document_redirect_uris_malformed: {
      meaning: 'Not an array of 1 to 10 strings.',
      advice: 'Mend the list.',
      source: 'RFC 7591 §2',
    },
    document_redirect_uri_malformed: {
      meaning: 'Not an absolute URI without fragment, dot segments and response parameters.',
      advice: 'Mend the URI.',
      source: 'OAuth 2.1 §2.3.1',
    },
    document_redirect_uri_of_other_host: {
      meaning: "Neither loopback nor https on the document's own host and port.",
      advice: 'Serve the document from the host that receives the redirect.',
      source: 'hallpass',
    },
    document_secret_published: {
      meaning: '`client_secret`, `client_secret_expires_at` or a private key in `jwks`.',
      advice: 'Take it out, and replace the secret.',
      source: 'CIMD §4',
    },
    document_auth_method_not_supported: {
      meaning: '`none` is in neither member.',
      advice: 'List `none`.',
      source: 'CIMD §4',
    },
    document_grant_types_not_supported: {
      meaning: '`grant_types` without `authorization_code`.',
      advice: 'Add it.',
      source: 'RFC 7591 §2',
    },
    document_response_types_not_supported: {
      meaning: '`response_types` without `code`.',
      advice: 'Add it.',
      source: 'RFC 7591 §2',
    },
    document_link_malformed: {
      meaning: 'A link is no http(s) URL.',
      advice: 'Mend it.',
      source: 'RFC 7591 §2',
    },
  },
  invalid_client_metadata: {
    json_malformed: {
      meaning: 'The body is not JSON.',
      advice: 'Send one JSON object.',
      source: 'RFC 7591 §3.1',
    },
    json_key_repeated: {
      meaning: 'The body has one name twice.',
      advice: 'Send each member once.',
      source: 'RFC 8259 §4',
    },
    metadata_not_an_object: {
      meaning: 'The body is JSON but no plain object.',
      advice: 'Send one JSON object.',
      source: 'RFC 7591 §3.1',
    },
    client_name_malformed: {
      meaning: 'Not a string, over 100 characters, or with invisible or control characters.',
      advice: 'Send a plain name.',
      source: 'RFC 7591 §2',
    },
    client_name_not_a_vendor: {
      meaning: 'No redirect URIs, and the name is none of the configured vendors.',
      advice: 'Send loopback `redirect_uris`. Host: add the vendor to `vendors`.',
      source: 'service description',
    },
    auth_method_not_supported: {
      meaning: '`token_endpoint_auth_method` is neither `none` nor `client_secret_post`.',
      advice: 'Choose one of the two.',
      source: 'RFC 7591 §2',
    },
    application_type_not_supported: {
      meaning: '`application_type` is neither `native` nor `web`.',
      advice: 'Send `native`, or leave it out.',
      source: 'OpenID Connect Registration §2',
    },
    application_type_mismatch: {
      meaning: '`web` with loopback addresses, or `native` with a secret.',
      advice: 'Send `native` with `none`, or leave it out.',
      source: 'OpenID Connect Registration §2',
    },
    grant_types_not_supported: {
      meaning: '`grant_types` is there without `authorization_code`.',
      advice: 'Add it, or leave the member out.',
      source: 'RFC 7591 §2',
    },
    response_types_not_supported: {
      meaning: '`response_types` is there without `code`.',
      advice: 'Add it, or leave the member out.',
      source: 'RFC 7591 §2',
    },
    link_malformed: {
      meaning: '`client_uri`, `logo_uri`, `tos_uri`, `policy_uri` or `jwks_uri` is no http(s) URL.',
      advice: 'Mend the URL, or leave it out.',
      source: 'RFC 7591 §2',
    },
    name_malformed: {
      meaning: 'Client management: the name is blank, over 100 characters, or not printable.',
      advice: 'Give a plain name.',
      source: 'hallpass',
    },
    description_malformed: {
      meaning: 'Client management: the description is over 300 characters, or not printable.',
      advice: 'Shorten it.',
      source: 'hallpass',
    },
    icon_malformed: {
      meaning: 'Client management: not the name of an icon.',
      advice: 'Choose one of the icons.',
      source: 'hallpass',
    },
    redirect_uris_missing: {
      meaning: 'Client management: no redirect URI.',
      advice: 'Give at least one.',
      source: 'RFC 6749 §3.1.2.2',
    },
    redirect_uris_too_many: {
      meaning: 'Client management: more than ten redirect URIs.',
      advice: 'Give at most ten.',
      source: 'hallpass',
    },
    redirect_uri_malformed: {
      meaning:
        'Client management: no absolute URI, or with a fragment, dot segments or response parameters.',
      advice: 'Mend the URI.',
      source: 'OAuth 2.1 §2.3.1',
    },
    redirect_uri_not_allowed: {
      meaning:
        "Client management: neither https, nor loopback, nor a known application's own scheme.",
      advice: 'Use one of the three.',
      source: 'RFC 8252 §7',
    },
    scopes_missing: {
      meaning: 'Client management: no scope.',
      advice: 'Choose at least one.',
      source: 'hallpass',
    },
    scope_unknown: {
      meaning: 'Client management: the scope table lacks it.',
      advice: 'Choose one of the table.',
      source: 'hallpass',
    },
    scope_of_other_audience: {
      meaning: 'Client management: no scope of the member audience.',
      advice: 'Choose member scopes alone.',
      source: 'hallpass',
    },
  },
  invalid_grant: {
    code_unknown: {
      meaning: 'No such code at this site.',
      advice: 'Check which site issued it. Codes are forgotten a day after they expire.',
      source: 'RFC 6749 §5.2',
    },
    code_expired: {
      meaning: 'The code is older than `codeSeconds` (60).',
      advice: 'Exchange it at once.',
      source: 'RFC 6749 §4.1.2',
    },
    code_of_other_client: {
      meaning: "Another client's code. It stays alive for its owner.",
      advice: 'Client: send your own `client_id`. Many of these: somebody is trying stolen codes.',
      source: 'RFC 6749 §5.2',
    },
    redirect_uri_mismatch: {
      meaning: 'Not the redirect URI of the authorization request, character by character.',
      advice: 'Repeat it exactly, port included.',
      source: 'RFC 6749 §4.1.3',
    },
    code_verifier_mismatch: {
      meaning: 'The verifier is not the one behind the challenge.',
      advice: 'Keep one verifier per request.',
      source: 'RFC 7636 §4.6',
    },
    code_challenge_lost: {
      meaning: 'The stored challenge is none. The store lost or changed it.',
      advice: 'Host: run the store contract.',
      source: 'RFC 7636 §4.6',
    },
    code_replayed: {
      meaning: 'The rightful client used the code before. The grant is revoked.',
      advice: 'Authorize again. Find out who used it twice.',
      source: 'RFC 6749 §4.1.2',
    },
    code_lost_race: {
      meaning: 'Two exchanges of one code at the same instant; this one lost. Nothing is revoked.',
      advice: 'Send the exchange once.',
      source: 'RFC 6749 §4.1.2',
    },
    resource_mismatch: {
      meaning: '`resource` names another resource than the code or grant holds.',
      advice: 'Repeat the value, or leave it out at refresh.',
      source: 'RFC 8707 §2.2',
    },
    refresh_token_unknown: {
      meaning: 'No such refresh token at this site.',
      advice: 'Authorize again. Access tokens do not refresh.',
      source: 'RFC 6749 §5.2',
    },
    refresh_token_of_other_client: {
      meaning: "Another client's refresh token. Nothing is revoked.",
      advice: 'Client: send your own `client_id`.',
      source: 'RFC 6749 §5.2',
    },
    refresh_token_expired: {
      meaning: 'Unused for longer than `refreshIdleSeconds` (30 days).',
      advice: 'Authorize again.',
      source: 'RFC 9700 §4.14.2',
    },
    refresh_token_reused: {
      meaning:
        'Used again after the retry window, or after its successor was. The grant is revoked.',
      advice: 'Authorize again. Two parties held the token: see `oauth.grant.reuse_detected`.',
      source: 'RFC 9700 §4.14.2',
    },
    refresh_retry_differs: {
      meaning: 'Within the retry window, but with another scope than the first time.',
      advice: 'Repeat the request as it was.',
      source: 'hallpass',
    },
    refresh_token_lost_race: {
      meaning: 'Two rounds in a row another request was faster.',
      advice: 'Send one refresh at a time.',
      source: 'hallpass',
    },
    grant_revoked: {
      meaning: 'The grant was revoked by the client, by a replay or by the host.',
      advice: 'Authorize again.',
      source: 'RFC 7009 §2.1',
    },
    grant_expired: {
      meaning: 'The grant is older than `grantSeconds` (180 days).',
      advice: 'Authorize again.',
      source: 'hallpass',
    },
    person_gone: {
      meaning: '`findPerson` returned `null`.',
      advice: 'Nothing, if the person is gone or suspended.',
      source: 'hallpass',
    },
    person_has_no_role: {
      meaning: 'The person lost every role since.',
      advice: 'Give the person a role.',
      source: 'hallpass',
    },
    person_not_staff: {
      meaning: 'The person is no longer staff, and the client is an operator client.',
      advice: 'Authorize as staff.',
      source: 'hallpass',
    },
  },
  invalid_redirect_uri: {
    redirect_uris_malformed: {
      meaning: 'Not an array of at most ten strings.',
      advice: 'Send an array of strings.',
      source: 'RFC 7591 §3.2.2',
    },
    redirect_uri_malformed: {
      meaning: 'Fragment, dot segment, response parameter, over 2048 characters, or not RFC 3986.',
      advice: 'Send a plain absolute URI.',
      source: 'OAuth 2.1 §2.3.1',
    },
    redirect_uri_not_loopback: {
      meaning: 'A redirect URI that is no loopback address, from no known vendor.',
      advice: 'Register `http://127.0.0.1:<port>/<path>`.',
      source: 'service description',
    },
  },
  invalid_request: {
    parameter_repeated: {
      at: 'everywhere',
      meaning: 'A parameter came twice.',
      advice: 'Send each once. Only `resource` may be repeated.',
      source: 'RFC 6749 §3.1',
    },
    client_id_missing: {
      at: 'authorize, token',
      meaning: '`client_id` is missing.',
      advice: 'Send it.',
      source: 'RFC 6749 §4.1.2.1',
    },
    redirect_uri_missing: {
      at: 'authorize, token',
      meaning: '`redirect_uri` is missing.',
      advice: 'Send it, also where only one is registered.',
      source: 'RFC 6749 §3.1.2.3',
    },
    redirect_uri_not_registered: {
      at: 'authorize',
      meaning:
        'None of the registered ones, character by character; only the port of a loopback address may differ. Shown on a page.',
      advice: 'Send a registered one, or register this one.',
      source: 'RFC 6749 §3.1.2.4',
    },
    request_too_long: {
      at: 'authorize',
      meaning: 'Over 8192 characters or 100 parameters.',
      advice: 'Send less.',
      source: 'RFC 9110 §15.5.15',
    },
    state_missing: {
      at: 'authorize',
      meaning: '`state` is missing.',
      advice: 'Send a random one. Host: `requireState: false` lets it be left out.',
      source: 'RFC 9700 §4.7.1',
    },
    state_malformed: {
      at: 'authorize',
      meaning: 'Over 2048 characters, or with control characters.',
      advice: 'Send a shorter, printable `state`.',
      source: 'hallpass',
    },
    response_type_missing: {
      at: 'authorize',
      meaning: '`response_type` is missing.',
      advice: 'Send `response_type=code`.',
      source: 'RFC 6749 §4.1.2.1',
    },
    response_mode_not_supported: {
      at: 'authorize',
      meaning: 'Another mode than `query`.',
      advice: 'Leave `response_mode` out.',
      source: 'OAuth 2.0 Multiple Response Types §2.1',
    },
    code_challenge_missing: {
      at: 'authorize',
      meaning: '`code_challenge` is missing. Every client has to use PKCE.',
      advice: 'Send one, with `code_challenge_method=S256`.',
      source: 'RFC 7636 §4.4.1',
    },
    code_challenge_malformed: {
      at: 'authorize',
      meaning: 'It is not 43 base64url characters.',
      advice: 'Send the SHA-256 of the verifier, base64url without padding.',
      source: 'RFC 7636 §4.2',
    },
    code_challenge_method_missing: {
      at: 'authorize',
      meaning: '`code_challenge_method` is missing, which means `plain`.',
      advice: 'Send `code_challenge_method=S256`.',
      source: 'RFC 7636 §4.3',
    },
    code_challenge_method_not_supported: {
      at: 'authorize',
      meaning: 'Another method than `S256`.',
      advice: 'Send `code_challenge_method=S256`.',
      source: 'RFC 7636 §4.4.1',
    },
    nonce_malformed: {
      at: 'authorize',
      meaning: 'Over 512 characters, or with control characters.',
      advice: 'Send a shorter, printable `nonce`.',
      source: 'hallpass',
    },
    prompt_malformed: {
      at: 'authorize',
      meaning: '`none` beside another value.',
      advice: 'Send `prompt=none` alone.',
      source: 'OpenID Connect Core §3.1.2.1',
    },
    max_age_malformed: {
      at: 'authorize',
      meaning: 'It is not a whole number of seconds.',
      advice: 'Send digits alone.',
      source: 'OpenID Connect Core §3.1.2.1',
    },
    interaction_expired: {
      at: 'interaction',
      meaning: 'Older than `interactionSeconds` (600), answered already, or never there.',
      advice: 'Start again from the application.',
      source: 'hallpass',
    },
    access_token_sent_twice: {
      at: 'UserInfo',
      meaning: 'The token came in the header and as `access_token` as well.',
      advice: 'Send the header alone.',
      source: 'RFC 6750 §2',
    },
    decision_missing: {
      at: 'interaction',
      meaning: 'The form said neither `allow` nor `deny`.',
      advice: 'Host: send `decision=allow` or `decision=deny`.',
      source: 'hallpass',
    },
    consent_choice_malformed: {
      at: 'interaction',
      meaning: 'The field `access` of the form has another value than the page offers.',
      advice: 'Host: send `all`, `read` or `choose`.',
      source: 'hallpass',
    },
    consent_empty: {
      at: 'interaction',
      meaning: 'Nothing was left to allow. The page is shown again; the request still waits.',
      advice: 'Choose something, or cancel.',
      source: 'hallpass',
    },
    grant_type_missing: {
      at: 'token',
      meaning: '`grant_type` is missing.',
      advice: 'Send it.',
      source: 'RFC 6749 §4.1.3',
    },
    code_missing: {
      at: 'token',
      meaning: '`code` is missing.',
      advice: 'Send it.',
      source: 'RFC 6749 §4.1.3',
    },
    code_verifier_missing: {
      at: 'token',
      meaning: '`code_verifier` is missing.',
      advice: 'Send the verifier behind the challenge.',
      source: 'RFC 7636 §4.5',
    },
    code_verifier_malformed: {
      at: 'token',
      meaning: 'It is not 43 to 128 unreserved characters.',
      advice: 'Send the verifier exactly as it was made.',
      source: 'RFC 7636 §4.1',
    },
    refresh_token_missing: {
      at: 'token',
      meaning: '`refresh_token` is missing.',
      advice: 'Send it.',
      source: 'RFC 6749 §6',
    },
    client_auth_ambiguous: {
      at: 'token, revoke, introspect',
      meaning: 'An `Authorization` header and a secret in the form.',
      advice: 'Send the secret in the form alone.',
      source: 'RFC 6749 §2.3',
    },
    token_missing: {
      at: 'revoke, introspect',
      meaning: '`token` is missing.',
      advice: 'Send it.',
      source: 'RFC 7009 §2.1, RFC 7662 §2.1',
    },
    client_unknown: {
      at: 'client management',
      meaning: 'No client has this identifier, or it was deleted.',
      advice: 'Look the client up in the list.',
      source: 'hallpass',
    },
    client_kind_not_editable: {
      at: 'client management',
      meaning: 'Only member clients are edited.',
      advice: 'Nothing: this kind of client describes itself.',
      source: 'hallpass',
    },
    client_changed_meanwhile: {
      at: 'client management',
      meaning: 'Somebody else changed the client in between.',
      advice: 'Load it again, then decide.',
      source: 'hallpass',
    },
    client_has_no_secret: {
      at: 'client management',
      meaning: 'A public client has no secret to rotate.',
      advice: 'Make the client confidential first.',
      source: 'hallpass',
    },
    overlap_out_of_range: {
      at: 'client management',
      meaning: 'The old secret may work for 0 to 72 hours more.',
      advice: 'Choose hours within that range.',
      source: 'hallpass',
    },
    client_not_a_document: {
      at: 'client management',
      meaning: 'Only clients of metadata documents are reviewed, blocked and fetched.',
      advice: 'Disable or edit the client instead.',
      source: 'hallpass',
    },
    client_is_a_document: {
      at: 'client management',
      meaning:
        'A client of a metadata document is blocked and unblocked, not disabled and enabled.',
      advice: 'Block or unblock it.',
      source: 'hallpass',
    },
    document_changed_meanwhile: {
      at: 'client management',
      meaning: 'The metadata document is not the one that the reviewer saw.',
      advice: 'Look at it again.',
      source: 'hallpass',
    },
  },
  invalid_scope: {
    scope_missing: {
      meaning: 'No scope, or `offline_access` alone.',
      advice: 'Name a scope. Host: `defaultScopes` supplies some.',
      source: 'RFC 6749 §3.3',
    },
    scope_malformed: {
      meaning: 'Not names separated by single spaces.',
      advice: 'Mend the parameter.',
      source: 'RFC 6749 §3.3',
    },
    scope_unknown: {
      meaning: 'Not in the scope table.',
      advice: 'See `scopes_supported`.',
      source: 'RFC 6749 §4.1.2.1',
    },
    scope_of_other_audience: {
      meaning: 'A member scope from an operator client, or the other way round.',
      advice: '`account:*` is for member clients.',
      source: 'service description',
    },
    scope_not_allowed_for_client: {
      meaning: "Outside this client's cap.",
      advice: 'Ask for less, or have an operator widen the cap.',
      source: 'RFC 6749 §4.1.2.1',
    },
    scope_widened: {
      meaning: "A refresh asked for more than was granted, or than the client's cap now allows.",
      advice: 'Authorize again for more.',
      source: 'RFC 6749 §6',
    },
    scope_beyond_client: {
      meaning: 'A refresh of a grant none of whose scopes the client may have any more.',
      advice: 'An operator has to widen the cap.',
      source: 'hallpass',
    },
    scope_not_reviewable: {
      meaning: 'Client management: a review allows operator write scopes alone.',
      advice: 'Tick only those.',
      source: 'hallpass',
    },
    scope_beyond_reviewer: {
      meaning: "Client management: the reviewer's own role does not hold it.",
      advice: 'Somebody with that role has to review.',
      source: 'hallpass',
    },
  },
  invalid_target: {
    resource_missing: {
      meaning: 'A member client named no `resource`.',
      advice: 'Send the origin at the authorization endpoint and at the exchange.',
      source: 'service description',
    },
    resource_unknown: {
      meaning: "Not one of the spellings of this site's one resource.",
      advice: 'Send what `/.well-known/oauth-protected-resource` says.',
      source: 'RFC 8707 §2',
    },
  },
  invalid_token: {
    access_token_missing: {
      meaning: 'No `Authorization` header.',
      advice: 'Send `Authorization: Bearer …`.',
      source: 'RFC 6750 §3.1',
    },
    authorization_malformed: {
      meaning: 'The header is not `Bearer` and one token.',
      advice: 'Mend the header.',
      source: 'RFC 6750 §2.1',
    },
    access_token_unknown: {
      meaning: 'No such access token at this site.',
      advice: 'Refresh or authorize.',
      source: 'RFC 6750 §3.1',
    },
    access_token_revoked: {
      meaning: 'This token was revoked.',
      advice: 'Refresh or authorize.',
      source: 'RFC 6750 §3.1',
    },
    access_token_expired: {
      meaning: 'Older than `accessTokenSeconds` (3600).',
      advice: 'Refresh.',
      source: 'RFC 6750 §3.1',
    },
    access_token_for_other_resource: {
      meaning: 'Issued for another origin.',
      advice: 'Authorize with this origin as `resource`.',
      source: 'RFC 8707 §2',
    },
    grant_revoked: {
      meaning: 'The grant was revoked.',
      advice: 'Authorize again.',
      source: 'RFC 6750 §3.1',
    },
    client_gone: {
      meaning: 'The client was removed.',
      advice: 'Register again.',
      source: 'RFC 6750 §3.1',
    },
    client_disabled: {
      meaning: 'The client is switched off.',
      advice: 'An operator has to switch it on.',
      source: 'RFC 6750 §3.1',
    },
    member_clients_off: {
      meaning: 'The site lets no member clients in now.',
      advice: 'Switch them on; the same token works again.',
      source: 'service description',
    },
    person_gone: {
      meaning: '`findPerson` returned `null`.',
      advice: 'Nothing, if the person is gone or suspended.',
      source: 'RFC 6750 §3.1',
    },
    person_has_no_role: {
      meaning: 'The person has no role that the role table knows.',
      advice: 'Give the person a role at the site.',
      source: 'RFC 6750 §3.1',
    },
  },
  login_required: {
    person_signed_out: {
      meaning: 'Nobody is signed in, or `findPerson` does not know them any more.',
      advice: 'Ask again without `prompt=none`.',
      source: 'OpenID Connect Core §3.1.2.6',
    },
    sign_in_not_fresh: {
      meaning: 'Signed in longer ago than `max_age`.',
      advice: 'Ask again without `prompt=none`.',
      source: 'OpenID Connect Core §3.1.2.1',
    },
  },
  request_not_supported: {
    request_object_not_supported: {
      meaning: 'The parameter `request` came.',
      advice: 'Send the parameters in the query.',
      source: 'OpenID Connect Core §3.1.2.6',
    },
  },
  request_uri_not_supported: {
    request_uri_not_supported: {
      meaning: 'The parameter `request_uri` came.',
      advice: 'Send the parameters in the query.',
      source: 'OpenID Connect Core §3.1.2.6',
    },
  },
  server_error: {
    code_not_issued: {
      meaning: 'The store answered `gone` to a code that answers no waiting request. A redirect.',
      advice: 'Host: run the store contract.',
      source: 'RFC 6749 §4.1.2.1',
    },
    key_state_final: {
      meaning: 'A retired key has no next state.',
      advice: 'Make a new key.',
      source: 'hallpass',
    },
    key_not_published_long_enough: {
      meaning: 'Some verifier may still hold a JWKS without this key.',
      advice: 'Wait for `jwksMaxAgeSeconds`.',
      source: 'hallpass',
    },
    key_other_active: {
      meaning: 'Another key signs.',
      advice: 'Retire that one first.',
      source: 'hallpass',
    },
    key_still_verifies: {
      meaning: 'An ID token that it signed may still count.',
      advice: 'Wait 600 seconds and `jwksMaxAgeSeconds` longer.',
      source: 'hallpass',
    },
  },
  temporarily_unavailable: {
    document_fetch_paced: {
      meaning:
        'Too many metadata documents were asked for within a minute: 6 of one client, 30 of one host, 120 in all.',
      advice: 'Wait a minute.',
      source: 'CIMD §6.6',
    },
  },
  unsupported_grant_type: {
    grant_type_not_supported: {
      meaning: 'Neither `authorization_code` nor `refresh_token`.',
      advice: 'There are no other grant types.',
      source: 'RFC 6749 §5.2',
    },
  },
  unsupported_response_type: {
    response_type_not_supported: {
      meaning: 'Something else than `code`.',
      advice: 'Send `response_type=code`.',
      source: 'RFC 6749 §4.1.2.1',
    },
  },
} as const

/**
 * What a client does about each error, and the status that it comes with: `redirect` where it comes back
 * to the redirect URI.
 */
export const OAUTH_ERRORS: Readonly<
  Record<OAuthErrorCode, { readonly status: string; readonly advice: string }>
> = {
  access_denied: {
    status: 'redirect',
    advice:
      'The person said no, or may not use this kind of client. Ask again only when they want it.',
  },
  consent_required: {
    status: 'redirect',
    advice: 'Ask again without `prompt=none`, so that the person sees the consent page.',
  },
  insufficient_scope: {
    status: '403',
    advice: 'Authorize again with the scopes that the challenge names.',
  },
  invalid_client: {
    status: '401',
    advice: 'Check `client_id` and `client_secret`. A client that is gone has to register again.',
  },
  invalid_client_metadata: {
    status: '400',
    advice: 'Mend the member that the description names and register again.',
  },
  invalid_grant: {
    status: '400',
    advice: 'The code or refresh token is spent, too old or not yours. Start from step 3.',
  },
  invalid_redirect_uri: {
    status: '400',
    advice: 'Register a loopback address, or use a metadata document.',
  },
  invalid_request: {
    status: '400',
    advice: 'Mend what the description names. Sent unchanged it fails again.',
  },
  invalid_scope: {
    status: '400',
    advice: 'Ask only for scopes of the table below that your kind of client may have.',
  },
  invalid_target: {
    status: '400',
    advice: 'Send the `resource` that the protected resource metadata names.',
  },
  invalid_token: { status: '401', advice: 'Refresh. If that fails too, start from step 3.' },
  login_required: {
    status: 'redirect',
    advice: 'Ask again without `prompt=none`, so that the person can sign in.',
  },
  request_not_supported: {
    status: 'redirect',
    advice: 'Send plain parameters; request objects are not read here.',
  },
  request_uri_not_supported: {
    status: 'redirect',
    advice: 'Send plain parameters; nothing is fetched from `request_uri`.',
  },
  server_error: { status: '500', advice: 'Try once more; then tell the school when it was.' },
  temporarily_unavailable: {
    status: '503',
    advice: 'Wait as long as `Retry-After` says, or a minute.',
  },
  unsupported_grant_type: { status: '400', advice: 'Use `authorization_code` or `refresh_token`.' },
  unsupported_response_type: { status: 'redirect', advice: 'Use `response_type=code`.' },
}

/** Error codes a client may read. */
export type OAuthErrorCode = keyof typeof REFUSALS

/** The causes that come with an error. */
export type ReasonOf<Code extends OAuthErrorCode> = keyof (typeof REFUSALS)[Code] & string

/** Every cause of a refusal. */
export type RefusalReason = { [Code in OAuthErrorCode]: ReasonOf<Code> }[OAuthErrorCode]
