import { ERRORS_PAGE, withReasons } from './errors.js'
import { withRequirements } from './requirements.js'

/** The pages that are filled in where they are published. */
const FILLED: Readonly<Partial<Record<string, (text: string) => string>>> = {
  [ERRORS_PAGE]: withReasons,
  'docs/requirements.md': withRequirements,
}

/** The text of a page as the site and the package have it. */
export const packedText = ({ path, text }: { path: string; text: string }): string =>
  FILLED[path]?.(text) ?? text
