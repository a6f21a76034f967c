import { attackOn } from '../support/attack/suite.js'
import { boundTokens } from './bound-tokens.js'
import { downgrades } from './downgrades.js'
import { mixedMethods } from './mixed-methods.js'

attackOn('Next.js', {
  name: 'Next.js with blocks',
  blocks: 'client-credentials,client-secret-basic,device,dpop,id-jag,par,private-key-jwt',
  classes: [boundTokens, mixedMethods, downgrades],
})
