// oauth.ts
import { createAuthorizationServer } from 'hallpass'
import { maintain } from 'hallpass/operations'
import { createNodeSigner } from 'hallpass/node'
import { createKeyRing } from 'hallpass/token'
import { currentPerson } from './login.js'
import * as pages from './pages.js'
import { site } from './site.js'

const sealingSecret = process.env['SEALING_SECRET'] ?? '' // 32 characters or more
const keys = createKeyRing(site, { sealingSecret, createSigner: createNodeSigner })
const interact = { currentPerson, ...pages }

export const server = createAuthorizationServer(site, { keys, interact })

await maintain(site, { keys })
setInterval(() => void maintain(site, { keys }).catch(console.error), 5 * 60_000)
