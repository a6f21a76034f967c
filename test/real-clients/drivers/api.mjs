// What calls the Account API and the admin API from a description of them.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import {
  admin,
  assert,
  json,
  owner,
  refusal,
  register,
  run,
  SCHOOL,
  step,
  tokenOf,
  trial,
} from './trial.mjs'

const GRAPHQL = `${SCHOOL}/account/graphql`
const QUERY =
  '{ viewer { id email enrolledCourses(first: 3) { nodes { slug hasLifetimeAccess } } } }'

const member = () => tokenOf({ clientId: trial.id, scope: 'openid account:read', resource: SCHOOL })

// In the folder of the clients, where their packages are found.
mkdirSync('.generated', { recursive: true })
const folder = mkdtempSync(resolve('.generated/api-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const write = (name, text) => {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  writeFileSync(join(folder, name), text)
}
const download = async (path, name) => write(name, await (await fetch(SCHOOL + path)).text())

async function command(name, ...args) {
  const env = { ...process.env, NO_COLOR: '1' }
  const options = { cwd: folder, env, timeout: 120_000, maxBuffer: 1e8 }
  await promisify(execFile)(resolve('node_modules/.bin', name), args, options).catch((error) => {
    throw new Error(`${error.stderr}${error.stdout}`.trim().slice(-600))
  })
}

async function compile(...files) {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: 'esnext',
    target: 'es2022',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
  await command('tsc', '--project', 'tsconfig.json')
}

/** The life of a generator: it reads the description, writes code that compiles, and the code calls. */
async function generator(generate, files, use) {
  await step('discovery', () => download('/openapi.json', 'openapi.json'))
  await step('generates', generate)
  await step('compiles', () => compile(...files))
  const { client_id } = await register({ token_endpoint_auth_method: 'none' })
  const scope = 'openid courses:read'
  const token = await tokenOf({
    clientId: client_id,
    scope,
    email: owner,
    resource: `${SCHOOL}/mcp`,
  })
  await step('call', () => (use ? use(token) : admin(token)))
  return token
}

await run({
  async '@apollo/client'() {
    const { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } =
      await import('@apollo/client')
    const { PersistedQueryLink } = await import('@apollo/client/link/persisted-queries')
    const clientOf = (token, ...links) => {
      // region: @apollo/client
      const headers = { authorization: `Bearer ${token}` }
      const link = ApolloLink.from([...links, new HttpLink({ uri: GRAPHQL, headers })])
      return new ApolloClient({ cache: new InMemoryCache(), link })
      // endregion
    }
    const token = await step('signIn', member)
    await step('call', async () => {
      const { data } = await clientOf(token).query({ query: gql(QUERY) })
      assert(data.viewer.id)
    })
    await step('refusal', async () => {
      try {
        await clientOf('nonsense').query({ query: gql(QUERY) })
      } catch (error) {
        return assert(/access token/i.test(error.message), `it shows: ${error.message}`)
      }
      throw new Error('it was not refused')
    })
    await step('persistedQueries', async () => {
      const sha256 = (text) => createHash('sha256').update(text).digest('hex')
      const client = clientOf(token, new PersistedQueryLink({ sha256 }))
      assert((await client.query({ query: gql(QUERY) })).data.viewer.id)
    })
  },

  async '@urql/core'() {
    const { Client, fetchExchange } = await import('@urql/core')
    // region: @urql/core
    const settings = { preferGetMethod: false }
    // endregion
    const query = async (token, settings) => {
      // region: @urql/core
      const fetchOptions = { headers: { authorization: `Bearer ${token}` } }
      const client = new Client({
        url: GRAPHQL,
        exchanges: [fetchExchange],
        fetchOptions,
        ...settings,
      })
      // endregion
      const { data, error } = await client.query(QUERY, {}).toPromise()
      if (error) throw error
      return data
    }
    const token = await step('signIn', member)
    await refusal('untold', () => query(token))
    await step('call', () => query(token, settings))
    await refusal('refusal', () => query('nonsense', settings))
  },

  async 'relay-compiler'() {
    await step('discovery', () => download('/account/schema.graphql', 'schema.graphql'))
    await step('generates', async () => {
      write('package.json', '{ "private": true }')
      write(
        'source/page.ts',
        `import { graphql } from 'relay-runtime'
export const query = graphql\`query pageQuery { viewer { id email ...page_person } }\`
export const fragment = graphql\`
  fragment page_person on Viewer
  @argumentDefinitions(count: { type: "Int", defaultValue: 5 }, cursor: { type: "String" })
  @refetchable(queryName: "pageRefetch") {
    enrolledCourses(first: $count, after: $cursor) @connection(key: "page_enrolledCourses") {
      edges { node { slug lastWatchedLecture { lectureId positionSeconds } } }
    }
  }\`
`,
      )
      write(
        'relay.config.json',
        JSON.stringify({
          src: './source',
          schema: './schema.graphql',
          language: 'typescript',
          artifactDirectory: './source/__generated__',
          eagerEsModules: true,
        }),
      )
      mkdirSync(join(folder, 'source/__generated__'))
      await command('relay-compiler', 'relay.config.json')
    })
    const file = join(folder, 'source/__generated__/pageQuery.graphql.ts')
    await step('compiles', () => compile(file))
    const token = await step('signIn', member)
    await step('call', async () => {
      const { readFileSync } = await import('node:fs')
      // The text as Relay would send it.
      const text = JSON.parse(/"text": (".*")\n/.exec(readFileSync(file, 'utf8'))[1])
      const answer = await json(
        fetch(GRAPHQL, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify({ query: text, variables: { count: 5 } }),
        }),
      )
      assert(answer.body?.data?.viewer.id, answer.text)
    })
  },

  async 'openapi-typescript'() {
    const { default: createClient } = await import('openapi-fetch')
    let client
    await generator(
      async () => {
        await command('openapi-typescript', 'openapi.json', '-o', 'school.d.ts')
        write(
          'use.ts',
          `import createClient from 'openapi-fetch'
import type { paths } from './school.js'
const client = createClient<paths>({ baseUrl: '${SCHOOL}' })
const { data, error } = await client.GET('/api/v1/courses', { params: { query: { limit: 2 } } })
if (error) console.log(error)
else console.log(data)
export {}
`,
        )
      },
      ['use.ts'],
      async (token) => {
        client = createClient({ baseUrl: SCHOOL, headers: { authorization: `Bearer ${token}` } })
        const { error } = await client.GET('/api/v1/courses', { params: { query: { limit: 2 } } })
        assert(error === undefined, JSON.stringify(error))
      },
    )
    await refusal('refusal', async () => {
      const { error } = await client.GET('/api/v1/orders')
      if (error) throw new Error(JSON.stringify(error))
    })
  },

  async '@hey-api/openapi-ts'() {
    await generator(
      () => command('openapi-ts', '-i', 'openapi.json', '-o', 'hey'),
      ['hey/index.ts'],
    )
  },

  async orval() {
    await generator(async () => {
      write(
        'orval.config.mjs',
        `export default { school: { input: './openapi.json', output: { target: './orval.ts', client: 'fetch' } } }`,
      )
      await command('orval', '--config', 'orval.config.mjs')
    }, ['orval.ts'])
  },
})
