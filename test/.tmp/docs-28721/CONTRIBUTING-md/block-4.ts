import { parseScope } from 'hallpass/policy'

parseScope('openid courses:read') // => { ok: true, scopes: ['openid', 'courses:read'] }
