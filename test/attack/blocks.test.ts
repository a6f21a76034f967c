import { attackOn } from '../support/attack/suite.js'
import { boundTokens } from './bound-tokens.js'
import { clientAssertions } from './client-assertions.js'
import { clientsOfNoBlock } from './clients-of-no-block.js'
import { devices } from './devices.js'
import { downgrades } from './downgrades.js'
import { identityAssertions } from './identity-assertions.js'
import { mixedMethods } from './mixed-methods.js'
import { pushedRequests } from './pushed-requests.js'
import { services } from './services.js'

attackOn('Express', {
  name: 'Express with blocks',
  blocks: 'client-credentials,client-secret-basic,device,dpop,id-jag,par,private-key-jwt',
  classes: [
    boundTokens,
    mixedMethods,
    clientAssertions,
    identityAssertions,
    services,
    devices,
    pushedRequests,
    downgrades,
    clientsOfNoBlock,
  ],
})
