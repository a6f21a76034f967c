import * as z from 'zod'

/** An absolute https URL that names nobody. */
export const webUrl = z
  .string()
  .max(2048)
  .refine(isWebUrl, 'it must be an https URL without a user name')
  .meta({ format: 'uri' })

/** A page of the school by its path, or any other by its https URL. */
export const linkTarget = z
  .string()
  .max(2048)
  .refine(
    (text) => isWebUrl(text) || isPath(text),
    'it must be a path of the school or an https URL',
  )

function isWebUrl(text: string): boolean {
  if (!/^https:\/\/[^\s\\]+$/.test(text) || !URL.canParse(text)) return false
  const { username, password, hostname } = new URL(text)
  return username + password === '' && hostname !== ''
}

// `//host` and `/\host` lead to another host.
const isPath = (text: string): boolean => /^\/(?![/\\])[^\s\\]*$/.test(text)
