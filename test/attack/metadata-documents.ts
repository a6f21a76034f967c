import { createServer } from 'node:net'
import { type Attack, type AttackClass, mutated, pairs } from '../support/attack/run.js'
import { authorizePath } from '../support/attack/requests.js'
import type { RungClass } from '../support/attack/rungs.js'
import { openPort } from '../support/processes/ports.js'

/** Addresses that are nobody's on the internet: both ends of each block, in every spelling. */
const ADDRESSES: readonly string[] = [
  '0.0.0.0', '0.255.255.255', '10.0.0.0', '10.0.0.1', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.0', '127.0.0.1', '127.255.255.255',
  '169.254.0.0', '169.254.169.254', '169.254.255.255', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.1', '192.88.99.1', '192.168.0.0',
  '192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255', '8.8.8.8',
  '127.1', '127.0.1', '0x7f.1', '0x7f000001', '017700000001', '0177.0.0.1', '2130706433', '127.0.0.1.', '1.1.1.1',
  '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]', '[64:ff9b::7f00:1]', '[64:ff9b:1::1]', '[100::1]', '[2001::1]', '[2001:db8::1]', '[2002:7f00:1::]',
  '[fc00::1]', '[fdff::1]', '[fe80::1]', '[fe80::1%25eth0]', '[fec0::1]', '[ff02::1]', '[3fff::1]', '[5f00::1]', '[2606:4700:4700::1111]', '[0:0:0:0:0:0:0:1]',
] // prettier-ignore
/** Names that lead, or could lead, into a network of one's own. */
const HOSTS: readonly string[] = [
  'localhost', 'localhost.', 'LOCALHOST', 'a.localhost', 'localhost.localdomain', 'metadata.google.internal', 'router.lan', 'printer.local', 'db.internal', 'x.home.arpa', 'intranet',
  'x.onion', 'x.test', 'x.invalid', 'x.example', 'evil.test', 'notes.example.evil.test', 'notes.example.', 'NOTES.example', 'notes.example@evil.test', 'evil.test#notes.example',
  'evil.test\\notes.example', 'user@notes.example', 'user:pw@notes.example', ':@notes.example', 'notes.example:8443', 'notes.example:0', 'notes.example:443', 'notes.example:', 'xn--ntes-bqa.example',
  'n\u00f6tes.example', 'notes\u3002example', '\uff4eotes.example', 'notes%2eexample', 'notes.example%00.evil.test', 'notes.example%2f.evil.test', 'notes..example', '.notes.example', '-notes.example',
  'notes_.example', '*.example', '127.0.0.1.nip.io', `${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`, 'claude.ai.evil.test', 'xclaude.ai', 'sub.claude.ai',
] // prettier-ignore
/** Forms of a document's address that two parsers read differently, or that are none. */
const URLS: readonly string[] = [
  'http://notes.example/client.json', 'HTTPS://notes.example/client.json', 'ftp://notes.example/client.json', 'file:///etc/passwd', 'data:application/json,{}', 'javascript:alert(1)',
  'gopher://127.0.0.1:6379/_x', 'https:notes.example/client.json', 'https:/notes.example/client.json', 'https:///notes.example/client.json', 'https:\\\\notes.example\\client.json',
  'https://notes.example', 'https://notes.example/', 'https://notes.example?x', 'https://notes.example/client.json#', 'https://notes.example/client.json#x', 'https://notes.example/client.json?',
  'https://notes.example/a/../client.json', 'https://notes.example/./client.json', 'https://notes.example/%2e%2e/client.json', 'https://notes.example//client.json', 'https://notes.example/client.json/',
  'https://notes.example/CLIENT.json', 'https://notes.example/client.json\u0000', 'https://notes.example/client.json ', ' https://notes.example/client.json', 'https://notes.example/cl\tient.json',
  'https://notes.example/client.json\r\nx-injected: 1', 'https://notes.example/caf\u00e9', 'https://notes.example/client.json\u202e', `https://notes.example/${'a'.repeat(3000)}`, '//notes.example/client.json',
  'blob:https://notes.example/x', 'view-source:https://notes.example/client.json', 'https://notes.example\\@127.0.0.1/client.json', 'jar:https://notes.example!/x', 'ws://notes.example/client.json',
] // prettier-ignore

