import type { Tool } from 'hallpass/mcp'
import { courseTools } from './catalog.js'
import { eventTools } from './events.js'
import type { PublicSource } from './kit.js'
import { lecturerTools } from './lecturers.js'
import { offerTools } from './offers.js'
import { postTools } from './posts.js'
import { schoolTools } from './school.js'
import { searchTools } from './search.js'

/**
 * The tools that everybody may call without a token, the most useful first. They show what is published
 * and public at one site, and nothing else.
 *
 * @param source - `origin`: where links lead; `now`: epoch seconds
 */
export const publicTools = (source: PublicSource): readonly Tool<never>[] =>
  [schoolTools, searchTools, courseTools, eventTools, offerTools, postTools, lecturerTools].flatMap(
    (toolsOf) => toolsOf(source),
  )
