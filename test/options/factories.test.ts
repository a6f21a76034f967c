import { createMemoryAttempts } from 'hallpass/clients'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { OptionsError } from 'hallpass'
import { configureAuthorizationServer } from 'hallpass/authorization-server'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parse, SOURCES } from '../support/source/imports.js'
import { ROOT } from '../support/source/root.js'

/** The names of the factories: a function that makes something, from options if it takes any. */
const FACTORY = /^(?:create|define|configure|guard|record)[A-Z]|^to[A-Z]\w*Handler$|^testSite$/
/** The name or the type of a parameter that says that it has options. */
const OPTIONS = /\boptions\b|\w*Options\b/

/** Factories and functions whose argument is no set of options. */
const OTHERS: Readonly<Record<string, string>> = {
  createAccountContext: 'is called for each request, with values',
  createAuthMdEndpoint: 'takes the values of a page, and the site with them',
  createMetadataEndpoints: 'takes the endpoints of a server, which has other members',
  createRouter: 'takes the endpoints of a server, which has other members',
  challengeFor: 'is called for each request, with values',
  defineList: 'takes a definition, which may be another operation with its other members',
  defineOperation: 'returns a definition, which defineOperations checks',
  defineOperations: 'takes the tables of a site, or the site itself',
  defineTool: 'returns a definition, which defineTools checks',
  defineTools: 'takes the tables of a site, or the site itself',
  describeAuthorizationServer:
    'takes the configuration of a server, of which it reads some members',
  describeMcpEndpoint: 'takes the options of an endpoint, of which it reads one',
  fapi2: 'takes the options of a server, which names those that do not exist',
}

const { site } = testSite()
const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
const page = (): Response => new Response()
const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }

/** What is no set of options, by its type: a factory receives it beside a mistake. */
const BESIDE: Readonly<Record<string, unknown>> = {
  Site: site,
  // Of node:http, and of the library.
  Server: Object.assign(createServer(), { site, maintain: page }),
  Endpoint: page,
  AuthorizationServerConfiguration: configureAuthorizationServer(site, { keys, interact }),
  AttemptStore: createMemoryAttempts(),
  MemoryTables: undefined,
  string: 'https://school.example',
}
/** Right options of a factory with two sets of them. */
const CLIENT = { clientId: 'a', kind: 'member', name: 'A', redirectUris: ['https://a.example/'], createdAt: 1 } // prettier-ignore
const RIGHT: Readonly<Record<string, unknown>> = { ClientFields: CLIENT }

type Factory = (...given: readonly unknown[]) => unknown

interface Parameter {
  readonly name: string
  /** The text of its type, and the first name in it. */
  readonly text: string
  readonly type: string
}

const entries = SOURCES.filter((path) => !path.includes('/'))
const exported: Readonly<Record<string, unknown>> = Object.assign(
  {},
  ...(await Promise.all(entries.map((path) => import(/* @vite-ignore */ `${ROOT}src/${path}`)))),
)

const parameters = new Map<string, readonly Parameter[]>(
  SOURCES.flatMap((path) => parse(path).statements)
    .filter((one) => ts.isFunctionDeclaration(one))
    .map((one) => [
      one.name!.text,
      one.parameters.map(({ name, type }) => {
        const text = type?.getText() ?? ''
        return {
          name: name.getText(),
          text,
          type: /\w+/.exec(text.replace('readonly', ''))?.[0] ?? '',
        }
      }),
    ]),
)

/** Each set of options of each exported function that is a factory, or that says that it takes options. */
const SETS = Object.keys(exported)
  .filter((name) => typeof exported[name] === 'function' && !Object.hasOwn(OTHERS, name))
  .flatMap((name) => {
    const own = parameters.get(name) ?? []
    return own.flatMap(({ name: called, text, type }, index) =>
      !Object.hasOwn(BESIDE, type) &&
      (FACTORY.test(name) || OPTIONS.test(called) || OPTIONS.test(text))
        ? [{ name, index, own }]
        : [],
    )
  })

