import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nearest } from '../nearest.js'
import type { SignIn } from '../sign-in.js'
import { Mistake } from './arguments.js'

/** The longest that the file may take, in milliseconds: it may ask a vault for passwords, and it may wait for ever. */
const LONGEST = 30_000

/**
 * Imports the file of `--sign-in`.
 *
 * @param longest - milliseconds that the import may take
 * @throws Mistake - if there is no such file, it throws, or its default export is not a sign-in
 */
export async function loadSignIn(
  file: string,
  cwd: string,
  longest: number = LONGEST,
): Promise<SignIn> {
  const path = resolve(cwd, file)
  const found = await stat(path).catch(() => null)
  if (found?.isFile() !== true) throw new Mistake(`there is no file ${file}: --sign-in names a module`) // prettier-ignore
  const { default: signIn } = await imported(path, longest).catch((error: unknown) => {
    throw new Mistake(`--sign-in ${file}: ${reasonOf(error)}`)
  })
  const fault = faultOf(signIn)
  if (fault !== null) throw new Mistake(`--sign-in ${file}: ${fault}`)
  return signIn as SignIn
}

async function imported(path: string, longest: number): Promise<{ readonly default?: unknown }> {
  let timer: NodeJS.Timeout | undefined
  // It also keeps the process, which Node ends without a word if nothing else is under way.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not loaded within ${longest / 1000} s`)), longest) // prettier-ignore
  })
  try {
    return await Promise.race([import(pathToFileURL(path).href), late])
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `it throws ${String(error)}`
  return (error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION'
    ? `Node ${process.version} imports no such file: write it as JavaScript, in a .mjs file`
    : error.message
}

const EXAMPLE = `export default { people: [{ email: 'ines@school.example', password: '…' }] }`

/** Each member of a sign-in, and a function that says in a sentence why a value is not one; `null` if it is. */
const MEMBERS: Readonly<Record<keyof SignIn, (value: unknown, name: string) => string | null>> = {
  people: (value, name) =>
    Array.isArray(value) && (value.length === 1 || value.length === 2)
      ? first(value.map((person, index) => textsFault(person, `${name}[${index}]`)))
      : `${name} must have one or two people, as in ${EXAMPLE}`,
  scope: (value, name) => (value === '' ? null : textFault(value, name)),
  clientDocument: textFault,
  clients: (value, name) => eachFault(value, name, clientFault),
  endpoints: (value, name) => textsFault(value, name),
  accepts: (value, name) => textsFault(value, name),
  member: (value, name) =>
    isObject(value)
      ? first([textsFault(value['person'], `${name}.person`), clientFault(value['client'], `${name}.client`)])
      : `${name} must be an object with person and client`,
  vendor: (value, name) => textsFault(value, name, ['name', 'client_id']),
  surfaces: (value, name) =>
    Array.isArray(value)
      ? first(value.map((one, index) => textsFault(one, `${name}[${index}]`, ['path'])))
      : `${name} must be a list such as [{ path: '/courses' }]`,
  buttons: (value, name) => {
    const other = Object.keys(isObject(value) ? value : {}).find((one) => one !== 'allow' && one !== 'deny')
    return other === undefined ? textsFault(value, name) : `${name} has allow and deny, not ${other}`
  },
  mcp: (value, name) =>
    typeof value === 'string' && URL.canParse(value, 'http://a')
      ? textFault(value, name)
      : `${name} must be a URL such as https://mcp.school.example/mcp`,
  answer: (value, name) => (typeof value === 'function' ? null : `${name} must be a function`),
} // prettier-ignore

function faultOf(signIn: unknown): string | null {
  if (!isObject(signIn)) return `it must have a default export, such as ${EXAMPLE}`
  const names = Object.keys(MEMBERS)
  const unknown = Object.keys(signIn).find((name) => !names.includes(name))
  const meant = unknown === undefined ? null : nearest(unknown, names)
  if (unknown !== undefined)
    return `there is no ${unknown} in a sign-in${meant === null ? '' : `: did you mean ${meant}?`}`
  const given = { people: undefined, ...signIn }
  return first(
    Object.entries(given).map(([name, value]) =>
      value === undefined && name !== 'people' ? null : MEMBERS[name as keyof SignIn](value, name),
    ),
  )
}

const first = (faults: readonly (string | null)[]): string | null =>
  faults.find((fault) => fault !== null) ?? null

function textFault(value: unknown, name: string): string | null {
  if (typeof value === 'string' && value !== '') return null
  const is = value === '' ? 'empty' : typeof value
  return `${name} is ${is}, and must be a text${is === 'empty' || is === 'undefined' ? ': is a variable of the environment missing?' : ''}`
} // prettier-ignore

/** Default: all members that there are must be a text. With `needed`, the others may be undefined. */
const textsFault = (value: unknown, name: string, needed?: readonly string[]): string | null =>
  isObject(value)
    ? first([...(needed ?? Object.keys(value)), ...Object.keys(value).filter((one) => value[one] !== undefined)].map((one) => textFault(value[one], `${name}.${one}`)))
    : `${name} must be an object` // prettier-ignore

const eachFault = (
  value: unknown,
  name: string,
  fault: (value: unknown, name: string) => string | null,
): string | null =>
  isObject(value)
    ? first(Object.entries(value).map(([one, each]) => fault(each, `${name}.${one}`)))
    : `${name} must be an object`

function clientFault(value: unknown, name: string): string | null {
  if (!isObject(value)) return `${name} must be an object`
  const { private_jwk: _, dpop_bound_access_tokens: isBound = false, ...texts } = value
  if (typeof isBound !== 'boolean') return `${name}.dpop_bound_access_tokens must be true or false`
  return textsFault(texts, name, ['client_id', 'redirect_uri'])
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
