// api.ts
import type { Site } from 'hallpass'
import { createAccountApi } from 'hallpass/account-api'
import { createSource } from './source.js'

/** @param site - the one of your authorization server */
export const createApi = (site: Site) =>
  createAccountApi(site, {
    source: createSource(site.now),
    pictureHosts: ['images.kiln.example'],
  })