/** Options whose object may have members for other purposes: a store of a host, and what the library created. */
const WITH_OTHERS: Readonly<Record<string, string>> = {
  store: 'a store of a host may have members of its own',
  once: 'is the store of the site, of which it calls some methods',
  keys: 'is a key ring, of which some factories call more than others',
  idempotency: 'is one of the library, or on a store of a host',
  storage: 'is one of the library, or on a store of a host',
  source: 'requires each of its methods, so one that is misspelt is missing',
  budget: 'is one of the library, or on a store of a host',
}

/** The options of each interface, with those that it extends. */
const members = new Map<string, readonly string[]>(
  SOURCES.flatMap((path) => parse(path).statements)
    .filter((one) => ts.isInterfaceDeclaration(one))
    .map((one) => [
      one.name.text,
      [
        ...one.members.flatMap(({ name }) => (name === undefined ? [] : [name.getText()])),
        ...(/\bAuthorizationServerOptions\b/.test(one.heritageClauses?.[0]?.getText() ?? '')
          ? ['interact']
          : []),
      ],
    ]),
)
const NESTED = SETS.flatMap((set) =>
  (members.get(set.own[set.index]!.type) ?? []).map((option) => ({ ...set, option })),
)

describe('the options of a factory', () => {
  it.each(SETS)(
    'that are misspelt are named: $name, parameter $index',
    async ({ name, index, own }) => {
      const given = own.map(({ type }, at) =>
        at === index ? { misspelt: 1 } : (BESIDE[type] ?? RIGHT[type]),
      )
      const call = async (): Promise<unknown> => (exported[name] as Factory)(...given)
      const fault = await call().catch((thrown: unknown) => thrown)
      expect(fault).toBeInstanceOf(OptionsError)
      expect((fault as OptionsError).mistakes[0]).toMatch(
        /^misspelt(?: is not an option|\.| must be)/,
      )
    },
  )

  it.each(NESTED)(
    'that are functions within an object are named too if they are misspelt: $name, $option',
    async ({ name, option, index, own }) => {
      const given = own.map(({ type }, at) =>
        at === index ? { [option]: { misspelt: page } } : (BESIDE[type] ?? RIGHT[type]),
      )
      const call = async (): Promise<unknown> => (exported[name] as Factory)(...given)
      const fault = await call().catch((thrown: unknown) => thrown)
      const mistakes = fault instanceof OptionsError ? fault.mistakes : []
      const takesFunctions = mistakes.some((one) => one.startsWith(`${option} lacks the function`))
      if (takesFunctions && !Object.hasOwn(WITH_OTHERS, option))
        expect(mistakes).toContain(`${option}.misspelt is not an option`)
    },
  )

  it('are found: those of every entry that has a factory', () => {
    expect(NESTED.map(({ name, option }) => `${name} ${option}`)).toEqual(
      expect.arrayContaining([
        'createAuthorizationServer interact',
        'createServer interact',
        'createAccountApi source',
        'defineSite store',
      ]),
    )
    expect(SETS.length).toBeGreaterThan(30)
    expect(
      Object.keys(exported).filter((name) => FACTORY.test(name) && !parameters.has(name)),
    ).toEqual([])
    expect(SETS.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'guardServer',
        'toNodeHandler',
        'createMemoryAttempts',
        'defineScopes',
      ]),
    )
    expect(Object.keys(OTHERS).filter((name) => typeof exported[name] !== 'function')).toEqual([])
  })

  it('are checked in one place: no other text says that there is no such option', () => {
    const elsewhere = SOURCES.filter((path) => path !== 'options/check.ts').filter((path) =>
      /has no option|is not an option/.test(readFileSync(`${ROOT}src/${path}`, 'utf8')),
    )
    expect(elsewhere).toEqual([])
  })
})
