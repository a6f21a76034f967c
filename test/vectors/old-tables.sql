-- The database of a school at commit 52343152, as pg_dump --inserts writes it, with the tokens of its clients in known_token.
CREATE TABLE public.hallpass_access_token (
    site text NOT NULL,
    token_hash text NOT NULL,
    grant_id text NOT NULL,
    scopes jsonb NOT NULL,
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint
);
CREATE TABLE public.hallpass_attempt (
    site text NOT NULL,
    attempt_id text NOT NULL,
    revision bigint NOT NULL,
    started_at bigint NOT NULL,
    last_at bigint NOT NULL,
    client_id text,
    network text,
    connected boolean NOT NULL,
    waits_until bigint,
    search text NOT NULL,
    attempt jsonb NOT NULL
);
CREATE TABLE public.hallpass_client (
    site text NOT NULL,
    client_id text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    redirect_uris jsonb NOT NULL,
    token_endpoint_auth_method text NOT NULL,
    secrets jsonb NOT NULL,
    scopes jsonb,
    disabled boolean NOT NULL,
    created_at bigint NOT NULL,
    used_at bigint,
    description text,
    icon text,
    revision bigint DEFAULT 1 NOT NULL,
    deleted_at bigint,
    document jsonb,
    ends_at bigint,
    about jsonb
);
CREATE TABLE public.hallpass_clock (
    site text NOT NULL,
    trusted_at bigint NOT NULL,
    leap jsonb
);
CREATE TABLE public.hallpass_code (
    site text NOT NULL,
    code_hash text NOT NULL,
    grant_id text NOT NULL,
    client_id text NOT NULL,
    subject text NOT NULL,
    scopes jsonb NOT NULL,
    resource text NOT NULL,
    redirect_uri text NOT NULL,
    code_challenge text NOT NULL,
    nonce text,
    auth_time bigint,
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    redeemed_at bigint,
    resource_sent boolean,
    grant_ends_at bigint
)
WITH (fillfactor='70');
CREATE TABLE public.hallpass_consent (
    site text NOT NULL,
    consent_key text NOT NULL,
    client_id text NOT NULL,
    subject text NOT NULL
);
CREATE TABLE public.hallpass_erasure (
    site text NOT NULL,
    subject_hash text NOT NULL,
    erased_at bigint NOT NULL
);
CREATE TABLE public.hallpass_grant (
    site text NOT NULL,
    grant_id text NOT NULL,
    client_id text NOT NULL,
    subject text NOT NULL,
    scopes jsonb NOT NULL,
    resource text NOT NULL,
    redirect_uri text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint,
    revoked_reason text
);
CREATE TABLE public.hallpass_idempotency (
    site text NOT NULL,
    key_hash text NOT NULL,
    request_hash text NOT NULL,
    expires_at bigint NOT NULL,
    answer jsonb
);
CREATE TABLE public.hallpass_key (
    site text NOT NULL,
    kid text NOT NULL,
    state text NOT NULL,
    public_jwk text NOT NULL,
    sealed_private_key text,
    created_at bigint NOT NULL,
    published_at bigint,
    activated_at bigint,
    retiring_at bigint,
    retired_at bigint
);
CREATE TABLE public.hallpass_migration (
    version integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    compatible_from integer
);
CREATE TABLE public.hallpass_outbox (
    site text NOT NULL,
    event_id text NOT NULL,
    stored_at bigint NOT NULL,
    at bigint NOT NULL,
    event jsonb NOT NULL
);
CREATE TABLE public.hallpass_pending (
    site text NOT NULL,
    id_hash text NOT NULL,
    browser_hash text NOT NULL,
    client_id text NOT NULL,
    redirect_uri text NOT NULL,
    scopes jsonb NOT NULL,
    resource text NOT NULL,
    state text,
    code_challenge text NOT NULL,
    nonce text,
    prompt jsonb NOT NULL,
    max_age bigint,
    login_hint text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    resource_sent boolean,
    ui_locales jsonb DEFAULT '[]'::jsonb NOT NULL
);
CREATE TABLE public.hallpass_refresh_token (
    site text NOT NULL,
    token_hash text NOT NULL,
    grant_id text NOT NULL,
    issued_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    rotation jsonb
)
WITH (fillfactor='50');
CREATE TABLE public.known_token (
    name text NOT NULL,
    token text NOT NULL
);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', 'AX-4n880-wfqWvPGUaMntq6Ws7Rdhm4zbPKAink5IjM', 'grant__rUjkIVNf6fVwk2k1z6yu9sXxWeuijnHZUo0gVeWqF4', '["openid", "account:read"]', 1795165200, 1795168800, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', 'wL5GoebAZXHe2e-6RX2EBGwvCZ9dRD95vXlIiEb4mP4', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', '["openid", "account:read"]', 1795165200, 1795168800, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', '-yrz2SOVpEJCL6zz6NmnlOh_aQ_78Df09Vo5h_ikXSI', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', '["openid", "account:read"]', 1795165210, 1795168810, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', 'iHLrdsddalibGN2XN9OXKzHkeF-Z1I-v8IV2AzEYJ3A', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', '["openid", "account:read"]', 1795165220, 1795168820, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', 'og4j0XEIJkLiD-YxweDbBDR4hj6Q-fQwHrYn15-WNd4', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', '["openid", "account:read"]', 1795165230, 1795168830, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', 'CHT9vOGzk6vvMd3C4wCAVOVn_n36d6FIe8V0VtPPHUc', 'grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y', '["openid", "account:read"]', 1795165200, 1795168800, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', 'Ji57HwlKFqxahmNXy_3dNxv0QprdzeQyGzA33bwRVew', 'grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y', '["openid", "account:read"]', 1795165200, 1795168800, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', 'A3ciUqRjrKoU44cyrl7RABN23C1fIeCd3Q2K_sGiNiI', 'grant_oZgbGxgR0sFXZHPlpSDkX6GQj4UhcA73COn7Ub2bHwA', '["openid", "account:read", "account:write"]', 1795165200, 1795168800, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', '8mHGE8DEpx1CVSgt5Ogk4oPkkEDdMndqpTlEuVJpwoQ', 'grant_mBUcngwcVBsvDG5upcmx2sQ9p2ki6oQUwGM_IwrJTN8', '["openid", "account:read"]', 1795165200, 1795168800, 1795165200);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', 'sKxg9moUMygWPMsNfevwt0tyRKjY26x2y51af0rVpC8', 'grant_ZAvcJTXnazGA9ERCzUZPLAM6bMixs0565_DnWG0G50w', '["openid", "account:read"]', 1795165200, 1795168800, NULL);
INSERT INTO public.hallpass_access_token VALUES ('site_lantern', '76EuT6Xc2141KobTFODZUuwjNkx--2wiNLxK8G-iKhg', 'grant_5odyuKBN9XeCbHAo4P5ENjvsdANKQ6jV1f9PJ24R4GA', '["openid", "account:read"]', 1795165200, 1795168800, NULL);
INSERT INTO public.hallpass_client VALUES ('site_lantern', 'study-buddy', 'member', 'Study Buddy', '["http://127.0.0.1:7777/callback"]', 'none', '[]', '["account:read"]', false, 1795164200, 1795165200, NULL, NULL, 1, NULL, NULL, NULL, NULL);
INSERT INTO public.hallpass_client VALUES ('site_lantern', 'portfolio-hub', 'member', 'Portfolio Hub', '["http://127.0.0.1:7777/callback"]', 'client_secret_post', '[{"hash": "uQRIYXV-DgRf5yEsFPhXaSOzBvfS6BnVDO_hH_jbAmY", "expiresAt": null}]', '["account:read", "account:write"]', false, 1795164200, 1795165200, NULL, NULL, 1, NULL, NULL, NULL, NULL);
INSERT INTO public.hallpass_client VALUES ('site_lantern', 'loop_unused', 'loopback', 'Löop "Unused"', '["http://127.0.0.1:7777/callback"]', 'none', '[]', NULL, false, 1795165195, NULL, NULL, NULL, 1, NULL, NULL, NULL, NULL);
INSERT INTO public.hallpass_client VALUES ('site_lantern', 'loop_gone', 'loopback', 'Study Buddy', '["http://127.0.0.1:7777/callback"]', 'none', '[]', NULL, false, 1795164200, NULL, NULL, NULL, 1, 1795165199, NULL, NULL, '{"tosUri": null, "logoUri": null, "contacts": ["a@b.example"], "clientUri": "https://a.example", "policyUri": null}');
INSERT INTO public.hallpass_client VALUES ('site_lantern', 'https://app.example/client.json', 'document', 'Study Buddy', '["http://127.0.0.1:7777/callback"]', 'none', '[]', NULL, false, 1795164200, NULL, NULL, NULL, 1, NULL, '{"digest": "d", "changedAt": null, "fetchedAt": 1795165197, "freshUntil": 1795165209, "reviewedAt": null, "firstSeenAt": 1795165191}', NULL, NULL);
INSERT INTO public.hallpass_client VALUES ('site_lantern', 'disabled', 'member', 'Study Buddy', '["http://127.0.0.1:7777/callback"]', 'none', '[]', '["account:read"]', true, 1795164200, NULL, 'd', 'pencil', 1, NULL, NULL, 1795165299, NULL);
INSERT INTO public.hallpass_clock VALUES ('site_lantern', 1795165100, '{"to": 1795165199, "from": 1795165198, "steadySeconds": 1}');
INSERT INTO public.hallpass_code VALUES ('site_lantern', 'WHcgC1eC1kmL8bKWu-Q8AHNlW0Vqq8PI6gStUaRi7eE', 'grant__rUjkIVNf6fVwk2k1z6yu9sXxWeuijnHZUo0gVeWqF4', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, NULL, 1795165200, 1795165260, 1795165200, true, NULL);
INSERT INTO public.hallpass_code VALUES ('site_lantern', 'FVW3Rfl4sLZUxEX9dhxApugNsME0F2Xwb_yE4EKW-zA', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, NULL, 1795165200, 1795165260, 1795165200, true, NULL);
INSERT INTO public.hallpass_code VALUES ('site_lantern', 'YZV_Gj4O7GsyDP1AhQ5BbHRXHCSrn_-80VxFXj68LcI', 'grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, NULL, 1795165200, 1795165260, 1795165200, true, NULL);
INSERT INTO public.hallpass_code VALUES ('site_lantern', 'SryxYM3KAVdwMfplKajp4gZ13rX5uJjKGaD-q3X2CUo', 'grant_oZgbGxgR0sFXZHPlpSDkX6GQj4UhcA73COn7Ub2bHwA', 'portfolio-hub', 'mem_mei', '["openid", "account:read", "account:write"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, NULL, 1795165200, 1795165260, 1795165200, true, NULL);
INSERT INTO public.hallpass_code VALUES ('site_lantern', 'wyTFT1XRfU7gsGNGBbj3NnpNvsnmQr1hRNxjKVmKoIw', 'grant_mBUcngwcVBsvDG5upcmx2sQ9p2ki6oQUwGM_IwrJTN8', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, NULL, 1795165200, 1795165260, 1795165200, true, NULL);
INSERT INTO public.hallpass_code VALUES ('site_lantern', 'AjME6gmymFrMtfeFnZzvdNOMwJ8o8Getdlg8jbL6oy4', 'grant_ZAvcJTXnazGA9ERCzUZPLAM6bMixs0565_DnWG0G50w', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, NULL, 1795165200, 1795165260, 1795165200, true, NULL);
INSERT INTO public.hallpass_code VALUES ('site_lantern', '28gQst6TBEgR5OAeOX_LCd9k7wCp00ceRokfeBeffNs', 'grant_Qs0S15kVoOzVw4A5dREynGbaJXoljuz3f_TkWdUfIjc', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, NULL, 1795165200, 1795165260, NULL, true, NULL);
INSERT INTO public.hallpass_code VALUES ('site_lantern', '8sSRWj34ibWK6zazuFnX2MKB4W14qjQmIt0Adz-geYc', 'grant_5odyuKBN9XeCbHAo4P5ENjvsdANKQ6jV1f9PJ24R4GA', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, NULL, 1795165200, 1795165260, 1795165200, true, NULL);
INSERT INTO public.hallpass_consent VALUES ('site_lantern', 'SmMtuqHTW7P2DWwIemMI-lzm8Osx4Vsrfr4RdOVD_Gg', 'portfolio-hub', 'mem_mei');
INSERT INTO public.hallpass_erasure VALUES ('site_lantern', 'G2Q2vPr4FSIVriAoP2_cSjMSmiuf2Hhqcsp5XM6lGqo', 0);
INSERT INTO public.hallpass_erasure VALUES ('site_lantern', 'h2ZtvOln3n2eiYTPJZRKVG06jQA4h_Q-AExoh6Zfnrs', 1795165200);
INSERT INTO public.hallpass_grant VALUES ('site_lantern', 'grant__rUjkIVNf6fVwk2k1z6yu9sXxWeuijnHZUo0gVeWqF4', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 1795165200, 1810717200, NULL, NULL);
INSERT INTO public.hallpass_grant VALUES ('site_lantern', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 1795165200, 1810717200, NULL, NULL);
INSERT INTO public.hallpass_grant VALUES ('site_lantern', 'grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 1795165200, 1810717200, NULL, NULL);
INSERT INTO public.hallpass_grant VALUES ('site_lantern', 'grant_oZgbGxgR0sFXZHPlpSDkX6GQj4UhcA73COn7Ub2bHwA', 'portfolio-hub', 'mem_mei', '["openid", "account:read", "account:write"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 1795165200, 1810717200, NULL, NULL);
INSERT INTO public.hallpass_grant VALUES ('site_lantern', 'grant_mBUcngwcVBsvDG5upcmx2sQ9p2ki6oQUwGM_IwrJTN8', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 1795165200, 1810717200, NULL, NULL);
INSERT INTO public.hallpass_grant VALUES ('site_lantern', 'grant_ZAvcJTXnazGA9ERCzUZPLAM6bMixs0565_DnWG0G50w', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 1795165200, 1810717200, 1795165200, 'person');
INSERT INTO public.hallpass_grant VALUES ('site_lantern', 'grant_5odyuKBN9XeCbHAo4P5ENjvsdANKQ6jV1f9PJ24R4GA', 'study-buddy', 'mem_mei', '["openid", "account:read"]', 'https://lantern.example', 'http://127.0.0.1:7777/callback', 1795165200, 1810717200, NULL, NULL);
INSERT INTO public.hallpass_idempotency VALUES ('site_lantern', 'LHDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM', 'H1i5FFsk0QjXrDiIcziz6jIpgzucHkGCUDQ_kHv9EEc', 1795251600, '{"body": "{}", "status": 200, "headers": {"x": "y"}}');
INSERT INTO public.hallpass_key VALUES ('site_lantern', 'eWg7RQ4JjlKpVP1KSn7lbJixusCSmO0kp7EsYUBi4Uo', 'active', '{"kty":"EC","crv":"P-256","x":"_oLdYMokYQrSMMNz215h8E4vrtwqMRwY0Z2cpJmN-wY","y":"0HD1nC2HJevMTIkHAcH3yM22dY2g0NG1QSZ5pbRg-8M","kid":"eWg7RQ4JjlKpVP1KSn7lbJixusCSmO0kp7EsYUBi4Uo","use":"sig","alg":"ES256"}', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiUVY2TUtYNTRLcWUxZkRlYkhPbWI1aXlMa01kUzlFNGxsRHNZc1VQaDhuZyJ9..SUE60VSLCxNgsYgb.JMXf9goCIcpudjJo_xXiuJNuCW7FX5vHIIATLbWQoIxMKXf3ycDrXNpwf5dlMZRfSncXroSVYd8UNWc4VGj_NEjs94tdX1uc-DWFUt_zrvxLerrz0qzF502l5G4LEOziv4wkwPLEfZrWGng-3var2G8QYBTwh0V_O5z9h-KqNf8tFcrjKdlJ-TvYudQd8Cy9wEIaH23PdEu3PZkrNZp-w-P9hIdkk6DZpZyaWqt5a_0.pyBea3Z8eaFbid7WWopnJg', 1795165200, 1795165200, 1795165200, NULL, NULL);
INSERT INTO public.hallpass_migration VALUES (1, '2026-11-29 07:05:52.94692+00', 1);
INSERT INTO public.hallpass_migration VALUES (2, '2026-11-29 07:05:53.088652+00', 2);
INSERT INTO public.hallpass_migration VALUES (3, '2026-11-29 07:05:53.122524+00', 2);
INSERT INTO public.hallpass_migration VALUES (4, '2026-11-29 07:05:53.134304+00', 3);
INSERT INTO public.hallpass_migration VALUES (5, '2026-11-29 07:05:53.138484+00', 5);
INSERT INTO public.hallpass_migration VALUES (6, '2026-11-29 07:05:53.174467+00', 5);
INSERT INTO public.hallpass_migration VALUES (7, '2026-11-29 07:05:53.186359+00', 6);
INSERT INTO public.hallpass_migration VALUES (8, '2026-11-29 07:05:53.205339+00', 6);
INSERT INTO public.hallpass_migration VALUES (9, '2026-11-29 07:05:53.211878+00', 6);
INSERT INTO public.hallpass_migration VALUES (10, '2026-11-29 07:05:53.234424+00', 6);
INSERT INTO public.hallpass_migration VALUES (11, '2026-11-29 07:05:53.236373+00', 6);
INSERT INTO public.hallpass_migration VALUES (12, '2026-11-29 07:05:53.238084+00', 6);
INSERT INTO public.hallpass_migration VALUES (13, '2026-11-29 07:05:53.262386+00', 6);
INSERT INTO public.hallpass_migration VALUES (14, '2026-11-29 07:05:53.26467+00', 14);
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_1_KYqjQhZQp6zDduRinMdLLnC3yasQpx637tirPo4WE', 1795935953446768, 1795165200, '{"at": 1795165200, "id": "event_1_KYqjQhZQp6zDduRinMdLLnC3yasQpx637tirPo4WE", "kid": "eWg7RQ4JjlKpVP1KSn7lbJixusCSmO0kp7EsYUBi4Uo", "type": "oauth.key.published"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_H4BAcJxJozToOtGREhD3SyWuV-B2HsxA4PTb295GttU', 1795935953640500, 1795165200, '{"at": 1795165200, "id": "event_H4BAcJxJozToOtGREhD3SyWuV-B2HsxA4PTb295GttU", "kid": "eWg7RQ4JjlKpVP1KSn7lbJixusCSmO0kp7EsYUBi4Uo", "type": "oauth.key.activated"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_YD9Gj02ZjgYmWkS4OsSjJiQ6BgrLFkGniYx1FJmN0P4', 1795935953989982, 1795165200, '{"at": 1795165200, "id": "event_YD9Gj02ZjgYmWkS4OsSjJiQ6BgrLFkGniYx1FJmN0P4", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read"], "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_asgrdHD6LhbZgnB0", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_Ww6Oq7MVf9sUPnt4LdfeP4kB40oxkKPCdHZO-Hmt8DE', 1795935954011459, 1795165200, '{"at": 1795165200, "id": "event_Ww6Oq7MVf9sUPnt4LdfeP4kB40oxkKPCdHZO-Hmt8DE", "type": "oauth.authorization.code_redeemed", "scopes": ["openid", "account:read"], "grantId": "grant__rUjkIVNf6fVwk2k1z6yu9sXxWeuijnHZUo0gVeWqF4", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_pv97BFkUAN1fQixQ"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_0DlMDV51lpBRi6itL90HHGLf3n5l_ojIbXdLK0iw214', 1795935954011460, 1795165200, '{"at": 1795165200, "id": "event_0DlMDV51lpBRi6itL90HHGLf3n5l_ojIbXdLK0iw214", "type": "oauth.grant.created", "scopes": ["openid", "account:read"], "grantId": "grant__rUjkIVNf6fVwk2k1z6yu9sXxWeuijnHZUo0gVeWqF4", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_pv97BFkUAN1fQixQ"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_YwA2XUwrwaMXDAj-L4Q40xGJvvsayhHdaazwbLsYfkY', 1795935954011461, 1795165200, '{"at": 1795165200, "id": "event_YwA2XUwrwaMXDAj-L4Q40xGJvvsayhHdaazwbLsYfkY", "type": "oauth.token.issued", "scopes": ["openid", "account:read"], "grantId": "grant__rUjkIVNf6fVwk2k1z6yu9sXxWeuijnHZUo0gVeWqF4", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_pv97BFkUAN1fQixQ"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_0qqe6Ysgn-UlSHMpcPC3Vc4WvcnKf38HPm2EV4gZio4', 1795935954050611, 1795165200, '{"at": 1795165200, "id": "event_0qqe6Ysgn-UlSHMpcPC3Vc4WvcnKf38HPm2EV4gZio4", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read"], "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_t6sAafUqQoHH0eJF", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_7GoDpfIrseMx_VtM_MrAnGLVMsuh7PM7pVCnqecPxxU', 1795935954062236, 1795165200, '{"at": 1795165200, "id": "event_7GoDpfIrseMx_VtM_MrAnGLVMsuh7PM7pVCnqecPxxU", "type": "oauth.authorization.code_redeemed", "scopes": ["openid", "account:read"], "grantId": "grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_HKvdKU9n5Sm1VtPO"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_zZVLe9MYhKIq2Z5o1RkApq17q-3J4_vs1LhfavnyuKM', 1795935954062237, 1795165200, '{"at": 1795165200, "id": "event_zZVLe9MYhKIq2Z5o1RkApq17q-3J4_vs1LhfavnyuKM", "type": "oauth.grant.created", "scopes": ["openid", "account:read"], "grantId": "grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_HKvdKU9n5Sm1VtPO"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_rDpGhglrr2ugNP8eaB0CbwqDmlto08kBAAzafAZes2A', 1795935954062238, 1795165200, '{"at": 1795165200, "id": "event_rDpGhglrr2ugNP8eaB0CbwqDmlto08kBAAzafAZes2A", "type": "oauth.token.issued", "scopes": ["openid", "account:read"], "grantId": "grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_HKvdKU9n5Sm1VtPO"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_QrFgD8nNC60dJwTCN4Al5Rj08Tea8T1AEazsh2D-cJM', 1795935954068810, 1795165210, '{"at": 1795165210, "id": "event_QrFgD8nNC60dJwTCN4Al5Rj08Tea8T1AEazsh2D-cJM", "type": "oauth.token.refreshed", "scopes": ["openid", "account:read"], "grantId": "grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_sRa-XbBebC_STd2U"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_C0XAU51sdUZ-0ySRT4xAVrPyv-WKPIOMe0Qio9E8Kts', 1795935954087404, 1795165220, '{"at": 1795165220, "id": "event_C0XAU51sdUZ-0ySRT4xAVrPyv-WKPIOMe0Qio9E8Kts", "type": "oauth.token.refreshed", "scopes": ["openid", "account:read"], "grantId": "grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_ylS13wctWD8LSNwq"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_A9rMsr056dE2oMuYAoRaS4Z_DIYib84pczPLJ1tzajw', 1795935954101999, 1795165230, '{"at": 1795165230, "id": "event_A9rMsr056dE2oMuYAoRaS4Z_DIYib84pczPLJ1tzajw", "type": "oauth.token.refreshed", "scopes": ["openid", "account:read"], "grantId": "grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_eFJ4Zb8xUvLyOT_-"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event__lEJgBWrbhIfq7Ce0feZ70xoCrLJLfWEsqDHGdPsUf8', 1795935954146655, 1795165200, '{"at": 1795165200, "id": "event__lEJgBWrbhIfq7Ce0feZ70xoCrLJLfWEsqDHGdPsUf8", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read"], "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_4KWx-04o-vv06sqU", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event__rgT9wuex5wYUK7ZZbQB_dhZFrTR6gUyweaoF01dx9U', 1795935954157891, 1795165200, '{"at": 1795165200, "id": "event__rgT9wuex5wYUK7ZZbQB_dhZFrTR6gUyweaoF01dx9U", "type": "oauth.authorization.code_redeemed", "scopes": ["openid", "account:read"], "grantId": "grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_ERg18jh4XE5D-eXS"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_KoY9JqxDUiimboxH9tTx3jTpoqwpz4JRV1BvS7tsbCc', 1795935954157892, 1795165200, '{"at": 1795165200, "id": "event_KoY9JqxDUiimboxH9tTx3jTpoqwpz4JRV1BvS7tsbCc", "type": "oauth.grant.created", "scopes": ["openid", "account:read"], "grantId": "grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_ERg18jh4XE5D-eXS"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_nsPEUDJrCj8vhKkHtpYmVitkkbgcNkrPd-A2fefs3Xw', 1795935954157893, 1795165200, '{"at": 1795165200, "id": "event_nsPEUDJrCj8vhKkHtpYmVitkkbgcNkrPd-A2fefs3Xw", "type": "oauth.token.issued", "scopes": ["openid", "account:read"], "grantId": "grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_ERg18jh4XE5D-eXS"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_0fhKPb03m9E7TsbjWpTvymOfJom2bQ4zFyV7D2rAjw0', 1795935954171892, 1795165200, '{"at": 1795165200, "id": "event_0fhKPb03m9E7TsbjWpTvymOfJom2bQ4zFyV7D2rAjw0", "type": "oauth.token.refreshed", "scopes": ["openid", "account:read"], "grantId": "grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_LvxOgdamcjmPsA36"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_KUdzD4XsKFpxdtcSVA4FwxCSBPDj4dGvlXluhnaJNjc', 1795935954217296, 1795165200, '{"at": 1795165200, "id": "event_KUdzD4XsKFpxdtcSVA4FwxCSBPDj4dGvlXluhnaJNjc", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read", "account:write"], "subject": "mem_mei", "clientId": "portfolio-hub", "requestId": "req_nfPyd9sWLz_-dECw", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_QW3i2iximh6IgwdYVtn4le2kfbVKVp71ycPgNSphHoE', 1795935954232250, 1795165200, '{"at": 1795165200, "id": "event_QW3i2iximh6IgwdYVtn4le2kfbVKVp71ycPgNSphHoE", "type": "oauth.authorization.code_redeemed", "scopes": ["openid", "account:read", "account:write"], "grantId": "grant_oZgbGxgR0sFXZHPlpSDkX6GQj4UhcA73COn7Ub2bHwA", "subject": "mem_mei", "clientId": "portfolio-hub", "requestId": "req_PvxBosokR493tLng"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_yps6OMWglYpxYPYpRh_KENIeojlbolurvLHDUxy4FXg', 1795935954232251, 1795165200, '{"at": 1795165200, "id": "event_yps6OMWglYpxYPYpRh_KENIeojlbolurvLHDUxy4FXg", "type": "oauth.grant.created", "scopes": ["openid", "account:read", "account:write"], "grantId": "grant_oZgbGxgR0sFXZHPlpSDkX6GQj4UhcA73COn7Ub2bHwA", "subject": "mem_mei", "clientId": "portfolio-hub", "requestId": "req_PvxBosokR493tLng"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_XDOKQbVGalwXmVrX-L_UF2cFwRl3lktI5FtjuEAfEBQ', 1795935954232252, 1795165200, '{"at": 1795165200, "id": "event_XDOKQbVGalwXmVrX-L_UF2cFwRl3lktI5FtjuEAfEBQ", "type": "oauth.token.issued", "scopes": ["openid", "account:read", "account:write"], "grantId": "grant_oZgbGxgR0sFXZHPlpSDkX6GQj4UhcA73COn7Ub2bHwA", "subject": "mem_mei", "clientId": "portfolio-hub", "requestId": "req_PvxBosokR493tLng"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_QQ7vcNinNEVF3Fl5DK-hxQ7060oJdyxE7U9m7UhoxmY', 1795935954267326, 1795165200, '{"at": 1795165200, "id": "event_QQ7vcNinNEVF3Fl5DK-hxQ7060oJdyxE7U9m7UhoxmY", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read"], "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_NLRGIHszleytqAtu", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_-EtP3P06Dx11Qo4eoCvHPh67g8Jf5bZk3owXDJyBc8w', 1795935954280892, 1795165200, '{"at": 1795165200, "id": "event_-EtP3P06Dx11Qo4eoCvHPh67g8Jf5bZk3owXDJyBc8w", "type": "oauth.authorization.code_redeemed", "scopes": ["openid", "account:read"], "grantId": "grant_mBUcngwcVBsvDG5upcmx2sQ9p2ki6oQUwGM_IwrJTN8", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_Tdni7u0I17gF6b3i"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_4VIuBCAz4cZgGo2xp9K8-lJ21tVk46Xx4X7wfcLuur4', 1795935954280893, 1795165200, '{"at": 1795165200, "id": "event_4VIuBCAz4cZgGo2xp9K8-lJ21tVk46Xx4X7wfcLuur4", "type": "oauth.grant.created", "scopes": ["openid", "account:read"], "grantId": "grant_mBUcngwcVBsvDG5upcmx2sQ9p2ki6oQUwGM_IwrJTN8", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_Tdni7u0I17gF6b3i"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_o_rHSlM861OZUWvVdzu6lf9vyll1OF-iHj5ixSJAzis', 1795935954280894, 1795165200, '{"at": 1795165200, "id": "event_o_rHSlM861OZUWvVdzu6lf9vyll1OF-iHj5ixSJAzis", "type": "oauth.token.issued", "scopes": ["openid", "account:read"], "grantId": "grant_mBUcngwcVBsvDG5upcmx2sQ9p2ki6oQUwGM_IwrJTN8", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_Tdni7u0I17gF6b3i"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_qmaDGiyfxOVrjr4Mr4N0Lop8_h9Zch5qDSzrhXNrfLc', 1795935954319558, 1795165200, '{"at": 1795165200, "id": "event_qmaDGiyfxOVrjr4Mr4N0Lop8_h9Zch5qDSzrhXNrfLc", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read"], "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_f7n_cMTCaAbThKFY", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_Gyt4vLKuHsx7bJkn0igVfvAGuVxzuwKkjUuEafs5iBc', 1795935954334730, 1795165200, '{"at": 1795165200, "id": "event_Gyt4vLKuHsx7bJkn0igVfvAGuVxzuwKkjUuEafs5iBc", "type": "oauth.authorization.code_redeemed", "scopes": ["openid", "account:read"], "grantId": "grant_ZAvcJTXnazGA9ERCzUZPLAM6bMixs0565_DnWG0G50w", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_v7IXeFWTfNPtFhDH"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_aqOnfSGlABjxAoo-y3G2VEeleUye-sfbmB0Cp4kzN_A', 1795935954334731, 1795165200, '{"at": 1795165200, "id": "event_aqOnfSGlABjxAoo-y3G2VEeleUye-sfbmB0Cp4kzN_A", "type": "oauth.grant.created", "scopes": ["openid", "account:read"], "grantId": "grant_ZAvcJTXnazGA9ERCzUZPLAM6bMixs0565_DnWG0G50w", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_v7IXeFWTfNPtFhDH"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_hkWF_NljZJOlvi3WMDp5q4zwahJtGEu4mZJb6Gy_AQ0', 1795935954334732, 1795165200, '{"at": 1795165200, "id": "event_hkWF_NljZJOlvi3WMDp5q4zwahJtGEu4mZJb6Gy_AQ0", "type": "oauth.token.issued", "scopes": ["openid", "account:read"], "grantId": "grant_ZAvcJTXnazGA9ERCzUZPLAM6bMixs0565_DnWG0G50w", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_v7IXeFWTfNPtFhDH"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_2fvC7_fOdA2tuBWdDs5SCqnhgBAVV24z_xbgz_rUcnI', 1795935954367870, 1795165200, '{"at": 1795165200, "id": "event_2fvC7_fOdA2tuBWdDs5SCqnhgBAVV24z_xbgz_rUcnI", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read"], "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_JyVJjusarb_4JoDd", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_1Paf898DQNtD0JNwBHWnoR1cDEWIi69TIsnORro7na0', 1795935954399056, 1795165200, '{"at": 1795165200, "id": "event_1Paf898DQNtD0JNwBHWnoR1cDEWIi69TIsnORro7na0", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read"], "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_oTY9uMDxHTT4tgQO", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_zwYPYDSboVlGnYNiQQdJdNy0FWci7m3c2EPeDvDw7zI', 1795935954412355, 1795165200, '{"at": 1795165200, "id": "event_zwYPYDSboVlGnYNiQQdJdNy0FWci7m3c2EPeDvDw7zI", "type": "oauth.authorization.code_redeemed", "scopes": ["openid", "account:read"], "grantId": "grant_5odyuKBN9XeCbHAo4P5ENjvsdANKQ6jV1f9PJ24R4GA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_VGhxXb7D4g7_Hewl"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_Cv6R3hRNt0A7sWXYCTFaahlPH8Zn9piCeBBPzByefZE', 1795935954412356, 1795165200, '{"at": 1795165200, "id": "event_Cv6R3hRNt0A7sWXYCTFaahlPH8Zn9piCeBBPzByefZE", "type": "oauth.grant.created", "scopes": ["openid", "account:read"], "grantId": "grant_5odyuKBN9XeCbHAo4P5ENjvsdANKQ6jV1f9PJ24R4GA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_VGhxXb7D4g7_Hewl"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_ec30yHc2xEqPy5vX3LekfWV8ompQTZd_ztYOPBKIw64', 1795935954412357, 1795165200, '{"at": 1795165200, "id": "event_ec30yHc2xEqPy5vX3LekfWV8ompQTZd_ztYOPBKIw64", "type": "oauth.token.issued", "scopes": ["openid", "account:read"], "grantId": "grant_5odyuKBN9XeCbHAo4P5ENjvsdANKQ6jV1f9PJ24R4GA", "subject": "mem_mei", "clientId": "study-buddy", "requestId": "req_VGhxXb7D4g7_Hewl"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_H439MppFytiqVYZJAN4X7o8SK8kEOBgRg-FL8G18BI4', 1795935954473230, 1795165200, '{"at": 1795165200, "id": "event_H439MppFytiqVYZJAN4X7o8SK8kEOBgRg-FL8G18BI4", "type": "oauth.authorization.approved", "scopes": ["openid", "account:read"], "subject": null, "clientId": "study-buddy", "requestId": "req_2yLC5dv-zxKS2A-s", "remembered": false}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_Val9eCgnkNCi1dgFXzDcGT9O2cgekA2qZk1XOdVHpuQ', 1795935954484835, 1795165200, '{"at": 1795165200, "id": "event_Val9eCgnkNCi1dgFXzDcGT9O2cgekA2qZk1XOdVHpuQ", "type": "oauth.authorization.code_redeemed", "scopes": ["openid", "account:read"], "grantId": "grant_Gy5Sg7aYYSvU6RGhRgYWddOwp0JJuKKsYUJYMqXt2K0", "subject": null, "clientId": "study-buddy", "requestId": "req_pq95pPQeqTLLlyqF"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_IKtTZqCSb5w1kI0HzYwu5bJcLDyiiIgGzMQS5cnTxzI', 1795935954484836, 1795165200, '{"at": 1795165200, "id": "event_IKtTZqCSb5w1kI0HzYwu5bJcLDyiiIgGzMQS5cnTxzI", "type": "oauth.grant.created", "scopes": ["openid", "account:read"], "grantId": "grant_Gy5Sg7aYYSvU6RGhRgYWddOwp0JJuKKsYUJYMqXt2K0", "subject": null, "clientId": "study-buddy", "requestId": "req_pq95pPQeqTLLlyqF"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'event_a0xPTg21mX43cJV4eI1T77XwRbxjKRIhG1mWcVPd1ok', 1795935954484837, 1795165200, '{"at": 1795165200, "id": "event_a0xPTg21mX43cJV4eI1T77XwRbxjKRIhG1mWcVPd1ok", "type": "oauth.token.issued", "scopes": ["openid", "account:read"], "grantId": "grant_Gy5Sg7aYYSvU6RGhRgYWddOwp0JJuKKsYUJYMqXt2K0", "subject": null, "clientId": "study-buddy", "requestId": "req_pq95pPQeqTLLlyqF"}');
INSERT INTO public.hallpass_outbox VALUES ('site_lantern', 'evt_erased', 1795935954494507, 1795165200, '{"at": 1795165200, "id": "evt_erased", "type": "oauth.person.erased", "grants": 1}');
INSERT INTO public.hallpass_pending VALUES ('site_lantern', 'kQVzdzwFWBnITzS18Hdv9it-AmEF2i3oaMB6WsvoRCM', 'QGrwnIy9_UN04IlxcWt4R8rTZDKzsf5ccVcMu_tIvMc', 'study-buddy', 'http://127.0.0.1:7777/callback', '["openid", "account:read"]', 'https://lantern.example', 'af0ifjsldkj', 'y5UF_tmp_ICTDGza-Ou2vUvx2cu7DBN-Xwf_z0RDfTw', NULL, '["login"]', NULL, 'Mei@Example.com', 1795165200, 1795165800, true, '["zh-Hant-TW", "en"]');
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 'b3mPcfLOz6YEjDSCXTSIwt6_OBOfsKtqzgCzSuYJblU', 'grant__rUjkIVNf6fVwk2k1z6yu9sXxWeuijnHZUo0gVeWqF4', 1795165200, 1797757200, NULL);
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 'kmThrKCTBINgt_KjPRgTSM_war6PN-Z3F_tSDbX0T3g', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', 1795165200, 1797757200, '["w-tY52XLBImY-sNE9iz0DCyrkpxFHvvPakA57WQbKsI", 1795165210, 1795168810, "FXrrxCYpIV7fQoNBQuxOsdwGOdjnzdhkcRnYlduHSPQ", ["openid", "account:read"], true]');
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 'w-tY52XLBImY-sNE9iz0DCyrkpxFHvvPakA57WQbKsI', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', 1795165210, 1797757210, '["TaxdFnbdcyW2AJokeaaa-sBXUQGtosolC2tUDNpAtZQ", 1795165220, 1795168820, "fHkFzO5HGYE_xEm548LwUsvBSEakQSXsgOgUSfjluto", ["openid", "account:read"], true]');
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 'TaxdFnbdcyW2AJokeaaa-sBXUQGtosolC2tUDNpAtZQ', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', 1795165220, 1797757220, '["k8NXpcQV-COwjp36sq3-V5r0J3mQfOSJG4QZ7Wqw6Yw", 1795165230, 1795168830, "UZfvIlZ4cQHcLdawJEPOGjjKLmBETImI-Sl6YiybAjs", ["openid", "account:read"], true]');
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 'k8NXpcQV-COwjp36sq3-V5r0J3mQfOSJG4QZ7Wqw6Yw', 'grant_ssC2tlAxH5gOoQac8tf8xAeuRY70Y1_CbQv-d6tUBpA', 1795165230, 1797757230, NULL);
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 'aTGlWHG6TDtqk9gUYwgtimMrCG3Y16gW5pHwCMFPqkQ', 'grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y', 1795165200, 1797757200, '["9D8rwVoUMGFz1BzhmvyCKNBaeMnwGTgI6dgTijvcb5U", 1795165200, 1795168800, "yy90emGIIj8219pIkVBulihwgf5GUvdarl7FSY2j0Ug", ["openid", "account:read"], true]');
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', '9D8rwVoUMGFz1BzhmvyCKNBaeMnwGTgI6dgTijvcb5U', 'grant_3JrzorsvBaOobyIhZvUB-6zmDlsAUBxYE_bm728bs_Y', 1795165200, 1797757200, NULL);
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 'ZHuBnEGYUJhJ4LWPOzLbTqRQxwrYVtoQ6B_L1X5EPN8', 'grant_oZgbGxgR0sFXZHPlpSDkX6GQj4UhcA73COn7Ub2bHwA', 1795165200, 1797757200, NULL);
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 's4gApn1CM2LKf82pvD1Lzag544K-LM991bjPccoWJT0', 'grant_mBUcngwcVBsvDG5upcmx2sQ9p2ki6oQUwGM_IwrJTN8', 1795165200, 1797757200, NULL);
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', 'oZaZnaXngrbvysxfZwK8jfHeHQLjQ1aE24VIUWU0pCI', 'grant_ZAvcJTXnazGA9ERCzUZPLAM6bMixs0565_DnWG0G50w', 1795165200, 1797757200, NULL);
INSERT INTO public.hallpass_refresh_token VALUES ('site_lantern', '_GqMdNw4_Jpr9ZdL20AmjAt8Kaqbs0kTlPpsgeYiiAw', 'grant_5odyuKBN9XeCbHAo4P5ENjvsdANKQ6jV1f9PJ24R4GA', 1795165200, 1797757200, NULL);
INSERT INTO public.known_token VALUES ('access fresh', 'hpa_Z2UwxKDJ9BuuVyrWBNMSDsIaS1JoQCQBOP7VyeoZkc0');
INSERT INTO public.known_token VALUES ('refresh fresh', 'hpr_u9g2Gy-kzHWpYieSD1XIN3zjKurT4ZwiS6DVmxF1brQ');
INSERT INTO public.known_token VALUES ('access family 0', 'hpa_-7znAcVa6n1qhFryUJ7Z7aiD7ziXaZl3DNPBTPSFJ8U');
INSERT INTO public.known_token VALUES ('refresh family 0', 'hpr_uh8IyBtvpRlg_WwhDf8XU_FTvUcoJR7z_iiRw8wM4Jk');
INSERT INTO public.known_token VALUES ('access family 1', 'hpa_BqIU88K1b-n-o0oJnU6ebfpEAuHLzThQR2WL3vJQk4w');
INSERT INTO public.known_token VALUES ('refresh family 1', 'hpr_mdU6-7wdx9nwtK_SYxQFy438ovoQ5wVx4UKlIFwNbbI');
INSERT INTO public.known_token VALUES ('access family 2', 'hpa_0wau4VMwgPK8Iot786EYbp-4_VEbnwKJY9zGbe2kCBA');
INSERT INTO public.known_token VALUES ('refresh family 2', 'hpr_RLgYkKKDfpQMfo5VCjs5PtmizM0CylpzQj0rNhe1Mgc');
INSERT INTO public.known_token VALUES ('access family 3', 'hpa_IG3hfxQ2KI0lvR_6dO2sq5VQq-yeHelGxY5DNzmRG-A');
INSERT INTO public.known_token VALUES ('refresh family 3', 'hpr_2Cj1LRuyWojkkt8FwLkAh1Dgow23BQEaPnMue67ltrU');
INSERT INTO public.known_token VALUES ('access thief 0', 'hpa_xRxxVMerxbHLVhJZCRU2W40Ilmt_m0tKLFZGQf-i98I');
INSERT INTO public.known_token VALUES ('refresh thief 0', 'hpr_nhT_6k-zvfcaLVEXy9k5XauEX7DfZiOfD52UHR9_f-U');
INSERT INTO public.known_token VALUES ('access thief 1', 'hpa_jz7x_URyJInSJAdvpux4fBOr9G9n9WozIVmcsiO2DXg');
INSERT INTO public.known_token VALUES ('refresh thief 1', 'hpr_APeDd0bM-xP7cWfmTVUv989HcSo5A3PlC-3bY-fmTIU');
INSERT INTO public.known_token VALUES ('access portfolio', 'hpa_vsRmufApzMylP0X5uATcweyOUUF9l8_I5LfvS68sIKM');
INSERT INTO public.known_token VALUES ('refresh portfolio', 'hpr_l_SDPG3rsxYq_wzvPik4a40Ru9ZBi0BJ7eJq7F1cLNo');
INSERT INTO public.known_token VALUES ('access revoked', 'hpa_f6AN48sqryJp4YLzSEJzefFGH3Xa7-hspAy28Xwp40M');
INSERT INTO public.known_token VALUES ('refresh of revoked access', 'hpr_eAhdgWrBnRptS5TW5yCbl9o2WrqnsL0LvHj4NEQZk-0');
INSERT INTO public.known_token VALUES ('access ended', 'hpa_XoqQYxNLob5Ci4Q-AbHf8PGTqiC9vxGGl-Z5JVH9K9Y');
INSERT INTO public.known_token VALUES ('refresh ended', 'hpr_cKy8gRlKgrJONEyLjyEDGVbw42oOF9XE22JX4EnpzfA');
INSERT INTO public.known_token VALUES ('code open', 'hpc_bwjbwYKXb2No3alsG3ssEpfqL4mr5aBg-d6SgFdgn4Y');
INSERT INTO public.known_token VALUES ('code used', 'hpc_GuVqLldx9kRDOTE94hJ9lLqPKZkxfPMpeDyz6s1XeEQ');
INSERT INTO public.known_token VALUES ('access erased', 'hpa_oM2-k4--PFyW6IUyK4eHCdw9cjyY823vf24wKrlIXMs');
ALTER TABLE ONLY public.hallpass_access_token
    ADD CONSTRAINT hallpass_access_token_pkey PRIMARY KEY (site, token_hash);
ALTER TABLE ONLY public.hallpass_attempt
    ADD CONSTRAINT hallpass_attempt_pkey PRIMARY KEY (site, attempt_id);
ALTER TABLE ONLY public.hallpass_client
    ADD CONSTRAINT hallpass_client_pkey PRIMARY KEY (site, client_id);
ALTER TABLE ONLY public.hallpass_clock
    ADD CONSTRAINT hallpass_clock_pkey PRIMARY KEY (site);
ALTER TABLE ONLY public.hallpass_code
    ADD CONSTRAINT hallpass_code_pkey PRIMARY KEY (site, code_hash);
ALTER TABLE ONLY public.hallpass_consent
    ADD CONSTRAINT hallpass_consent_pkey PRIMARY KEY (site, consent_key);
ALTER TABLE ONLY public.hallpass_erasure
    ADD CONSTRAINT hallpass_erasure_pkey PRIMARY KEY (site, subject_hash);
ALTER TABLE ONLY public.hallpass_grant
    ADD CONSTRAINT hallpass_grant_pkey PRIMARY KEY (site, grant_id);
ALTER TABLE ONLY public.hallpass_idempotency
    ADD CONSTRAINT hallpass_idempotency_pkey PRIMARY KEY (site, key_hash);
ALTER TABLE ONLY public.hallpass_key
    ADD CONSTRAINT hallpass_key_pkey PRIMARY KEY (site, kid);
ALTER TABLE ONLY public.hallpass_migration
    ADD CONSTRAINT hallpass_migration_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.hallpass_outbox
    ADD CONSTRAINT hallpass_outbox_pkey PRIMARY KEY (site, event_id);
ALTER TABLE ONLY public.hallpass_pending
    ADD CONSTRAINT hallpass_pending_pkey PRIMARY KEY (site, id_hash);
ALTER TABLE ONLY public.hallpass_refresh_token
    ADD CONSTRAINT hallpass_refresh_token_pkey PRIMARY KEY (site, token_hash);
ALTER TABLE ONLY public.known_token
    ADD CONSTRAINT known_token_pkey PRIMARY KEY (name);
CREATE INDEX hallpass_access_token_expiry ON public.hallpass_access_token USING btree (site, expires_at);
CREATE INDEX hallpass_access_token_grant ON public.hallpass_access_token USING btree (site, grant_id);
CREATE INDEX hallpass_attempt_age ON public.hallpass_attempt USING btree (site, last_at);
CREATE INDEX hallpass_attempt_network ON public.hallpass_attempt USING btree (site, network, started_at DESC) WHERE (NOT connected);
CREATE INDEX hallpass_attempt_order ON public.hallpass_attempt USING btree (site, connected DESC, started_at DESC);
CREATE INDEX hallpass_client_newest ON public.hallpass_client USING btree (site, created_at DESC, client_id COLLATE "C");
CREATE INDEX hallpass_client_unused ON public.hallpass_client USING btree (site, created_at) WHERE ((kind = ANY (ARRAY['loopback'::text, 'document'::text])) AND (used_at IS NULL));
CREATE INDEX hallpass_client_unused_document ON public.hallpass_client USING btree (site, (((document ->> 'fetchedAt'::text))::bigint)) WHERE ((kind = 'document'::text) AND (used_at IS NULL) AND (scopes IS NULL) AND (NOT disabled) AND (deleted_at IS NULL));
CREATE INDEX hallpass_code_expiry ON public.hallpass_code USING btree (site, expires_at);
CREATE INDEX hallpass_code_holder ON public.hallpass_code USING btree (site, client_id, subject);
CREATE INDEX hallpass_code_subject ON public.hallpass_code USING btree (site, subject);
CREATE INDEX hallpass_consent_client ON public.hallpass_consent USING btree (site, client_id, subject);
CREATE INDEX hallpass_consent_subject ON public.hallpass_consent USING btree (site, subject);
CREATE INDEX hallpass_erasure_time ON public.hallpass_erasure USING btree (site, erased_at);
CREATE INDEX hallpass_grant_client ON public.hallpass_grant USING btree (site, client_id, subject) WHERE (revoked_at IS NULL);
CREATE INDEX hallpass_grant_expiry ON public.hallpass_grant USING btree (site, expires_at);
CREATE INDEX hallpass_grant_newest ON public.hallpass_grant USING btree (site, created_at DESC, grant_id COLLATE "C") WHERE (revoked_at IS NULL);
CREATE INDEX hallpass_grant_person ON public.hallpass_grant USING btree (site, subject);
CREATE INDEX hallpass_idempotency_expiry ON public.hallpass_idempotency USING btree (site, expires_at);
CREATE UNIQUE INDEX hallpass_key_one_active ON public.hallpass_key USING btree (site) WHERE (state = 'active'::text);
CREATE INDEX hallpass_outbox_actor ON public.hallpass_outbox USING btree (site, ((event ->> 'actor'::text))) WHERE ((event ->> 'actor'::text) IS NOT NULL);
CREATE INDEX hallpass_outbox_age ON public.hallpass_outbox USING btree (site, at);
CREATE INDEX hallpass_outbox_order ON public.hallpass_outbox USING btree (site, stored_at, event_id);
CREATE INDEX hallpass_outbox_subject ON public.hallpass_outbox USING btree (site, ((event ->> 'subject'::text))) WHERE ((event ->> 'subject'::text) IS NOT NULL);
CREATE INDEX hallpass_pending_expiry ON public.hallpass_pending USING btree (site, expires_at);
CREATE INDEX hallpass_pending_hint ON public.hallpass_pending USING btree (site, lower(login_hint)) WHERE (login_hint IS NOT NULL);
CREATE INDEX hallpass_refresh_token_day ON public.hallpass_refresh_token USING btree (site, grant_id, ((issued_at / 86400)));
ALTER TABLE ONLY public.hallpass_access_token
    ADD CONSTRAINT hallpass_access_token_site_grant_id_fkey FOREIGN KEY (site, grant_id) REFERENCES public.hallpass_grant(site, grant_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.hallpass_refresh_token
    ADD CONSTRAINT hallpass_refresh_token_site_grant_id_fkey FOREIGN KEY (site, grant_id) REFERENCES public.hallpass_grant(site, grant_id) ON DELETE CASCADE;
