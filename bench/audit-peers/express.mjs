import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import express from 'express'
import { CLIENTS, listening, PEOPLE } from './common.mjs'

/** How the people and clients of such a host are found by the audit. */
export const SIGN_IN = { people: PEOPLE, scope: 'profile', clients: CLIENTS }

const form = (action, fields, buttons) => `<!doctype html><form method="post" action="${action}">
  ${fields.map((name) => `<input name="${name}" type="${name}">`).join('')}
  ${buttons.map(([name, value, label]) => `<button name="${name}" value="${value}">${label}</button>`).join('')}</form>`
/** The page that signs a person in, who then returns to the request: documentations leave it to a host. */
export const signInPage = ({ url }) =>
  form(`/sign-in?to=${encodeURIComponent(url)}`, ['email', 'password'], [['', '', 'Sign in']])
/** The page that asks whether an app may connect, whose buttons send one field with either value. */
export const consentPage = ({ url }, field, allow, deny) =>
  form(
    url.replaceAll('&', '&amp;'),
    [],
    [
      [field, allow, 'Allow'],
      [field, deny, 'Cancel'],
    ],
  )

/**
 * Starts the Express of a host that signs people in.
 *
 * @returns also `personOf`: who is signed in, by a request
 */
export async function startExpress() {
  const app = express()
  const { origin, stop } = await listening(createServer(app))
  const sessions = new Map()
  app.use(express.json(), express.urlencoded({ extended: false }))
  app.post('/sign-in', (request, response) => {
    const person = PEOPLE.find(
      ({ email, password }) => email === request.body.email && password === request.body.password,
    )
    const id = randomUUID()
    if (person !== undefined) sessions.set(id, { id: person.email })
    response
      .cookie('session', id, { httpOnly: true, sameSite: 'lax' })
      .redirect(303, request.query.to)
  })
  const personOf = ({ headers }) => sessions.get(/session=([\w-]+)/.exec(headers.cookie ?? '')?.[1])
  return { app, origin, stop, personOf }
}
