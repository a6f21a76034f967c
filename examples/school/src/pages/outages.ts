import { StorageFailure } from 'hallpass/store'
import type { SiteDefinition } from '../sites.js'
import { failedFor } from './failed.js'

/** Adds the response to an outage to a function that responds to a request. */
export type Outages = <Rest extends readonly unknown[]>(
  respond: (request: Request, ...rest: Rest) => Promise<Response>,
) => (request: Request, ...rest: Rest) => Promise<Response>

/**
 * Creates the responses to outages of one site. hallpass's endpoints have their own; this is for the pages.
 *
 * @param options - `onFault`: receives the exception
 */
export function createOutages(options: {
  site: SiteDefinition
  origin: string
  onFault: (fault: StorageFailure) => void
}): Outages {
  const { site, origin, onFault } = options
  return (respond) =>
    async (request, ...rest) => {
      try {
        return await respond(request, ...rest)
      } catch (fault) {
        if (!(fault instanceof StorageFailure)) throw fault
        onFault(fault)
        return failedFor(request, { site, origin, status: 503 })
      }
    }
}
