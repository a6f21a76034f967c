import { defineTool, type Tool } from 'hallpass/mcp'
import * as z from 'zod'
import { KILN, LANTERN } from '../sites.js'
import { nextStepsSchema, type PublicSource } from '../agents/kit.js'
import { harmless, plainText, textSchema } from '../agents/text.js'

const schoolSchema = z.object({
  name: z.string(),
  description: z.string().describe('A sentence or two; may be empty.'),
  url: z.string(),
  time_zone: z.string().describe('Of the time zone database.'),
  currency: z.string().describe('Of its prices, ISO 4217.'),
  locale: z.string().describe('The language of most of its texts.'),
  contact_email: z.string().nullable().describe('For people who have a question.'),
  policies: z.object({ terms: textSchema, privacy: textSchema, refunds: textSchema }),
})

/** What is kept of a school's settings: what nobody has set is not there. */
interface Settings {
  readonly name: string
  readonly time_zone: string
  readonly currency: string
  readonly locale: string
  readonly contact_email: string | null
  readonly seo: { readonly description?: string }
  readonly policies: { readonly [Name in `${'terms' | 'privacy' | 'refunds'}_html`]?: string }
}

/** What a school is before anybody has said so. */
function defaultsOf(site: string): Settings {
  const known = [LANTERN, KILN].find(({ id }) => id === site)
  return {
    name: known?.name ?? site,
    time_zone: known?.timeZone ?? 'UTC',
    currency: known?.currency ?? 'EUR',
    locale: 'en',
    contact_email: null,
    seo: {},
    policies: {},
  }
}

const shownOf = ({ seo, policies, ...settings }: Settings, url: string) => ({
  name: settings.name,
  description: seo.description ?? '',
  url,
  time_zone: settings.time_zone,
  currency: settings.currency,
  locale: settings.locale,
  contact_email: settings.contact_email,
  policies: {
    terms: plainText(policies.terms_html ?? ''),
    privacy: plainText(policies.privacy_html ?? ''),
    refunds: plainText(policies.refunds_html ?? ''),
  },
})

/** What the school says of itself. */
export const schoolTools = ({ execute, site, origin }: PublicSource): readonly Tool<never>[] => [
  defineTool({
    name: 'get_school_info',
    title: 'About the school',
    description:
      'Tells what this school is called, its language, time zone and currency, how to reach it, and its terms, privacy and refund policies. Use it first, or when somebody asks about the rules. It does not say who is connected: check_connection does.',
    input: z.strictObject({}),
    output: z.object({ data: schoolSchema, next_steps: nextStepsSchema }),
    async run() {
      const { rows } = await execute(
        `select data from school_setting where site = $1 and id = 'school'`,
        [site],
      )
      const [row] = rows as readonly { data: Partial<Settings> }[]
      return {
        data: harmless(shownOf({ ...defaultsOf(site), ...row?.data }, origin)),
        next_steps: [
          'Call list_public_courses, list_public_events, list_public_posts or list_membership_offers to see what there is.',
          'Call search_catalog to look for something by its words.',
        ],
      }
    },
  }),
]
