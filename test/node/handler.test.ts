import { createServer, get } from 'node:http'
import express from 'express'
import { describe, expect, test } from 'vitest'
import { OptionsError } from 'hallpass'
import { endpointFrom } from '../../src/http/exchange.js'
import { toNodeHandler } from '../../src/node.js'
import { echo, json, listen, ORIGIN, serve } from './support.js'

describe('toNodeHandler', () => {
  test('serves an endpoint without making a Request', async () => {
    const endpoint = Object.assign(
      async () => {
        throw new Error('the Fetch API form was used')
      },
      { handle: endpointFrom(async ({ method }) => json(method)).handle },
    )
    const port = await listen(toNodeHandler(endpoint, { origin: ORIGIN }))
    expect(await (await fetch(`http://127.0.0.1:${port}/`, { method: 'PATCH' })).json()).toBe(
      'PATCH',
    )
  })

  test('serves a function that answers without a promise', async () => {
    const port = await listen(toNodeHandler(({ url }) => new Response(url), { origin: ORIGIN }))
    expect(await (await fetch(`http://127.0.0.1:${port}/x`)).text()).toBe(`${ORIGIN}/x`)
  })

  test('serves a response of another class, where a framework has replaced the global one', async () => {
    const native = globalThis.Response
    const port = await listen(toNodeHandler(() => new native('a page'), { origin: ORIGIN }))
    globalThis.Response = class extends native {}
    try {
      const status = await new Promise((resolve) => {
        get(`http://127.0.0.1:${port}/`, (answer) => resolve(answer.resume().statusCode))
      })
      expect(status).toBe(200)
    } finally {
      globalThis.Response = native
    }
  })

  test('serves many requests on one connection', async () => {
    const port = await listen(toNodeHandler(echo(), { origin: ORIGIN }))
    for (let index = 0; index < 50; index++) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: `n${index}` })
      expect(await answer.text()).toBe(`n${index}`)
    }
  })

  test('stays out of the way of an answer that another handler gave', async () => {
    const errors: unknown[] = []
    const handler = toNodeHandler(
      endpointFrom(async () => json('late')),
      {
        origin: ORIGIN,
        onError: (error) => errors.push(error),
      },
    )
    const port = await listen((req, res) => {
      res.end('first')
      handler(req, res)
    })
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('first')
    expect(errors).toEqual([])
  })

  test('adds to the headers that middleware has set', async () => {
    const app = express()
    app.use((_req, res, next) => {
      res.setHeader('x-frame-options', 'DENY')
      next()
    })
    app.use(
      toNodeHandler(
        endpointFrom(async () => json('x')),
        { origin: ORIGIN },
      ),
    )
    const answer = await fetch(`http://127.0.0.1:${await listen(app)}/`)
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(answer.headers.get('content-length')).toBe('3')
  })

  test('fits a request listener of node:http as it is', () => {
    createServer(toNodeHandler(echo(), { origin: ORIGIN })).close()
  })

  test.each([
    'https://school.example/',
    'https://school.example/x',
    'school.example',
    'null',
    '',
    'ftp://a',
  ])('refuses the origin %j at start-up', (origin) => {
    expect(() => toNodeHandler(echo(), { origin })).toThrow(OptionsError)
  })

  test('refuses an option that it does not know at start-up', () => {
    const options = { origin: ORIGIN, orign: ORIGIN } as Parameters<typeof toNodeHandler>[1]
    expect(() => toNodeHandler(echo(), options)).toThrow(
      /orign is not an option: did you mean origin/,
    )
  })

  test('answers a fault with 500 where nobody listens for errors', async () => {
    const port = await serve(() => Promise.reject(new Error('x')))
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(500)
  })
})
