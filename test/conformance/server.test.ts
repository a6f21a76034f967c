import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as sdk from '@modelcontextprotocol/server'
import { directAdapter, sdkAdapter, serverAdapter } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { serveFixture, THROWN } from './fixture.js'
import { runSuite, SCHEMA_CHECK } from './suite.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

// A fixture for each adapter, and not the example: its /mcp is the same endpoint by the same adapters, with
// tools that the suite does not know, so it passed nothing that these do not. That the example serves what
// it has to both generations of clients is held by test/flow/mcp-example.test.ts, on both frameworks.
const SPOKEN = [
  ['sdkAdapter', '2025-11-25', sdkAdapter(SDK_1)],
  ['serverAdapter', '2025-11-25', serverAdapter(sdk)],
  ['serverAdapter', '2026-07-28', serverAdapter(sdk)],
  ['directAdapter', '2025-11-25', directAdapter(serverAdapter(sdk))],
  ['directAdapter', '2026-07-28', directAdapter(serverAdapter(sdk))],
] as const

describe.each(SPOKEN)('a server on %s, by protocol version %s', (_, version, adapter) => {
  it('does all that the official conformance suite asks, save for what its baseline explains [MCP-18]', async () => {
    const { url, faults } = await serveFixture(adapter)
    const baseline = fileURLToPath(new URL(`baseline-${version}.yml`, import.meta.url))
    const { failure, passed, failed } = await runSuite('server', {
      url,
      requirements: version,
      'expected-failures': baseline,
    })
    expect(failure).toBeNull()
    expect(passed).toEqual(PASSED[version])
    // The suite passes over an entry that it did not come to.
    expect(failed).toEqual(expect.arrayContaining([...entriesOf(baseline)]))
    // Nor does it count this where the release does not require the scenario.
    expect(failed.filter((check) => check.endsWith(`:${SCHEMA_CHECK}`))).toEqual([])
    expect(faults).toEqual([THROWN])
  })

  it('declares no capability but tools, which is what the baseline says', async () => {
    const { url } = await serveFixture(adapter)
    const { body } = await introduce(url, version)
    expect(body).toMatchObject({
      result: { capabilities: expect.toSatisfy(isToolsAlone) as unknown },
    })
  })
})

// So there is nothing that the suite could look at.
it('sdkAdapter does not speak protocol version 2026-07-28, and names those it does', async () => {
  const { url } = await serveFixture(sdkAdapter(SDK_1))
  const { status, body } = await introduce(url, '2026-07-28')
  expect(status).toBe(400)
  expect(body).toMatchObject({
    error: { message: expect.stringMatching(/supported versions: 2025-11-25, /) as unknown },
  })
})

const entriesOf = (baseline: string): readonly string[] =>
  Array.from(readFileSync(baseline, 'utf8').matchAll(/^ {2}- (\S+)$/gm), ([, entry]) => entry!)

const isToolsAlone = (capabilities: object): boolean => Object.keys(capabilities).join() === 'tools'

/** Asks a server what it is, as a client does first. */
async function introduce(url: string, version: string): Promise<{ status: number; body: unknown }> {
  const clientInfo = { name: 'x', version: '1' }
  const [method, params] =
    version === '2025-11-25'
      ? ['initialize', { protocolVersion: version, capabilities: {}, clientInfo }]
      : [
          'server/discover',
          {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': version,
              'io.modelcontextprotocol/clientInfo': clientInfo,
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        ]
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return { status: answer.status, body: await answer.json() }
}

const REBINDING = ['localhost-host-rebinding-rejected', 'localhost-host-valid-accepted']

/** All that passes. What is not required by a release stands outside its baseline: only these hold it. */
const PASSED = {
  '2025-11-25': {
    'server-initialize': ['server-initialize'],
    ping: ['ping'],
    'tools-list': ['tools-list', 'tools-name-format'],
    'tools-call-simple-text': ['tools-call-simple-text'],
    'tools-call-error': ['tools-call-error'],
    'dns-rebinding-protection': REBINDING,
  },
  '2026-07-28': {
    'server-stateless': [
      'sep-2575-request-meta-invalid-missing-meta',
      'sep-2575-http-server-meta-invalid-400',
      'sep-2575-request-meta-invalid-missing-protocol-version',
      'sep-2575-request-meta-invalid-missing-client-capabilities',
      'sep-2575-request-meta-client-info-optional',
      'sep-2575-server-implements-discover',
      'sep-2575-server-identifies-in-result-meta',
      'sep-2575-server-declares-prompts-in-discover',
      'sep-2575-discover-capabilities-match-handlers',
      'sep-2575-server-unsupported-version-error',
      'sep-2575-http-server-unsupported-version-400',
      'sep-2575-http-server-header-mismatch-400',
      'sep-2575-http-server-method-not-found-404-initialize',
      'sep-2575-http-server-method-not-found-404-ping',
      'sep-2575-http-server-method-not-found-404-logging-setlevel',
      'sep-2575-http-server-method-not-found-404-resources-subscribe',
      'sep-2575-http-server-method-not-found-404-resources-unsubscribe',
      'sep-2575-http-server-method-not-found-404',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-sends-subscription-ack',
      'sep-2575-server-tags-subscription-id',
      'sep-2575-server-honors-notification-filter',
      'sep-2575-http-server-error-jsonrpc-id',
    ],
    'tools-list': ['tools-list', 'tools-name-format', 'tools-list-deterministic-order'],
    'tools-call-simple-text': ['tools-call-simple-text'],
    'tools-call-error': ['tools-call-error'],
    'server-sse-multiple-streams': ['server-accepts-multiple-post-streams'],
    'sep-2164-resource-not-found': ['sep-2164-no-empty-contents'],
    'dns-rebinding-protection': REBINDING,
    caching: [
      'sep-2549-tools-list-caching-hints',
      'sep-2549-ttl-non-negative',
      'sep-2549-cache-scope-valid',
    ],
    'input-required-result-unsupported-methods': ['sep-2322-not-on-unsupported-requests'],
    'input-required-result-validate-input': [
      'sep-2322-validate-input-responses',
      'sep-2322-error-on-protocol-error',
    ],
    // Not required by the release, as are all of the extension "tasks", which is not declared either.
    'http-header-validation': [
      'sep-2243-server-reject-invalid-headers',
      'sep-2243-server-reject-error-code',
      'sep-2243-server-accepts-whitespace-header-value',
      'sep-2243-header-name-case-insensitive',
    ],
    'tasks-request-headers': ['tasks-headers-reject-mismatched-method'],
    'tasks-dispatch-and-envelope': [
      'sep-2663-tasks-result-removed-method-not-found',
      'tasks-removed-tasks-list',
    ],
  },
}
