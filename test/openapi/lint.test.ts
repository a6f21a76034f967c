import { openapiOf } from 'hallpass/openapi'
import { testSite } from 'hallpass/testing'
import { beforeAll, describe } from 'vitest'
import { testBySpectral } from '../support/http/openapi-lint.js'
import { ISSUER } from '../support/school/school.js'
import { createTestApi } from '../admin/support.js'

let document: object
beforeAll(async () => {
  const { api } = await createTestApi()
  const { site } = testSite({ issuer: ISSUER, name: 'Lantern Street' })
  document = openapiOf(site, {
    registry: api.registry,
    info: {
      title: 'Lantern Street admin API',
      version: '1.0.0',
      description: 'What the staff of the school can do, for their applications.',
      contact: { name: 'Ines Duarte', url: `${ISSUER}/help`, email: 'ines.duarte@example.com' },
      license: { name: 'As agreed', url: `${ISSUER}/terms` },
    },
  })
})

describe('strangers find nothing wrong with the document:', () => {
  testBySpectral(() => document)
})
