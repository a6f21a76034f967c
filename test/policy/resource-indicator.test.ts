import { defineResource } from 'hallpass/policy'
import { describeResource, ORIGIN } from './resource-support.js'

const ACCEPTED = [ORIGIN, `${ORIGIN}/`, `${ORIGIN}/mcp`, `${ORIGIN}/account/graphql`]

describeResource({
  names: defineResource(ORIGIN),
  accepted: ACCEPTED,
  refused: [
    'https://kiln.example',
    'https://lantern.example/mcp/',
    'https://lantern.example:443',
    'https://LANTERN.example',
    'https://lantern.example#',
    'https://lantern.example?',
    'https://lantern.example/./mcp',
    'https://lantern.example\\mcp',
    ' https://lantern.example',
    'http://lantern.example',
    '/mcp',
    'lantern.example',
  ],
  isListed: (resource) => ACCEPTED.includes(resource),
})

describeResource({
  // The root is always the origin: a URL parser ends it with a slash.
  names: defineResource(ORIGIN, ['/api']),
  accepted: [ORIGIN, `${ORIGIN}/`, `${ORIGIN}/api`],
  refused: [`${ORIGIN}/mcp`, `${ORIGIN}/api/`, `${ORIGIN}//`],
  isListed: (resource) => [ORIGIN, `${ORIGIN}/`, `${ORIGIN}/api`].includes(resource),
})
