import { attackOn } from '../support/attack/suite.js'
import { boundTokens } from './bound-tokens.js'

attackOn('Express', { name: 'Express with dpop', blocks: 'dpop', classes: [boundTokens] })
