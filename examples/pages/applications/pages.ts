import { activityPage } from './activity.js'
import { attemptPage } from './attempt.js'
import { attemptsPage } from './attempts.js'
import { applicationConfirmPage, betaPage } from './confirm.js'
import { applicationDetailPage } from './detail.js'
import { applicationFormPage } from './form.js'
import { APPLICATION_ICONS } from './icons.js'
import { applicationsPage } from './list.js'
import { actInWords, typesInWords } from './parts.js'
import { faultsInWords, refusalInWords } from './refusals.js'
import { applicationResultPage } from './result.js'
import { serviceEndPage, serviceFormPage, serviceResultPage, servicesPage } from './services.js'
import type { PagesOfApplications } from './views.js'
import { pagesOfArea } from '../error.js'
import type { Site } from '../layout.js'
import { nameOf, rolesInWords } from '../wording.js'
import { languageOf } from '../words/languages.js'

/** Creates the pages for the management of apps. `site`: with the reader's language. */
export function pagesOfApplications(site: Site): PagesOfApplications {
  const language = languageOf(site)
  const { words } = language
  return {
    ...pagesOfArea(site),
    list: (view) => applicationsPage({ site, view }),
    detail: (view) => applicationDetailPage({ site, view }),
    form: (view) => applicationFormPage({ site, view }),
    result: (view) => applicationResultPage({ site, view }),
    confirm: (view) => applicationConfirmPage({ site, view }),
    beta: (view) => betaPage({ site, view }),
    attempts: (view) => attemptsPage({ site, view }),
    attempt: (view) => attemptPage({ site, view }),
    activity: (view) => activityPage({ site, view }),
    services: (view) => servicesPage({ site, view }),
    serviceForm: (view) => serviceFormPage({ site, view }),
    serviceResult: (view) => serviceResultPage({ site, view }),
    serviceEnd: (view) => serviceEndPage({ site, view }),
    serviceNamed: words.applications.services.named,
    chooseRole: words.applications.services.chooseRole,
    icons: Object.keys(APPLICATION_ICONS),
    someone: words.applications.someone,
    nameOf: (person) => nameOf(person, language),
    rolesOf: ({ roles }) => rolesInWords(roles, language),
    refusal: (reason) => refusalInWords(reason, words.applications),
    faults: (faults) => faultsInWords(faults, words.applications),
    act: (type) => actInWords(type, words),
    typesOf: (text) => typesInWords(text, words),
  }
}
