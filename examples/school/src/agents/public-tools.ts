import type { Tool } from 'hallpass/mcp'
import { courseTools } from '../courses/tools.js'
import { eventTools } from '../events/tools.js'
import type { PublicSource } from './kit.js'
import { lecturerTools } from '../courses/lecturers-tools.js'
import { offerTools } from '../subscriptions/plans-tools.js'
import { postTools } from '../content/posts-tools.js'
import { schoolTools } from '../school/tools.js'
import { searchTools } from './search.js'

/**
 * The public tools, which need no access token, the most useful first. They return what is published
 * and public at one site, and nothing else.
 *
 * @param source - `origin`: the origin of links; `now`: the clock, in seconds since the epoch
 */
export const publicTools = (source: PublicSource): readonly Tool<never>[] =>
  [schoolTools, searchTools, courseTools, eventTools, offerTools, postTools, lecturerTools].flatMap(
    (toolsOf) => toolsOf(source),
  )
