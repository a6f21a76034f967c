import { defineTool, type Tool } from 'hallpass/mcp'
import * as z from 'zod'
import { KILN, LANTERN } from '../sites.js'
import { nextStepsSchema, type PublicSource } from '../agents/kit.js'
import { harmless, plainText, textSchema } from '../agents/text.js'

const schoolSchema = z.object({
  name: z.string(),
  description: z.string().describe('One or two sentences, or empty.'),
  url: z.string(),
  time_zone: z.string().describe('IANA name of the time zone.'),
  currency: z.string().describe('ISO 4217 code of the currency of all prices.'),
  locale: z.string().describe('Language tag of most texts.'),
  contact_email: z.string().nullable().describe('Address for questions.'),
  policies: z.object({ terms: textSchema, privacy: textSchema, refunds: textSchema }),
})

/** The stored settings of a school. Settings that were never set are missing. */
interface Settings {
  readonly name: string
  readonly time_zone: string
  readonly currency: string
  readonly locale: string
  readonly contact_email: string | null
  readonly seo: { readonly description?: string }
  readonly policies: { readonly [Name in `${'terms' | 'privacy' | 'refunds'}_html`]?: string }
}

/** Returns the settings of a school before the first change. */
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

/** Defines the tool that describes the school. */
export const schoolTools = ({ execute, site, origin }: PublicSource): readonly Tool<never>[] => [
  defineTool({
    name: 'get_school_info',
    title: 'About the school',
    description:
      'Returns the name, language, time zone, currency and contact address of this school, and its terms, privacy and refund policies. Call it first, or when the user asks about the rules. For the identity of the caller, call check_connection instead.',
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
          'Call list_public_courses, list_public_events, list_public_posts or list_membership_offers to see what the school offers.',
          'Call search_catalog to find something by keywords.',
        ],
      }
    },
  }),
]
