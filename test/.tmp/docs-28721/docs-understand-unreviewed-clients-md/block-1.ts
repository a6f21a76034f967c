import { deepEqual, ok } from 'node:assert/strict'
import {
  clientOfDocument,
  decideDocument,
  decideDocumentUrl,
  scopesOfClient,
} from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'

const clientId = 'https://notes.example/client.json'
const policy = { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] }
const allowed = decideDocumentUrl({ clientId, policy })
ok(allowed.ok)
const { url } = allowed

function documentNamed(client_name: string) {
  const redirect_uris = ['https://notes.example/callback']
  const decided = decideDocument({ url, metadata: { client_id: url, client_name, redirect_uris } })
  ok(decided.ok)
  return decided.document
}
const times = { now: 1_795_165_200, freshUntil: 1_795_168_800 }
const first = clientOfDocument({ known: null, document: documentNamed('Notes'), ...times })
const writes = (client: typeof first.client) =>
  scopesOfClient({ client, registry: schoolScopes }).filter((name) => name.endsWith(':write'))
deepEqual(writes(first.client), [])

const reviewed = { ...first.client, scopes: ['posts:write'] }
deepEqual(writes(reviewed), ['posts:write'])

const second = clientOfDocument({ known: reviewed, document: documentNamed('Vault'), ...times })
deepEqual(writes(second.client), [])
