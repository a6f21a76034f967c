import { existsSync } from 'node:fs'
import { defineConfig } from 'tsup'
import { SIBLINGS } from './scripts/siblings.mjs'

const commandOf = (name: string): string => `packages/${name}/src/command.ts`
const hasCommand = (name: string): boolean => existsSync(commandOf(name))

export default defineConfig((options) => [
  {
    // A bundle can leave out ipaddr.js only with the whole file that imports it. Each of these becomes a file of its own.
    entry: ['src/*.ts', 'src/node/{address,network,sender}.ts'],
    format: 'esm',
    target: 'node20',
    platform: 'neutral',
    external: [/^node:/],
    dts: false,
    splitting: true,
    treeshake: true,
    clean: !options.watch,
  },
  // Packages of their own, which import the library as everyone does, if they do. One with a command runs on Node only.
  ...SIBLINGS.map((name) => ({
    entry: [`packages/${name}/src/index.ts`, ...(hasCommand(name) ? [commandOf(name)] : [])],
    outDir: `packages/${name}/dist`,
    format: 'esm' as const,
    target: 'node20',
    platform: hasCommand(name) ? ('node' as const) : ('neutral' as const),
    external: [/^hallpass/, '@opentelemetry/api', 'jose', 'node-html-parser'],
    dts: false,
    clean: !options.watch,
  })),
])
