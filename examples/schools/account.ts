// The data that a member may read through an app, and the first app of members.
import type { Site } from 'hallpass'
import { type AccountSource, emptyAccountSource } from 'hallpass/account'
import { defineClient } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import type { peopleOf } from './people.js'

/** Add your methods: courses, orders and the rest are empty here. */
export const sourceOf = (
  { issuer, name: school }: Site,
  people: Pick<ReturnType<typeof peopleOf>, 'joinedAt'>,
): AccountSource => ({
  ...emptyAccountSource,
  async profile({ subject, name, email, picture }) {
    const memberSince = await people.joinedAt(subject)
    const none = { emailVerified: false, locale: null, timeZone: null }
    return memberSince === null ? null : { name, email, picture, memberSince, ...none }
  },
  async site({ orgId }) {
    return { id: orgId, name: school, url: issuer, timeZone: 'UTC', currencyCode: 'EUR' }
  },
})

/** An app for members. Apps for staff register themselves. */
export const memberApp = (): Client =>
  defineClient({
    clientId: 'study-buddy',
    kind: 'member',
    name: 'Study Buddy',
    redirectUris: ['http://127.0.0.1:7777/callback'],
    scopes: ['account:read'],
    createdAt: Math.floor(Date.now() / 1000),
  })
