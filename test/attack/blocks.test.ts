import { attackOn } from '../support/attack/suite.js'
import { boundTokens } from './bound-tokens.js'
import { mixedMethods } from './mixed-methods.js'

attackOn('Express', { name: 'Express with dpop', blocks: 'dpop', classes: [boundTokens] })
attackOn('Express', {
  name: 'Express with methods and grants',
  blocks: 'client-credentials,client-secret-basic,device,dpop,par,private-key-jwt',
  classes: [mixedMethods],
})
