import { accountPage } from '../account-layout.js'
import type { ActivityView } from './views.js'
import { activityList } from './words.js'
import { type Html, html } from '../html.js'
import type { Site } from '../layout.js'

const PATH = '/oauth/applications/activity'

/** Renders what people and apps did at a school, with a search and files to download. */
export const activityPage = ({ site, view }: { site: Site; view: ActivityView }): Html =>
  accountPage({
    site,
    view,
    title: 'Activity',
    here: 'applications',
    back: { href: '/oauth/applications', label: 'OAuth applications' },
    body: html`<div class="heading"><h1>Activity</h1></div>
      <p class="lead">
        Who connected, changed or stopped which app at ${site.name}, and what the apps did. Entries
        are kept for a year.
      </p>
      <section class="applications" aria-labelledby="entries">
        <h2 class="unseen" id="entries">Entries</h2>
        ${searchForm(view)}
        ${
          view.entries.length === 0
            ? html`<p class="nothing">Nothing matches. <a href="${PATH}">Show everything</a></p>`
            : activityList(view.entries, view)
        }
        <p class="more">
          ${view.next !== null && html`<a class="button button-plain" href="${pathOf(view, { before: view.next })}">Older entries</a>`}
          ${
            view.entries.length > 0 &&
            html`<a class="button button-plain" href="${pathOf(view, { format: 'csv' })}"
                >Download CSV</a
              >
              <a class="button button-plain" href="${pathOf(view, { format: 'json' })}"
                >Download JSON</a
              >
              <span class="quiet">All that match, at most the newest 10,000.</span>`
          }
        </p>
      </section>`,
  })

/** Returns the path of the activity with these parameters. Empty ones are left out. */
export function activityPath(parameters: Readonly<Record<string, string>> = {}): string {
  const named = Object.entries(parameters).filter(([, value]) => value !== '')
  return named.length === 0 ? PATH : `${PATH}?${new URLSearchParams(named).toString()}`
}

const pathOf = ({ filter }: ActivityView, more: Readonly<Record<string, string>>): string =>
  activityPath({ search: filter.search, days: String(filter.days), ...more })

const searchForm = ({ filter, periods }: ActivityView): Html =>
  html`<form class="filter filter-search" method="get" action="${PATH}" role="search">
    <div class="field">
      <label for="search">App, person or what happened</label>
      <input id="search" name="search" type="search" maxlength="100" value="${filter.search}" />
    </div>
    <div class="field">
      <label for="days">Period</label>
      <select id="days" name="days">
        ${periods.map(
          (days) =>
            html`<option value="${days}" ${days === filter.days && html`selected`}>
              Last ${days} days
            </option>`,
        )}
      </select>
    </div>
    <button class="button button-plain" type="submit">Search</button>
  </form>`
