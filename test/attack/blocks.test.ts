import { attackOn } from '../support/attack/suite.js'
import { boundTokens } from './bound-tokens.js'
import { clientAssertions } from './client-assertions.js'
import { devices } from './devices.js'
import { downgrades } from './downgrades.js'
import { identityAssertions } from './identity-assertions.js'
import { mixedMethods } from './mixed-methods.js'
import { pushedRequests } from './pushed-requests.js'
import { services } from './services.js'

attackOn('Express', { name: 'Express with dpop', blocks: 'dpop', classes: [boundTokens] })
attackOn('Express', {
  name: 'Express with methods and grants',
  blocks: 'client-credentials,client-secret-basic,device,dpop,id-jag,par,private-key-jwt',
  classes: [
    mixedMethods,
    clientAssertions,
    identityAssertions,
    services,
    devices,
    pushedRequests,
    downgrades,
  ],
})
