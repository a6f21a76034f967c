import * as z from 'zod'

/** The schema of an absolute https URL without a user name. */
export const webUrl = z
  .string()
  .max(2048)
  .refine(isWebUrl, 'must be an https URL without a user name')
  .meta({ format: 'uri' })

/** The schema of a link: a path of the school, or the https URL of any other page. */
export const linkTarget = z
  .string()
  .max(2048)
  .refine((text) => isWebUrl(text) || isPath(text), 'must be a path of the school or an https URL')

function isWebUrl(text: string): boolean {
  if (!/^https:\/\/[^\s\\]+$/.test(text) || !URL.canParse(text)) return false
  const { username, password, hostname } = new URL(text)
  return username + password === '' && hostname !== ''
}

// `//host` and `/\host` lead to another host.
const isPath = (text: string): boolean => /^\/(?![/\\])[^\s\\]*$/.test(text)
