import { configureAuthorizationServer, PATHS } from 'hallpass/authorization-server'
import { describeAuthorizationServer } from 'hallpass/openapi'
import { createKeyRing } from 'hallpass/token'
import { decideDocument, decideDocumentUrl } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import {
  approve,
  authorizationUrl,
  codeForm,
  type Fields,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  reasonsOf,
  signIn,
} from '../support/school/flow.js'
import { createSchool, ISSUER, type School } from '../support/school/school.js'
import { INTERACT } from '../support/school/signing-client.js'

type Properties = Readonly<Record<string, object>>
const { site } = await createSchool()
const { paths, components } = describeAuthorizationServer(
  configureAuthorizationServer(site, {
    interact: INTERACT,
    keys: createKeyRing(site, { sealingSecret: 'a sealing secret of thirty-two characters' }),
  }),
  PATHS,
) as unknown as {
  paths: Record<string, Record<'get' | 'post', Operation>>
  components: { schemas: Record<string, { properties: Properties }> }
}
interface Operation {
  readonly parameters: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody: { content: Record<string, { schema: { properties: Properties } }> }
}
const FORM = 'application/x-www-form-urlencoded'
/** Every parameter of a form, as the description of the server has them. */
const namesOf = (path: string): string[] =>
  Object.keys(paths[path]!.post.requestBody.content[FORM]!.schema.properties)

/** What a client sees of an outcome, without what is new in each. */
async function seen(school: School, response: Response): Promise<unknown> {
  const location = (response.headers.get('location') ?? '').replace(
    /interaction\/.*|(?<=code=)[\w-]+/,
    '',
  )
  const body = (await response.text()).replace(
    /hp[ar]_[\w-]+|eyJ[\w.-]+|(?<=app_)[\w-]+|req_[\w-]+/g,
    '',
  )
  return [response.status, location, body, reasonsOf(school)]
}

describe('a parameter without a value is omitted (RFC 6749 §3.1)', () => {
  const QUERY = [
    ...paths[PATHS.authorize]!.get.parameters.map(({ name }) => name),
    'request',
    'request_uri',
    'response_mode',
    'id_token_hint',
    'claims',
    'display',
    'acr_values',
    'unknown',
  ]

  it('knows the parameters of each endpoint', () => {
    expect(new Set(QUERY).size).toBeGreaterThan(16)
    expect(namesOf(PATHS.token)).toContain('code_verifier')
    expect(namesOf(PATHS.introspect)).toContain('token_type_hint')
  })

  it.each([...new Set(QUERY)])('of an authorization request: %s [AUTH-44]', async (name) => {
    const ask = async (value: string | null, more = ''): Promise<unknown> => {
      const school = await createSchool()
      const url = authorizationUrl({ [name]: value }).href.replaceAll('+', '%20')
      return seen(school, await school.fetch(url + more))
    }
    expect(await ask('')).toEqual(await ask(null))
    // Beside a value, one without any is no repetition.
    const value = new URL(authorizationUrl()).searchParams.get(name)
    if (value !== null) expect(await ask(value, `&${name}=`)).toEqual(await ask(value))
  })

  it.each(namesOf(PATHS.token))('of a token request: %s [AUTH-44]', async (name) => {
    for (const grant of ['code', 'refresh'] as const) {
      const ask = async (value: string | null): Promise<unknown> => {
        const school = await createSchool()
        const own = { ...PORTFOLIO_FORM }
        const form: Fields =
          grant === 'code'
            ? codeForm(await approve(school, PORTFOLIO_REQUEST), own)
            : {
                grant_type: 'refresh_token',
                refresh_token: (await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM }))
                  .refresh_token,
                ...own,
              }
        return seen(school, await post(school, PATHS.token, { ...form, [name]: value }))
      }
      expect(await ask('')).toEqual(await ask(null))
    }
  })

  it.each(
    [PATHS.revoke, PATHS.introspect].flatMap((path) =>
      namesOf(path).map((name) => [path, name] as const),
    ),
  )('of %s: %s [AUTH-44]', async (path, name) => {
    const ask = async (value: string | null): Promise<unknown> => {
      const school = await createSchool()
      const form = { token: 'x', ...PORTFOLIO_FORM, token_type_hint: 'access_token', [name]: value }
      return seen(school, await post(school, path, form))
    }
    expect(await ask('')).toEqual(await ask(null))
  })

  it('of UserInfo, where an access token in the query would be a second one [AUTH-44]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school)
    const headers = { authorization: `Bearer ${access_token}` }
    const url = `${ISSUER}${PATHS.userinfo}?access_token=`
    expect((await school.fetch(url, { headers })).status).toBe(200)
    expect((await school.fetch(`${url}x`, { headers })).status).toBe(400)
  })
})

describe('a member without content is absent', () => {
  const MEMBERS = [
    ...Object.keys(components.schemas['ClientMetadata']!.properties),
    'scope',
    'jwks',
    'id_token_signed_response_alg',
    'subject_type',
    'default_max_age',
    'userinfo_signed_response_alg',
    'require_auth_time',
    'request_uris',
    'client_secret',
    'client_secret_expires_at',
    'software_statement',
  ]
  const METADATA = {
    client_name: 'Desk CLI',
    redirect_uris: ['http://127.0.0.1/cb'],
    token_endpoint_auth_method: 'none',
  }

  it.each(MEMBERS)('of a registration: %s [AUTH-44]', async (member) => {
    const ask = async (value: unknown): Promise<unknown> => {
      const school = await createSchool()
      const response = await school.fetch(ISSUER + PATHS.register, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...METADATA, [member]: value }),
      })
      return seen(school, response)
    }
    const absent = await ask(undefined)
    for (const empty of ['', null, []]) expect(await ask(empty)).toEqual(absent)
  })

  it.each([...MEMBERS, 'client_id', 'token_endpoint_auth_methods_supported'])(
    'of a client metadata document: %s [AUTH-44]',
    (member) => {
      const clientId = 'https://notes.example/client.json'
      const policy = { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] }
      const allowed = decideDocumentUrl({ clientId, policy })
      if (!allowed.ok) throw new Error(allowed.reason)
      const read = (value: unknown): unknown =>
        decideDocument({
          url: allowed.url,
          metadata: { client_id: clientId, ...METADATA, [member]: value },
          vendors: [],
        })
      const absent = read(undefined)
      for (const empty of ['', null, []]) expect(read(empty)).toEqual(absent)
    },
  )
})
