import type { ScopeWords } from './applications/views.js'
import { visible } from './html.js'
import { momentInWords } from './wording.js'

/** Writes the email to a person whose account an app can use for the first time. */
export function connectionMail({
  site,
  origin,
  name,
  app,
  at,
  scopes,
}: {
  site: { readonly name: string; readonly timeZone: string }
  origin: string
  /** The person's name, or `null`. */
  name: string | null
  app: string
  /** Epoch seconds. */
  at: number
  scopes: readonly ScopeWords[]
}): { readonly subject: string; readonly text: string } {
  const shown = visible(app)
  return {
    subject: `${shown} can now use your account at ${site.name}`,
    text: [
      name === null ? 'Hello,' : `Hello ${visible(name)},`,
      '',
      `you connected an app to your account at ${site.name}: ${shown}`,
      `(${momentInWords({ at, timeZone: site.timeZone })}, ${site.timeZone})`,
      '',
      'It can now:',
      ...scopes.map(({ text }) => `- ${text}`),
      '',
      'If this was you, there is nothing to do.',
      '',
      'If it wasn’t you, someone else may know your password. Disconnect the app here,',
      'then ask the school to help you with your password:',
      `${origin}/oauth/authorized_applications`,
      '',
      site.name,
      '',
    ].join('\n'),
  }
}
