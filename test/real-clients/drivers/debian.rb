# Ruby's openid_connect as Debian has it.
require 'json'
require 'net/http'
require 'openid_connect'

TRIAL = JSON.parse(ENV.fetch('HALLPASS_TRIAL'))
SCHOOL = TRIAL['school']
# The school is on loopback here, without TLS.
SWD.url_builder = URI::HTTP

def say(line)
  puts "STEP #{JSON.generate(line)}"
  $stdout.flush
end

def words_of(error)
  "#{error.class}: #{error.message}".gsub(/\s+/, ' ')[0, 500]
end

def step(name)
  value = yield
  say(step: name, ok: true)
  value
rescue StandardError => e
  say(step: name, ok: false, words: words_of(e))
  nil
end

def refusal(name)
  yield
  say(step: name, ok: false, words: 'not refused')
rescue StandardError => e
  say(step: name, ok: true, words: words_of(e))
end

def code_of(url)
  query = URI.encode_www_form(email: TRIAL['student'], url: url)
  answer = Net::HTTP.get_response(URI("#{TRIAL['people']}/callback?#{query}"))
  raise answer.body unless answer.code == '200'

  parameters = URI.decode_www_form(URI(answer.body).query).to_h
  raise "#{parameters['error']}: #{parameters['error_description']}" if parameters['error']

  parameters['code']
end

config = step('discovery') { OpenIDConnect::Discovery::Provider::Config.discover!(SCHOOL) }
client = OpenIDConnect::Client.new(
  identifier: TRIAL['id'],
  secret: TRIAL['secret'],
  redirect_uri: TRIAL['redirectUri'],
  authorization_endpoint: config.authorization_endpoint,
  token_endpoint: config.token_endpoint,
  userinfo_endpoint: config.userinfo_endpoint
)
verifier = 'v' * 50
challenge = Base64.urlsafe_encode64(OpenSSL::Digest::SHA256.digest(verifier), padding: false)
# region: openid_connect
method = [:body]
# endregion
sign_in = lambda do |method|
  # region: openid_connect
  url = client.authorization_uri(
    scope: %i[openid profile email account:read],
    state: 'state',
    nonce: 'n1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: SCHOOL
  )
  # endregion
  client.authorization_code = code_of(url)
  # region: openid_connect
  client.access_token!(*method, code_verifier: verifier, resource: SCHOOL)
  # endregion
end
refusal('untold') { sign_in.call([]) }
token = step('signIn') { sign_in.call(method) }
step('idToken') do
  claims = OpenIDConnect::ResponseObject::IdToken.decode(token.id_token, config.jwks)
  claims.verify!(issuer: SCHOOL, client_id: TRIAL['id'], nonce: 'n1')
end
step('userInfo') { token.userinfo!.email }
client.refresh_token = token.refresh_token
fresh = step('refresh') { client.access_token!(:body) }
step('call') do
  answer = Net::HTTP.post(
    URI("#{SCHOOL}/account/graphql"),
    '{"query":"{ viewer { id } }"}',
    'content-type' => 'application/json',
    'authorization' => "Bearer #{fresh.access_token}"
  )
  raise answer.body unless answer.code == '200'
end
step('revocation') do
  fields = { token: fresh.refresh_token, client_id: TRIAL['id'], client_secret: TRIAL['secret'] }
  answer = Net::HTTP.post_form(URI("#{SCHOOL}/api/oauth/revoke"), fields)
  raise answer.body unless answer.code == '200'
end
client.refresh_token = fresh.refresh_token
refusal('refusal') { client.access_token!(:body) }
say(ended: true)
