import { nearest } from './nearest.js'

/**
 * Thrown by a factory or by {@link defineSite} for options that are unknown, missing or invalid. It lists
 * every mistake, so that all of them can be fixed together.
 *
 * @group Configuration errors
 * @example
 * ```ts
 * import { defineSite, OptionsError } from 'hallpass'
 *
 * let mistakes: readonly string[] = []
 * try {
 *   defineSite({ issuer: 'https://school.example' } as never)
 * } catch (error) {
 *   if (error instanceof OptionsError) mistakes = error.mistakes
 * }
 * mistakes[0] // => 'name is missing: a string such as "My School"'
 * mistakes.length // => 5
 * ```
 */
export class OptionsError extends TypeError {
  /**
   * One sentence for each mistake, beginning with the option. It never contains a value that could be
   * secret.
   */
  readonly mistakes: readonly string[]

  constructor(what: string, mistakes: readonly string[]) {
    super(`${what}: ${mistakes.join('; ')}`)
    this.name = 'OptionsError'
    this.mistakes = mistakes
  }
}

declare const FITS: unique symbol

/** The rule of one option. `Value` is the type of the option. */
interface Rule<in Value> {
  /** Describes a valid value, with an example. */
  readonly wanted: string
  /** @returns the mistakes in the value of the option `name`; none if it is valid */
  readonly mistakes: (value: unknown, name: string) => readonly string[]
  readonly isOptional: boolean
  readonly [FITS]?: (value: Value) => void
}

/** The rule of an option that may be left out. */
export interface OptionalRule<in Value> extends Rule<Value> {
  readonly isOptional: true
}

/** The rule of a required option. */
export interface RequiredRule<in Value> extends Rule<Value> {
  readonly isOptional: false
}

/** One rule for each option. A missing rule, an extra one, or one of another type does not compile. */
export type Rules<Options> = {
  readonly [Name in keyof Options]-?: object extends Pick<Options, Name>
    ? OptionalRule<Exclude<Options[Name], undefined>>
    : RequiredRule<Options[Name]>
}

/**
 * Checks the options of a factory.
 *
 * @param beyond - finds the contradictions between options; called only if each is valid by itself
 * @returns the options without those that are `undefined`, so that none of them overwrites a default
 * @throws OptionsError that lists every mistake
 */
export function checkOptions<Options extends object>(
  what: string,
  options: Options,
  rules: Rules<NoInfer<Options>>,
  beyond: (options: Options) => readonly string[] = () => [],
): Options {
  if (options !== undefined && !isObject(options))
    throw new OptionsError(what, unlike('options', 'an object', options))
  // Plain JavaScript may omit the argument; the error then lists the missing options.
  const given = withoutUndefined(options ?? ({} as Options))
  const single = mistakesOf(given, rules, '')
  const mistakes = single.length > 0 ? single : beyond(given)
  if (mistakes.length > 0) throw new OptionsError(what, mistakes)
  return given
}

/** Removes the members that are `undefined`, because they would overwrite a default. */
export const withoutUndefined = <Given extends object>(options: Given): Given =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given

function mistakesOf(
  options: object,
  rules: Readonly<Record<string, Rule<never>>>,
  prefix: string,
): readonly string[] {
  return [
    ...strangersIn(options, Object.keys(rules), prefix),
    ...Object.entries(rules).flatMap(([name, rule]) => {
      const value = (options as Record<string, unknown>)[name]
      if (value !== undefined) return rule.mistakes(value, prefix + name)
      return rule.isOptional ? [] : [`${prefix}${name} is missing: ${rule.wanted}`]
    }),
  ]
}

/** Names the members that are not options. */
const strangersIn = (
  options: object,
  names: readonly string[],
  prefix: string,
): readonly string[] =>
  Object.keys(options)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const meant = nearest(name, names)
      return `${prefix}${name} is not an option${meant === null ? '' : `: did you mean ${meant}?`}`
    })

/** Makes the rule of an option that may be left out. */
export const optional = <Value>(rule: RequiredRule<Value>): OptionalRule<Value> => ({
  ...rule,
  isOptional: true,
})

/** Makes the rule of an option that may be `null`. */
export const orNull = <Value>(rule: RequiredRule<Value>): RequiredRule<Value | null> =>
  custom(`${rule.wanted}, or null`, (value, name) =>
    value === null ? [] : rule.mistakes(value, name),
  )

/**
 * Makes a rule from a function that finds the mistakes.
 *
 * @param wanted - describes a valid value, with an example
 */
export const custom = <Value>(
  wanted: string,
  mistakes: (value: unknown, name: string) => readonly string[],
): RequiredRule<Value> => ({ wanted, mistakes, isOptional: false })

/** Says that a value has the wrong type. */
export const unlike = (name: string, wanted: string, value: unknown): readonly string[] => [
  `${name} must be ${wanted}, not ${kindOf(value)}`,
]

/**
 * Makes a rule from a predicate.
 *
 * @param shown - how the message shows an invalid value: by its type only, unless it cannot be secret
 */
export const simple = <Value>(
  wanted: string,
  fits: (value: unknown) => boolean,
  shown: (value: unknown) => string = kindOf,
): RequiredRule<Value> =>
  custom(wanted, (value, name) =>
    fits(value) ? [] : [`${name} must be ${wanted}, not ${shown(value)}`],
  )

/** Makes the rule of a string that is not blank. */
export const text = (example: string): RequiredRule<string> =>
  simple(
    `a string such as ${example}`,
    (value) => typeof value === 'string' && value.trim() !== '',
    (value) => (typeof value === 'string' ? 'a blank one' : kindOf(value)),
  )

