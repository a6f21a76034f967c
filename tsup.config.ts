import { defineConfig } from 'tsup'

export default defineConfig((options) => ({
  entry: ['src/*.ts'],
  format: 'esm',
  target: 'node20',
  platform: 'neutral',
  external: [/^node:/],
  dts: false,
  splitting: true,
  sourcemap: true,
  treeshake: true,
  clean: !options.watch,
}))
