import { type Problem, refuseWith } from 'hallpass/admin'

/** Characters of custom CSS at most. */
export const MAX_CSS = 20_000

const MANAGERS: readonly string[] = ['owner', 'manager']

// None of these loads anything: with an address in it, a style sheet tells another server what stands
// in a page, letter by letter.
const FUNCTIONS: ReadonlySet<string> = new Set([
  'rgb', 'rgba', 'hsl', 'hsla', 'hwb', 'lab', 'lch', 'oklab', 'oklch', 'color', 'color-mix',
  'light-dark', 'calc', 'min', 'max', 'clamp', 'var', 'env', 'minmax', 'repeat', 'fit-content',
  'linear-gradient', 'radial-gradient', 'conic-gradient', 'repeating-linear-gradient',
  'repeating-radial-gradient', 'repeating-conic-gradient', 'translate', 'translatex', 'translatey',
  'scale', 'scalex', 'scaley', 'rotate', 'skew', 'skewx', 'skewy', 'matrix', 'perspective', 'blur',
  'brightness', 'contrast', 'drop-shadow', 'grayscale', 'hue-rotate', 'invert', 'opacity',
  'saturate', 'sepia', 'cubic-bezier', 'steps', 'polygon', 'circle', 'ellipse', 'inset', 'counter',
  'counters', 'not', 'is', 'where', 'has', 'lang', 'dir', 'nth-child', 'nth-last-child',
  'nth-of-type', 'nth-last-of-type',
]) // prettier-ignore

const AT_RULES: ReadonlySet<string> = new Set([
  'media', 'supports', 'container', 'layer', 'keyframes',
]) // prettier-ignore

/**
 * Whether somebody may set this as the school's custom CSS. It styles and loads nothing; nothing in it
 * is written in a way that hides what it is.
 *
 * @param change - `css`: `null` = none from now on; `roles`: the caller's
 * @returns `null` = yes; problems: `forbidden_role` for anybody but owners and managers,
 *   `unprocessable` for `<`, a backslash, a function or an at-rule that is not on the list
 */
export function refuseCss({
  css,
  roles,
}: {
  css: string | null
  roles: readonly string[]
}): Problem | null {
  if (!roles.some((role) => MANAGERS.includes(role)))
    return refuseWith('forbidden_role', 'custom_css is changed by owners and managers alone')
  const text = (css ?? '').toLowerCase()
  if (/[<\\]/.test(text))
    return refuseWith('unprocessable', 'custom_css has neither < nor a backslash in it')
  const names = [...text.matchAll(/([\w-]*)\(/g)].map(([, name]) => name!)
  const strange = names.find((name) => name !== '' && !FUNCTIONS.has(name))
  if (strange !== undefined)
    return refuseWith('unprocessable', `custom_css cannot use the function ${strange}()`)
  const rules = [...text.matchAll(/@([\w-]*)/g)].map(([, name]) => name!)
  const other = rules.find((name) => !AT_RULES.has(name))
  return other === undefined
    ? null
    : refuseWith('unprocessable', `custom_css cannot use the rule @${other}`)
}