/** Makes the rule of a string with a fixed format. It is never secret, so the message shows it. */
export const pattern = (wanted: string, form: RegExp): RequiredRule<string> =>
  simple(wanted, (value) => typeof value === 'string' && form.test(value), quoted)

/** A host as a URL contains it, with its port unless that is the default port of the scheme. */
export const host: RequiredRule<string> = pattern(
  'a host such as school.example, not a URL',
  /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/,
)

export const flag: RequiredRule<boolean> = simple(
  'true or false',
  (value) => typeof value === 'boolean',
  quoted,
)

/** Makes the rule of an integer within a range. */
export const whole = (from: number, to: number = Number.MAX_SAFE_INTEGER): RequiredRule<number> =>
  simple(
    `a whole number ${to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`}`,
    (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
    quoted,
  )

/** The rule of a number above 0, which may have a fraction. */
export const positive: RequiredRule<number> = simple(
  'a number above 0',
  (value) => Number.isFinite(value) && Number(value) > 0,
  quoted,
)

/** Makes the rule of a value from a fixed list. */
export const oneOf = <Word extends string>(...words: readonly Word[]): RequiredRule<Word> =>
  simple(words.join(' or '), (value) => words.includes(value as Word), quoted)

/** Makes the rule of a function. */
export const callback = <Callback extends (...parameters: never[]) => unknown>(
  example: string,
): RequiredRule<Callback> =>
  simple(`a function such as ${example}`, (value) => typeof value === 'function')

type MethodsOf<Value> = {
  [Name in keyof Value]-?: Value[Name] extends (...parameters: never[]) => unknown ? Name : never
}[keyof Value]

/**
 * Makes the rule of an object with these methods; it may have other members.
 *
 * @param groups - further methods by group: the object has all of a group, or none
 * @param optional - members that it may have too, with their types; a plain object may then have no others
 */
export const methods = <Value extends object>(
  example: string,
  names: Readonly<Record<MethodsOf<Value>, unknown>>,
  groups: Readonly<Record<string, readonly string[]>> = {},
  optional: Readonly<Record<string, 'function' | 'object'>> | null = null,
): RequiredRule<Value> =>
  custom(example, (value, name) => {
    if (!isObject(value)) return unlike(name, example, value)
    const members = value as Readonly<Record<string, unknown>>
    const parts = [
      { wanted: Object.keys(names), hint: example, isOptional: false },
      ...Object.entries(groups).map(([group, wanted]) => ({
        wanted,
        hint: `the group "${group}" is whole or absent`,
        isOptional: true,
      })),
    ]
    const partial = parts.flatMap(({ wanted, hint, isOptional }) => {
      const lacking = wanted.filter((member) => typeof members[member] !== 'function')
      const isAbsent = isOptional && lacking.length === wanted.length
      return lacking.length === 0 || isAbsent ? [] : [{ lacking, hint }]
    })
    const known = parts.flatMap(({ wanted }) => wanted)
    // An instance of a class may have members for its own use.
    const isPlain = Object.getPrototypeOf(value) === Object.prototype
    const strangers =
      optional !== null && isPlain
        ? strangersIn(value, [...known, ...Object.keys(optional)], `${name}.`)
        : []
    const lacking = partial.flatMap((part) => part.lacking)
    return [
      ...partial.map(
        (part) => `${name} lacks the function ${part.lacking.join(', ')}: ${part.hint}`,
      ),
      ...Object.entries(optional ?? {}).flatMap(([member, type]) =>
        members[member] === undefined || typeof members[member] === type
          ? []
          : unlike(
              `${name}.${member}`,
              type === 'object' ? 'an object' : 'a function',
              members[member],
            ),
      ),
      ...strangers,
      ...Object.keys(members).flatMap((member) => {
        if (strangers.length > 0) return []
        const meant = known.includes(member) ? null : nearest(member, lacking)
        return meant === null ? [] : [`${name}.${member}: did you mean ${meant}?`]
      }),
    ]
  })

/** Makes the rule of an object that the library created, by some of its members and their types. */
export const made = <Value extends object>(
  by: string,
  members: { readonly [Name in keyof Value]?: 'string' | 'object' | 'function' | 'symbol' },
): RequiredRule<Value> =>
  custom(by, (value, name) => {
    if (!isObject(value)) return unlike(name, by, value)
    const own = value as Readonly<Record<string, unknown>>
    const lacking = Object.entries(members)
      .filter(([member, type]) => own[member] === null || typeof own[member] !== type)
      .map(([member]) => member)
    return lacking.length === 0 ? [] : [`${name} lacks ${lacking.join(', ')}: ${by}`]
  })

/** Makes the rule of an object of options within the options. */
export const shape = <Value extends object>(
  example: string,
  rules: Rules<NoInfer<Value>>,
): RequiredRule<Value> =>
  custom(example, (value, name) =>
    isObject(value) ? mistakesOf(value, rules, `${name}.`) : unlike(name, example, value),
  )

/** Makes the rule of an array whose items all follow one rule. */
export const list = <Value>(rule: RequiredRule<Value>): RequiredRule<readonly Value[]> => {
  const wanted = `an array in which each item is ${rule.wanted}`
  return custom(wanted, (value, name) =>
    Array.isArray(value)
      ? value.flatMap((one, index) => rule.mistakes(one, `${name}[${index}]`))
      : unlike(name, wanted, value),
  )
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names the type of a value without showing its content. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const { name = 'object' } = (value as { constructor?: { name?: string } }).constructor ?? {}
  return name === 'Object' || name === '' ? 'an object' : `a ${name}`
}

/** Shows a value that cannot be secret. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80))
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value)
}
