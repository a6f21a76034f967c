import { tokenize, tokenTypes } from 'css-tree/tokenizer'
import { type Problem, refuseWith } from 'hallpass/admin'

/** Maximum length of custom CSS, in characters. */
export const MAX_CSS = 20_000

const MANAGERS: readonly string[] = ['owner', 'manager']

// Functions that cannot load anything. A stylesheet that can load URLs can send the content of a
// page to another server, letter by letter.
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
 * Decides whether a caller may set this custom CSS. It must not load anything, or use escapes to hide
 * what it does.
 *
 * @param change - `css`: the new CSS, or `null` to remove it; `roles`: the roles of the caller
 * @returns `null` if the CSS is accepted. Problems: `forbidden_role` for a caller who is neither owner
 *   nor manager; `unprocessable` for `<`, a backslash, or a function or at-rule that is not on the list
 */
export function refuseCss({
  css,
  roles,
}: {
  css: string | null
  roles: readonly string[]
}): Problem | null {
  if (!roles.some((role) => MANAGERS.includes(role)))
    return refuseWith('forbidden_role', 'only owners and managers can change custom_css')
  const text = (css ?? '').toLowerCase()
  if (/[<\\]/.test(text))
    return refuseWith('unprocessable', 'custom_css must not contain < or a backslash')
  const { functions, rules } = namesIn(text)
  const strange = functions.find((name) => !FUNCTIONS.has(name))
  if (strange !== undefined)
    return refuseWith('unprocessable', `custom_css cannot use the function ${strange}()`)
  const other = rules.find((name) => !AT_RULES.has(name))
  return other === undefined
    ? null
    : refuseWith('unprocessable', `custom_css cannot use the rule @${other}`)
}

/**
 * Returns the functions and at-rules in a style sheet. They are found in the tokens, as browsers read them, so
 * that an error in the syntax hides none.
 */
function namesIn(css: string): { functions: readonly string[]; rules: readonly string[] } {
  const functions: string[] = []
  const rules: string[] = []
  tokenize(css, (type, start, end) => {
    if (type === tokenTypes.Function) functions.push(css.slice(start, end - 1))
    if (type === tokenTypes.Url || type === tokenTypes.BadUrl) functions.push('url')
    if (type === tokenTypes.AtKeyword) rules.push(css.slice(start + 1, end))
  })
  return { functions, rules }
}
