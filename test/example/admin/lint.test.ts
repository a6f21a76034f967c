import { openapiOf } from 'hallpass/openapi'
import { testSite } from 'hallpass/testing'
import { describe } from 'vitest'
import { testByRedocly, testBySpectral } from '../../support/http/openapi-lint.js'
import { schoolDescription } from '../support/school-description.js'

const ISSUER = 'https://site-lantern.example'
// Whom to ask and on which terms is up to whoever runs the service, so it is made up here.
const { site } = testSite({ issuer: ISSUER, name: 'Lantern Street' })
const document = openapiOf(
  site,
  schoolDescription(ISSUER, {
    title: 'Lantern Street: API',
    version: '1.0.0',
    description: 'What staff, members and agents do at the school.',
    contact: { name: 'Ines Duarte', url: `${ISSUER}/help`, email: 'ines.duarte@example.com' },
    license: { name: 'As agreed', url: `${ISSUER}/terms` },
  }),
)

describe('strangers find nothing wrong with the whole description:', () => {
  testByRedocly(() => document)
  testBySpectral(() => document, { isWhole: true })
})
