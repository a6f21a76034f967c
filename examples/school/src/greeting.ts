import { resolve } from 'node:path'
import { DEMO_PASSWORD, demoSignIns } from './demo/demo.js'
import type { Environment } from './platform/environment.js'
import { widthOf } from './platform/terminal.js'
import type { SchoolSite } from './school-site.js'

/** A school of the greeting. */
export type GreetedSite = Pick<SchoolSite, 'origin'> & {
  readonly definition: Pick<SchoolSite['definition'], 'id' | 'name' | 'theme'>
}

/** The folder for the email of the demo. */
export const mailPath = ({ dataFolder }: Pick<Environment, 'dataFolder'>): string =>
  resolve(dataFolder, 'mail')

type Greeted = Pick<Environment, 'databaseUrl' | 'dataFolder' | 'demo'>

/** Returns the text that says where the schools are, for a pipe or a file. */
export function greeting(sites: readonly GreetedSite[], environment: Greeted): string {
  const { databaseUrl, dataFolder, demo } = environment
  const people = ({ definition }: GreetedSite): readonly string[] =>
    demo
      ? demoSignIns(definition.id).map(({ email, role }) => `    ${email.padEnd(30)} ${role}`)
      : []
  return [
    '',
    ...sites.flatMap((site) => [
      site.definition.name,
      `  ${site.origin}`,
      `  ${site.origin}/.well-known/oauth-authorization-server`,
      ...(demo ? [`  ${site.origin}/account/graphiql`] : []),
      ...people(site),
      '',
    ]),
    demo
      ? `Everyone's password is ${DEMO_PASSWORD}. Their email is written to ${mailPath(environment)}`
      : 'There are no demo people. Set HALLPASS_DEMO=1 to create them.',
    `Data is stored in ${databaseUrl === null ? dataFolder : 'PostgreSQL'}. Stop with Ctrl+C.`,
    '',
    `Open ${sites[0]!.origin}`,
  ].join('\n')
}

/** The roles of the people that a visitor meets first: who may allow apps of staff, who may not, and a member. */
const SHOWN_ROLES = ['owner', 'assistant', 'student']

/**
 * Returns what a person needs first, as a box of at most 24 lines. Where it is wider than the terminal, its lines have
 * no frame: the terminal breaks an address or a command, so that it can be copied whole.
 */
export function greetingBox(
  sites: readonly GreetedSite[],
  { seconds, columns, ...environment }: Greeted & { seconds: number; columns: number },
): string {
  const { databaseUrl, dataFolder, demo } = environment
  const [{ origin, definition }] = sites as readonly [GreetedSite, ...GreetedSite[]]
  const row = (label: string, text: string): string => `${label.padEnd(11)}${text}`
  const people = demoSignIns(definition.id).filter(
    ({ role }, index, all) =>
      SHOWN_ROLES.includes(role) && all.findIndex((one) => one.role === role) === index,
  )
  const emailWidth = Math.max(...people.map(({ email }) => email.length))
  const lines = [
    `✓ Ready in ${seconds.toFixed(1)} s`,
    '',
    ...sites.map((site, index) => row(index === 0 ? 'Open' : 'and', `${site.origin}  ${site.definition.name}`)), // prettier-ignore
    ...(demo
      ? [
          '',
          ...people.map(({ email, role }, index) => row(index === 0 ? 'Sign in' : '', `${email.padEnd(emailWidth)}  ${role}`)), // prettier-ignore
          row('Password', `${DEMO_PASSWORD}, everyone's`),
          row('Playground', `${origin}/playground`),
        ]
      : ['', 'There are no demo people. Set HALLPASS_DEMO=1 to create them.']),
    '',
    'Connect Claude Code:',
    `claude mcp add --transport http ${definition.theme} ${origin}/mcp`,
    '',
    row('Data', databaseUrl === null ? dataFolder : 'in PostgreSQL'),
    ...(demo ? [row('Email', mailPath(environment))] : []),
    row('Stop', 'Ctrl+C'),
  ]
  const width = Math.max(...lines.map(widthOf))
  if (width + 4 > columns) return ['', ...lines, ''].join('\n')
  const edge = '─'.repeat(width + 2)
  return [
    `╭${edge}╮`,
    ...lines.map((line) => `│ ${line}${' '.repeat(width - widthOf(line))} │`),
    `╰${edge}╯`,
  ].join('\n')
}
