import express from 'express'
import { networkOf, networkOfAddress, toNodeHandler } from 'hallpass/node'
import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { openPort } from '../support/processes/ports.js'

const tell = toNodeHandler((request: Request) => Response.json(networkOf(request)), {
  origin: 'https://school.example',
})

async function ask(listener: RequestListener, headers: HeadersInit = {}): Promise<unknown> {
  const server = createServer(listener)
  const port = await openPort(server)
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers })
  server.close()
  return response.json()
}

describe('the network of a request', () => {
  it('is that of the connection, whatever the headers say', async () => {
    expect(await ask(tell, { 'x-forwarded-for': '203.0.113.7' })).toBe('127.0.0.1')
  })

  it('is that of req.ip in Express, which follows trust proxy', async () => {
    const app = (trust: boolean) => express().set('trust proxy', trust).use(tell)
    const headers = { 'x-forwarded-for': '2001:db8:7::1' }
    expect(await ask(app(false), headers)).toBe('127.0.0.1')
    expect(await ask(app(true), headers)).toBe('2001:db8:7::/64')
  })

  it('is not known for a request that another adapter made', () => {
    expect(networkOf(new Request('https://school.example/'))).toBeNull()
  })
})

describe('the network of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:DB8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['192.0.2', null],
    ['192.0.2.1, 198.51.100.1', null],
    ['unknown', null],
    ['', null],
  ])('%s is %s', (address, network) => {
    expect(networkOfAddress(address)).toBe(network)
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1::1', '2001:db8::/48'],
    ['2001:db8:ffff:ffff::1', '2001:db8:ffff::/48'],
    ['unknown', null],
  ])('with 48 bits, %s is %s', (address, network) => {
    expect(networkOfAddress(address, 48)).toBe(network)
  })
})
