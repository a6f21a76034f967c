// The cells of `npm run test:everywhere`: what serves the school, on which runtime, and where its rows are.
import { readFileSync } from 'node:fs'
import { NODES } from '../../scripts/nodes.mjs'
import { ROOT } from '../support/source/root.js'

/** How a school is mounted. The name is that of its folder in `mounts`. */
export interface Mount {
  readonly name: string
  /** How tables name it. */
  readonly title: string
  /** The package whose version the tables name. */
  readonly package?: string
  /** The guide or its section whose code is run, and the folder in which that code lies. `null`: README's `createServer` and `serve`. */
  readonly page: string | null
  readonly into?: string
  /** What builds it, where a framework does; otherwise esbuild bundles it. */
  readonly build?: readonly [program: string, ...args: string[]]
  /** The format of the bundle. */
  readonly format?: 'esm' | 'cjs'
  /** Arguments of the runtime. Default: the bundle */
  readonly run?: readonly string[]
}

const guide = (name: string): string => `docs/do/frameworks.md#${name}`

const SERVE: Mount = { name: 'serve', title: '`createServer` and `serve`', page: null }
const BUN: Mount = { name: 'bun', title: '`Bun.serve`', page: guide('bun') }
const DENO: Mount = { name: 'deno', title: '`Deno.serve`', page: guide('deno') }
const WORKERS: Mount = {
  name: 'workers',
  title: '`fetch`, without `nodejs_compat`',
  page: 'docs/do/workers.md',
}

/** What stands on Node. */
export const FRAMEWORKS: readonly Mount[] = [
  { name: 'express', title: 'Express', package: 'express', page: guide('express') },
  { name: 'fastify', title: 'Fastify', package: 'fastify', page: guide('fastify') },
  { name: 'hono', title: 'Hono', package: 'hono', page: guide('hono') },
  { name: 'koa', title: 'Koa', package: 'koa', page: guide('koa') },
  {
    name: 'nestjs',
    title: 'NestJS (ES modules)',
    package: '@nestjs/core',
    page: guide('nestjs'),
  },
  {
    name: 'nestjs',
    title: 'NestJS (CommonJS)',
    package: '@nestjs/core',
    page: guide('nestjs'),
    format: 'cjs',
  },
  {
    name: 'sveltekit',
    title: 'SvelteKit',
    package: '@sveltejs/kit',
    page: guide('sveltekit'),
    into: 'src/lib/server',
    build: ['vite/bin/vite.js', 'build', '--logLevel', 'warn'],
    run: ['build/index.js'],
  },
  {
    name: 'react-router',
    title: 'React Router',
    package: 'react-router',
    page: guide('react-router'),
    into: 'app/routes',
    build: ['@react-router/dev/bin.js', 'build', '--logLevel', 'warn'],
    run: ['../../node_modules/@react-router/serve/bin.js', 'build/server/index.js'],
  },
  {
    name: 'nextjs',
    title: 'Next.js',
    package: 'next',
    page: guide('nextjs'),
    build: ['next/dist/bin/next', 'build'],
    run: ['../../node_modules/next/dist/bin/next', 'start', '--hostname', '127.0.0.1'],
  },
]
/** The line of Node that the frameworks stand on. */
const FRAMEWORKS_ON = 24

/** The databases, as tables name them, in the order of their columns. */
export const DATABASES = ['memory', 'PostgreSQL', 'MariaDB', 'SQLite', 'D1'] as const
type Database = (typeof DATABASES)[number]

export interface Cell {
  readonly runtime: 'node' | 'bun' | 'deno' | 'workerd'
  /** How tables name the runtime, with its version. */
  readonly on: string
  /** The line, of Node. */
  readonly line?: number
  readonly mount: Mount
  readonly database: Database
}

const { dependencies } = JSON.parse(
  readFileSync(`${ROOT}test/everywhere/package.json`, 'utf8'),
) as { dependencies: Readonly<Record<string, string>> }
/** The version of a package, as package.json pins it. */
export const versionOf = (name: string): string => dependencies[name]!

const node = (line: number, mount: Mount, database: Database): Cell => ({
  runtime: 'node',
  on: `Node ${NODES[line as keyof typeof NODES]}`,
  line,
  mount,
  database,
})
const other = (runtime: 'bun' | 'deno', mount: Mount, database: Database): Cell => ({
  runtime,
  on: `${mount.title.slice(1, -7)} ${versionOf(runtime)}`,
  mount,
  database,
})

const ON_FRAMEWORKS: readonly Database[] = ['memory', 'PostgreSQL', 'SQLite']
const ON_NODE_20: readonly Database[] = ['memory', 'PostgreSQL', 'MariaDB']
const ON_OTHERS: readonly Database[] = [...ON_NODE_20, 'SQLite']
const ON_WORKERD: readonly Database[] = ['memory', 'D1']
export const CELLS: readonly Cell[] = [
  ...Object.keys(NODES).flatMap((line) =>
    (line === '20' ? ON_NODE_20 : ON_OTHERS).map((database) => node(Number(line), SERVE, database)),
  ),
  ...FRAMEWORKS.flatMap((mount) =>
    ON_FRAMEWORKS.map((database) => node(FRAMEWORKS_ON, mount, database)),
  ),
  ...ON_OTHERS.map((database) => other('bun', BUN, database)),
  ...ON_OTHERS.map((database) => other('deno', DENO, database)),
  ...ON_WORKERD.map((database) => ({
    runtime: 'workerd' as const,
    on: `workerd ${versionOf('workerd')}`,
    mount: WORKERS,
    database,
  })),
]
