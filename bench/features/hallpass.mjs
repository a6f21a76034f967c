import { BLOCK_NAMES } from '../../examples/school/src/blocks/names.js'
import { buildExpressExample } from '../../scripts/build-express.mjs'
import { expressExample, running } from '../../test/support/processes/example-process.js'
import { CLIENT } from './common.mjs'
import { VARIANTS } from './tables.mjs'

export const packages = ['hallpass']

/** The blocks that are switched on. */
export const blocks = BLOCK_NAMES.filter((name) => !VARIANTS.includes(name))

/** The school of the example, with every opt-in block switched on. */
export async function start() {
  const { program } = await buildExpressExample()
  const school = await running(expressExample(program), {
    database: null,
    environment: {
      HALLPASS_RATE_LIMITS: 'off',
      SCHOOL_BLOCKS: blocks.join(),
      SCHOOL_IDENTITY_PROVIDER: 'https://idp.example https://idp.example/jwks',
    },
  })
  const { origin } = school
  const registered = await fetch(`${origin}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Features',
      redirect_uris: [CLIENT.redirectUri],
      token_endpoint_auth_method: 'client_secret_post',
    }),
  })
  const { client_id: id, client_secret: secret } = await registered.json()
  return { origin, client: { id, secret }, stop: () => school.stop('SIGTERM') }
}
