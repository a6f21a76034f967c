import { buildExpressExample } from '../../scripts/build-express.mjs'
import { expressExample, running } from '../../test/support/processes/example-process.js'
import signIn from '../../packages/hallpass-audit/sign-in/demo.mjs'

export const name = 'hallpass'
export const packages = ['hallpass']
export const setUp =
  'The school of the example as `npm start` has it, without its limits for each network, and with the blocks client-credentials, client-secret-basic, device, dpop, par and private-key-jwt'

export async function start() {
  const { program } = await buildExpressExample()
  const school = await running(expressExample(program), {
    database: null,
    environment: {
      HALLPASS_RATE_LIMITS: 'off',
      SCHOOL_BLOCKS: 'client-credentials,client-secret-basic,device,dpop,par,private-key-jwt',
    },
  })
  return { issuer: school.origin, signIn, stop: () => school.stop('SIGTERM') }
}
