// Adds a school with its first two people, and its first app for members.
import { randomBytes } from 'node:crypto'
import { execute, storage } from '../common/store.js'
import { memberApp } from './account.js'
import { hashPassword, peopleOf } from './people.js'
import { domain, schools } from './platform.js'

/** Returns its origin, and the password of its people. `null` if the label is taken. */
export async function addSchool(label: string, name: string) {
  const host = `${label}.${domain}`
  const password = randomBytes(9).toString('base64url')
  if (!(await schools.add(host, name))) return null
  const { issuer } = (await schools.find(host))!
  await peopleOf(execute, issuer).addFirst(await hashPassword(password))
  await storage.storeOf(issuer).insertClient(memberApp())
  return { issuer, password }
}
