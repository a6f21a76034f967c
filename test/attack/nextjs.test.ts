import { attackOn } from '../support/attack/suite.js'

attackOn('Next.js')
