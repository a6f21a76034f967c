import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SignIn } from '../sign-in.js'
import { Mistake } from './arguments.js'

/**
 * Imports the file of `--sign-in`.
 *
 * @throws Mistake - if there is no such file, it throws, or its default export is not a sign-in
 */
export async function loadSignIn(file: string, cwd: string): Promise<SignIn> {
  const path = resolve(cwd, file)
  if (!existsSync(path)) throw new Mistake(`there is no file ${file}: --sign-in names a module`)
  let module: { readonly default?: unknown }
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module
  } catch (error) {
    throw new Mistake(`--sign-in ${file}: ${(error as Error).message}`)
  }
  const signIn = module.default
  const people = isObject(signIn) ? signIn['people'] : undefined
  const isList = Array.isArray(people) && people.length >= 1 && people.length <= 2
  if (!isList || !people.every((person) => isObject(person) && Object.values(person).every((value) => typeof value === 'string')))
    throw new Mistake(`--sign-in ${file} must have a default export such as { people: [{ email: 'ines@school.example', password: '…' }] }, with one or two people`)
  return signIn as SignIn
} // prettier-ignore

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
