import { defineConfig } from 'tsup'
import { SIBLINGS } from './scripts/siblings.mjs'

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
  // Packages of their own, which import the library as everyone does.
  ...SIBLINGS.map((name) => ({
    entry: [`packages/${name}/src/index.ts`],
    outDir: `packages/${name}/dist`,
    format: 'esm' as const,
    target: 'node20',
    platform: 'neutral' as const,
    external: [/^hallpass/, '@opentelemetry/api'],
    dts: false,
    clean: !options.watch,
  })),
])
