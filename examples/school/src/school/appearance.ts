import * as z from 'zod'
import { LANTERN, KILN } from '../sites.js'
import { linkTarget, webUrl } from '../admin/addresses.js'
import { MAX_CSS, refuseCss } from './css-policy.js'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { common, line } from '../admin/fields.js'
import { type Kit, withChanges } from '../admin/kit.js'
import { changeSetting, readSetting, type Setting } from './settings.js'

const color = z
  .string()
  .max(7)
  .regex(/^#[0-9a-f]{6}$/)
const font = z
  .string()
  .max(60)
  .regex(/^[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*$/)

const colors = { accent: color, background: color, text: color }
const fonts = { heading: font, body: font }

const NavigationItem = z
  .strictObject({ label: line(40), url: linkTarget })
  .meta({ id: 'NavigationItem', description: 'A link in the header of every page.' })

const fields = {
  theme: z.enum(['lantern', 'kiln']),
  logo_url: webUrl.nullable(),
  favicon_url: webUrl.nullable(),
  navigation: z.array(NavigationItem).max(12),
  custom_css: z
    .string()
    .max(MAX_CSS)
    .nullable()
    .describe(
      'Only owners and managers can set it. It cannot load anything, and the sign-in and consent pages do not use it.',
    ),
}

const Appearance = z
  .object({
    id: z.string().max(70),
    ...fields,
    colors: z.object(colors),
    fonts: z.object(fonts),
    ...common,
  })
  .meta({ id: 'Appearance', description: 'The appearance of the school for every visitor.' })
type Appearance = z.output<typeof Appearance>

const settingOf = ({ site }: Kit): Setting => ({
  name: 'appearance',
  defaults: {
    theme: [LANTERN, KILN].find(({ id }) => id === site)?.theme ?? 'lantern',
    colors: { accent: '#1d5c63', background: '#ffffff', text: '#1b1b1b' },
    fonts: { heading: 'Georgia', body: 'system-ui' },
    logo_url: null,
    favicon_url: null,
    navigation: [],
    custom_css: null,
  },
})

/** Defines the operations on the appearance of the school. */
export function appearanceOperations(kit: Kit): readonly SchoolOperation[] {
  const setting = settingOf(kit)
  return [
    defineOperation({
      id: 'appearance.get',
      summary: 'Get the appearance of the school',
      scope: 'appearance:read',
      effect: 'read',
      method: 'GET',
      path: '/appearance',
      tool: { name: 'get_settings', argument: 'category', value: 'appearance' },
      input: z.strictObject({}),
      output: Appearance,
      run: () => readSetting<Appearance>(kit, setting),
    }),
    defineOperation({
      id: 'appearance.update',
      summary: 'Change the appearance of the school',
      description:
        'Fields that are omitted keep their values, also those of `colors` and `fonts`. `navigation` replaces the whole list.',
      scope: 'appearance:write',
      effect: 'write',
      method: 'PATCH',
      path: '/appearance',
      tool: { name: 'update_settings', argument: 'category', value: 'appearance' },
      input: z.strictObject({
        ...z.object(fields).partial().shape,
        colors: z.strictObject(colors).partial().optional(),
        fonts: z.strictObject(fonts).partial().optional(),
      }),
      output: Appearance,
      precondition: 'required',
      run: (context, { colors: colorsSent = {}, fonts: fontsSent = {}, ...rest }) =>
        changeSetting<Appearance>(kit, context, setting, (current) => {
          const { custom_css: css } = rest
          const { roles } = context.access.person
          const refused = css === undefined ? null : refuseCss({ css, roles })
          return (
            refused ?? {
              ...rest,
              colors: withChanges(current.colors, colorsSent),
              fonts: withChanges(current.fonts, fontsSent),
            }
          )
        }),
    }),
  ]
}
