// site.ts
import { defineSite, type SiteOptions } from 'hallpass'

export declare const options: SiteOptions

export const site = defineSite({
  ...options,
  // { at, endpoint, error, reason, clientId, requestId, attemptId }, without secrets.
  onRefusal: (notice) => console.warn(JSON.stringify(notice)),
  onFault: ({ endpoint, requestId, fault }) => console.error(endpoint, requestId, fault),
})
