import { type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { webUrl } from '../admin/addresses.js'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { common, line, timeZone } from '../admin/fields.js'
import { html } from '../admin/html.js'
import { type Data, type Db, type Kit, withChanges } from '../admin/kit.js'
import { changeSetting, openedAs, readSetting, type Setting } from './settings.js'

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

const fields = {
  name: line(100),
  time_zone: timeZone,
  currency: z
    .string()
    .max(3)
    .refine((code) => currencies.has(code), 'must be an ISO 4217 code such as EUR'),
  locale: z
    .string()
    .max(35)
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}$/),
  contact_email: z.email().max(254).nullable(),
}
const seo = {
  title: z.string().trim().max(120),
  description: z.string().trim().max(320),
  image_url: webUrl.nullable(),
  indexable: z.boolean().describe('Whether search engines may list the school.'),
}
const policy = z.string().max(50_000)
const policies = { terms_html: policy, privacy_html: policy, refunds_html: policy }
const features = { comments: z.boolean(), events: z.boolean(), downloads: z.boolean() }

const School = z
  .object({
    id: z.string().max(70),
    ...fields,
    domain: z
      .string()
      .max(260)
      .describe('The domain of the school. Set by the operator of the service.'),
    seo: z.object(seo),
    policies: z.object(policies),
    features: z.object({
      ...features,
      mcp_connections: z
        .boolean()
        .describe('Whether members can connect apps. Can only be changed in the admin area.'),
    }),
    ...common,
  })
  .meta({
    id: 'School',
    description: 'The settings of the school: its name, locale, policies and features.',
  })
type School = z.output<typeof School>

const sent = z.strictObject({
  ...z.object(fields).partial().shape,
  seo: z.strictObject(seo).partial().optional(),
  policies: z
    .strictObject({ terms_html: html(), privacy_html: html(), refunds_html: html() })
    .partial()
    .optional(),
  features: z.strictObject(features).partial().optional(),
})
type Sent = z.output<typeof sent>

const FEATURES = { comments: true, events: true, downloads: true }

/** Returns the settings of a school before the first change. */
function settingOf({ site, origin }: Kit): Setting {
  const { name, timeZone: time_zone, currency } = openedAs(site)
  return {
    name: 'school',
    defaults: {
      name,
      domain: new URL(origin).host,
      time_zone,
      currency,
      locale: 'en',
      contact_email: null,
      seo: { title: '', description: '', image_url: null, indexable: true },
      policies: { terms_html: '', privacy_html: '', refunds_html: '' },
      features: FEATURES,
    },
    more: `jsonb_build_object('features',
      coalesce(t.data -> 'features', '${JSON.stringify(FEATURES)}')
      || jsonb_build_object('mcp_connections', exists (
        select from school_site c where c.site = s.site and c.mcp_connections)))`,
  }
}

/** Returns the fields to store for a request. */
function changesOf(current: School, { seo, policies, features, ...rest }: Sent): Data {
  const { mcp_connections: _, ...switches } = current.features
  return {
    ...rest,
    ...(seo && { seo: withChanges(current.seo, seo) }),
    ...(policies && { policies: withChanges(current.policies, policies) }),
    ...(features && { features: withChanges(switches, features) }),
  }
}

async function refuseCurrency(
  db: Db,
  { from, to }: { from: string; to: string },
): Promise<Problem | null> {
  if (from === to) return null
  const orders = await db.query('select from school_order where site = $1 limit 1')
  return orders.length === 0
    ? null
    : refuseWith('conflict', `there are orders in ${from}, so the currency cannot be changed`)
}

/** Defines the operations on the school's settings. */
export function schoolSettingsOperations(kit: Kit): readonly SchoolOperation[] {
  const setting = settingOf(kit)
  return [
    defineOperation({
      id: 'school.get',
      summary: 'Get the school’s settings',
      scope: 'school:read',
      effect: 'read',
      method: 'GET',
      path: '/school',
      tool: { name: 'get_settings', argument: 'category', value: 'school' },
      input: z.strictObject({}),
      output: School,
      run: () => readSetting<School>(kit, setting),
    }),
    defineOperation({
      id: 'school.update',
      summary: 'Change the school’s settings',
      description:
        'Fields that are omitted keep their values, also those of `seo`, `policies` and `features`. The currency cannot be changed after the first order.',
      scope: 'school:write',
      effect: 'write',
      method: 'PATCH',
      path: '/school',
      tool: { name: 'update_settings', argument: 'category', value: 'school' },
      input: sent,
      output: School,
      precondition: 'required',
      run: (context, input) =>
        changeSetting<School>(kit, context, setting, async (current, db) => {
          const { currency = current.currency } = input
          const refused = await refuseCurrency(db, { from: current.currency, to: currency })
          return refused ?? changesOf(current, input)
        }),
    }),
  ]
}
