// Node, Bun and Deno provide these without an import. Every other runtime uses the portable functions, and has no files.

/** The cryptography of the runtime; `undefined` if it has none without promises. */
export const nativeCrypto: typeof import('node:crypto') | undefined = /* @__PURE__ */ (() =>
  builtin()?.('node:crypto'))()

/** The file system of the runtime. */
export const nativeFiles: typeof import('node:fs') | undefined = /* @__PURE__ */ (() =>
  builtin()?.('node:fs'))()

/** The `Buffer` of the runtime. */
export const NativeBuffer: typeof import('node:buffer').Buffer | undefined = /* @__PURE__ */ (() =>
  builtin()?.('node:buffer').Buffer)()

function builtin(): typeof process.getBuiltinModule | undefined {
  return typeof process === 'undefined' ? undefined : process.getBuiltinModule?.bind(process)
}
