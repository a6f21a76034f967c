"""Python's libraries as Debian has them: `/usr/bin/python3 drivers/debian.py <client>`."""
import base64
import hashlib
import json
import os
import re
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request

os.environ['OAUTHLIB_INSECURE_TRANSPORT'] = '1'
os.environ['AUTHLIB_INSECURE_TRANSPORT'] = '1'
TRIAL = json.loads(os.environ['HALLPASS_TRIAL'])
SCHOOL, REDIRECT_URI = TRIAL['school'], TRIAL['redirectUri']
CLIENT_ID, CLIENT_SECRET = TRIAL['id'], TRIAL['secret']
SCOPE = 'openid profile email account:read'


def say(**line):
    print('STEP ' + json.dumps(line), flush=True)


def words_of(error):
    return re.sub(r'\s+', ' ', f'{type(error).__name__}: {error}')[:500]


def step(name, work):
    try:
        value = work()
    except Exception as error:
        say(step=name, ok=False, words=words_of(error))
        return None
    say(step=name, ok=True)
    return value


def refusal(name, *works):
    refused = []
    for work in works:
        try:
            value = work()
        except Exception as error:
            refused.append(words_of(error))
            continue
        return say(step=name, ok=False, words=f'not refused: {value}'[:300])
    say(step=name, ok=True, words=' / '.join(refused))


def read(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


def callback_of(url, email=TRIAL['student']):
    try:
        return read(TRIAL['people'] + '/callback?' + urllib.parse.urlencode({'email': email, 'url': url}))
    except urllib.error.HTTPError as error:
        raise Exception(error.read().decode()) from None


def account(session):
    answer = session.post(SCHOOL + '/account/graphql', json={'query': '{ viewer { id } }'})
    if answer.status_code != 200:
        raise Exception(answer.text)


metadata = json.loads(read(SCHOOL + '/.well-known/openid-configuration'))


def authlib():
    from authlib.integrations.requests_client import OAuth2Session
    from authlib.jose import jwt
    from authlib.oidc.core import CodeIDToken

    # region: Authlib
    settings = {
        'token_endpoint_auth_method': 'client_secret_post',
        'revocation_endpoint_auth_method': 'client_secret_post',
    }
    # endregion

    def begin(scope=SCOPE, **settings):
        # region: Authlib
        session = OAuth2Session(
            CLIENT_ID,
            CLIENT_SECRET,
            scope=scope,
            redirect_uri=REDIRECT_URI,
            code_challenge_method='S256',
            **settings,
        )
        verifier = secrets.token_urlsafe(40)
        url, state = session.create_authorization_url(
            metadata['authorization_endpoint'], code_verifier=verifier, nonce='n1', resource=SCHOOL
        )
        # endregion
        callback = callback_of(url)
        # region: Authlib
        token = session.fetch_token(
            metadata['token_endpoint'],
            authorization_response=callback,
            code_verifier=verifier,
            state=state,
            resource=SCHOOL,
        )
        # endregion
        return session, token

    refusal('untold', begin)
    session, token = step('signIn', lambda: begin(**settings))

    def check():
        keys = json.loads(read(metadata['jwks_uri']))
        options = {'iss': {'values': [SCHOOL]}, 'aud': {'values': [CLIENT_ID]}}
        parameters = {'nonce': 'n1', 'client_id': CLIENT_ID}
        claims = jwt.decode(
            token['id_token'], keys, claims_cls=CodeIDToken, claims_options=options, claims_params=parameters
        )
        claims.validate()

    step('idToken', check)
    step('userInfo', lambda: session.get(metadata['userinfo_endpoint']).json()['email'])
    refresh = lambda: session.refresh_token(
        metadata['token_endpoint'], refresh_token=session.token['refresh_token']
    )
    step('refresh', refresh)
    step('call', lambda: account(session))

    def revoke():
        answer = session.revoke_token(
            metadata['revocation_endpoint'],
            token=session.token['refresh_token'],
            token_type_hint='refresh_token',
        )
        if answer.status_code != 200:
            raise Exception(answer.text)

    step('revocation', revoke)
    refusal('refusal', refresh)


def requests_oauthlib():
    import requests
    from requests_oauthlib import OAuth2Session

    # region: requests-oauthlib
    settings = {'include_client_id': True}
    # endregion

    def begin(scope=SCOPE, **settings):
        verifier = secrets.token_urlsafe(40)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b'=').decode()
        # region: requests-oauthlib
        session = OAuth2Session(CLIENT_ID, scope=scope.split(), redirect_uri=REDIRECT_URI)
        url, _ = session.authorization_url(
            metadata['authorization_endpoint'],
            code_challenge=challenge,
            code_challenge_method='S256',
            resource=SCHOOL,
        )
        # endregion
        callback = callback_of(url)
        # region: requests-oauthlib
        session.fetch_token(
            metadata['token_endpoint'],
            authorization_response=callback,
            code_verifier=verifier,
            resource=SCHOOL,
            client_secret=CLIENT_SECRET,
            **settings,
        )
        # endregion
        return session

    refusal('untold', begin)
    session = step('signIn', lambda: begin(**settings))
    step('userInfo', lambda: session.get(metadata['userinfo_endpoint']).json()['email'])
    own = {'client_id': CLIENT_ID, 'client_secret': CLIENT_SECRET}
    refresh = lambda: session.refresh_token(metadata['token_endpoint'], **own)
    step('refresh', refresh)
    step('call', lambda: account(session))

    def revoke():
        data = {'token': session.token['refresh_token'], **own}
        answer = requests.post(metadata['revocation_endpoint'], data=data)
        if answer.status_code != 200:
            raise Exception(answer.text)

    step('revocation', revoke)
    refusal('refusal', refresh, lambda: begin('courses:read', **settings))


{'Authlib': authlib, 'requests-oauthlib': requests_oauthlib}[sys.argv[1]]()
say(ended=True)