/** The reasons of a refusal that follows a look-up or a fetch. A host that is not on the list causes neither. */
const FETCHED = ['document_unavailable', 'document_fetch_paced', 'document_status_not_200']
const isOfKnownHost = (clientId: string): boolean => clientId.startsWith('https://notes.example/')

const KNOWN = 'https://notes.example/client.json'

/** Addresses in every spelling, other than the one that is known. */
async function addresses(): Promise<{
  readonly urls: readonly string[]
  readonly isReached: () => Promise<readonly string[]>
}> {
  // Whoever reaches it has been led here.
  let reached = 0
  const canary = createServer((socket) => {
    reached += 1
    socket.destroy()
  })
  const port = await openPort(canary)
  const urls = new Set(
    [
      ...ADDRESSES.map((address) => `https://${address}/client.json`),
      ...pairs(['127.0.0.1', 'localhost', '[::1]', '127.1', '2130706433', '0.0.0.0', '[::ffff:127.0.0.1]'], ['https', 'http']).map(
        ([host, scheme]) => `${scheme}://${host}:${port}/client.json`,
      ),
      ...HOSTS.map((host) => `https://${host}/client.json`),
      ...URLS,
      ...mutated(KNOWN, 60),
    ],
  ) // prettier-ignore
  urls.delete(KNOWN)
  return {
    urls: [...urls],
    isReached: async () => {
      canary.close()
      return reached === 0 ? [] : [`the server was led to a port of this computer ${reached} times`]
    },
  }
}

/** An address that somebody else chose makes this server reach nothing that it was not told to reach. */
export const metadataDocuments: AttackClass = {
  name: 'metadata documents',
  least: 400,
  async build({ origin }) {
    const { urls, isReached } = await addresses()
    return {
      attacks: urls.flatMap((clientId): Attack[] =>
        [
          { redirect_uri: 'https://notes.example/callback' },
          { redirect_uri: 'http://127.0.0.1:7777/callback', prompt: 'none' },
        ].map((changes) => ({
          name: `${JSON.stringify(clientId.slice(0, 80))} to ${changes.redirect_uri}`,
          request: { path: authorizePath(origin.lantern, { client_id: clientId, scope: 'courses:read', ...changes }) },
          statuses: [400],
          without: ['ENOTFOUND', 'ECONNREFUSED', 'getaddrinfo', 'queryA', ...(isOfKnownHost(clientId) ? [] : FETCHED)],
          fault: ({ headers: { location } }) => location === undefined ? null : `it leads to ${String(location)}`,
        })),
      ), // prettier-ignore
      controls: [
        {
          name: 'a document of a host on the list',
          request: { path: authorizePath(origin.lantern, { client_id: KNOWN, redirect_uri: 'https://notes.example/callback', scope: 'courses:read' }) },
          statuses: [303],
        },
      ],
      // The stale copy of the control may be fetched anew.
      changes: { hallpass_client: 0 },
      after: isReached,
    } // prettier-ignore
  },
}

/** The same for a rung. None of these hosts is on its list. */
export const metadataDocumentsOfRung: RungClass = {
  name: metadataDocuments.name,
  needs: ['metadata documents'],
  least: 200,
  async build({ authorize }) {
    const { urls, isReached } = await addresses()
    return {
      attacks: [KNOWN, ...urls].map((client_id): Attack => ({
        name: JSON.stringify(client_id.slice(0, 80)),
        request: { path: authorize({ client_id, prompt: 'none', redirect_uri: 'http://127.0.0.1:7777/callback' }) },
        statuses: [400],
        without: ['ENOTFOUND', 'ECONNREFUSED', 'getaddrinfo', 'queryA', ...FETCHED],
        fault: ({ headers: { location } }) => location === undefined ? null : `it leads to ${String(location)}`,
      })),
      controls: [{ name: 'an app that registered itself', request: { path: authorize() }, statuses: [303] }],
      after: isReached,
    } // prettier-ignore
  },
}
