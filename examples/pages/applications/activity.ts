import { accountPage, type Shown } from '../account-layout.js'
import { pathWith } from './paths.js'
import type { ActivityView } from './views.js'
import { activityList } from './parts.js'
import { type Html, html } from '../html.js'
import { languageOf, wordsOf } from '../words/languages.js'

const PATH = '/oauth/applications/activity'

/** Renders what people and apps did at a school, with a search and files to download. */
export function activityPage(shown: Shown<ActivityView>): Html {
  const { site, view } = shown
  const language = languageOf(site)
  const { account, applications } = language.words
  const { activity, log } = applications
  return accountPage({
    site,
    view,
    title: activity,
    here: 'applications',
    back: { href: '/oauth/applications', label: account.applications },
    body: html`<div class="heading"><h1>${activity}</h1></div>
      <p class="lead">${log.lead(site.name)}</p>
      <section class="applications" aria-labelledby="entries">
        <h2 class="unseen" id="entries">${log.entries}</h2>
        ${searchForm(shown)}
        ${
          view.entries.length === 0
            ? html`<p class="nothing">${log.noMatch} <a href="${PATH}">${log.showAll}</a></p>`
            : activityList(view.entries, view, language)
        }
        <p class="more">
          ${view.next !== null && html`<a class="button button-plain" href="${pathOf(view, { before: view.next })}">${log.older}</a>`}
          ${
            view.entries.length > 0 &&
            html`<a class="button button-plain" href="${pathOf(view, { format: 'csv' })}"
                >${log.csv}</a
              >
              <a class="button button-plain" href="${pathOf(view, { format: 'json' })}"
                >${log.json}</a
              >
              <span class="quiet">${log.most}</span>`
          }
        </p>
      </section>`,
  })
}

/** Returns the path of the activity with these parameters. Empty ones are left out. */
export const activityPath = (parameters: Readonly<Record<string, string>> = {}): string =>
  pathWith(PATH, parameters)

const pathOf = ({ filter }: ActivityView, more: Readonly<Record<string, string>>): string =>
  activityPath({ search: filter.search, days: String(filter.days), ...more })

function searchForm({ site, view: { filter, periods } }: Shown<ActivityView>): Html {
  const { log, search } = wordsOf(site).applications
  return html`<form class="filter filter-search" method="get" action="${PATH}" role="search">
    <div class="field">
      <label for="search">${log.search}</label>
      <input id="search" name="search" type="search" maxlength="100" value="${filter.search}" />
    </div>
    <div class="field">
      <label for="days">${log.period}</label>
      <select id="days" name="days">
        ${periods.map(
          (days) =>
            html`<option value="${days}" ${days === filter.days && html`selected`}>
              ${log.lastDays(days)}
            </option>`,
        )}
      </select>
    </div>
    <button class="button button-plain" type="submit">${search}</button>
  </form>`
}
