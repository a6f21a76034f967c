import { OptionsError } from 'hallpass'

/** Returns the mistake in the value of an option, after its name; `null` if it is valid. */
type Rule = (value: unknown) => string | null

/**
 * Checks options, which a test without types may pass. An option that is `undefined` was left out.
 *
 * @param required - the names of those that may not be left out
 * @throws OptionsError that lists every mistake
 */
export function checkOptions<Options extends object>(
  what: string,
  options: Options,
  rules: Readonly<Record<keyof Options, Rule>>,
  required: readonly (keyof Options & string)[],
): void {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined)
  const mistakes = [
    ...given.flatMap(([name, value]: [string, unknown]) => {
      if (!Object.hasOwn(rules, name)) return [`${name} is not an option`]
      const mistake = rules[name as keyof Options](value)
      return mistake === null ? [] : [`${name} ${mistake}`]
    }),
    ...required
      .filter((name) => given.every(([other]) => other !== name))
      .map((name) => `${name} is missing`),
  ]
  if (mistakes.length > 0) throw new OptionsError(what, mistakes)
}

/** The rule of an integer from `least` to `most`. */
export const whole =
  (least: number, most: number): Rule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? null
      : `must be an integer from ${least} to ${most}`

/** The rule of a function, with an example. */
export const callback =
  (example: string): Rule =>
  (value) =>
    typeof value === 'function' ? null : `must be a function such as ${example}`

export const flag: Rule = (value) => (typeof value === 'boolean' ? null : 'must be true or false')
