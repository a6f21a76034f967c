const { finishSignIn, isAnswered, startSignIn } = await import(
  new URL('/assets/sign-in.js', location.origin)
)

/** The tabs that a member finds: their courses, what they bought and booked, and a change. */
const TABS = [
  {
    query: `query MyCourses {
  viewer {
    name
    enrolledCourses(first: 10) {
      nodes {
        title
        accessState
        progress {
          completedLectures
          totalLectures
        }
        nextLecture {
          title
        }
      }
    }
  }
}
`,
  },
  {
    query: `query MyOrdersAndEvents {
  viewer {
    orders(first: 5) {
      nodes {
        number
        state
        total {
          amount
          currencyCode
        }
      }
    }
    eventRegistrations(first: 5) {
      nodes {
        ticketName
        canCancel
        event {
          title
          startsAt
        }
      }
    }
  }
}
`,
  },
  {
    query: `mutation ChangeMyTimeZone($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    viewer {
      timeZone
    }
    userErrors {
      code
      field
      message
    }
  }
}
`,
    variables: '{ "input": { "timeZone": "Asia/Taipei" } }',
  },
]

/** GraphiQL takes HTML here, and has no heading and no color of enough contrast of its own. */
const HEADING =
  '<h1 style="margin: 0; font: inherit; color: hsl(var(--color-neutral))">Account API</h1>'

const root = document.querySelector('#root')
try {
  // The editor stores its query in the URL, so parameters do not always mean a response.
  if (!isAnswered()) await startSignIn('graphiql', 'account:read account:write')
  else {
    const { access_token: token } = await finishSignIn('graphiql')
    const note = await sayWho(token)
    await import(`${location.pathname}/editor.js`)
    const tabs = TABS.map((tab, index) => (index === 0 ? { query: note + tab.query } : tab))
    globalThis.YogaGraphiQL.renderYogaGraphiQL(root, {
      endpoint: '/account/graphql',
      additionalHeaders: { authorization: `Bearer ${token}` },
      title: HEADING,
      query: tabs[0].query,
      defaultTabs: tabs,
    })
    makeTabsReachable(root)
  }
} catch (fault) {
  root.textContent = `${fault.message} Open this page again to start over.`
}

/** Says who is signed in. Returns a comment for someone whose list of courses is empty, as that of most staff is. */
async function sayWho(token) {
  const response = await fetch('/account/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: '{ viewer { name enrolledCourses(first: 1) { nodes { title } } } }',
    }),
  })
  const { viewer } = (await response.json()).data ?? {}
  if (!viewer) return ''
  const name = viewer.name ?? 'someone without a name'
  const link = Object.assign(document.createElement('a'), {
    href: '/sign-out',
    textContent: 'Sign out',
  })
  document.querySelector('#who').replaceChildren(`Signed in as ${name}`, link)
  return viewer.enrolledCourses.nodes.length > 0
    ? ''
    : `# ${name} has no courses, so this list is empty.\n# Sign out, and open this page as Mei-Ling, who has some.\n`
}

/**
 * GraphiQL gives the role of a tab to list items that contain buttons, which a screen reader then does not
 * reach. This makes them items of a list, and marks the current one.
 */
function makeTabsReachable(container) {
  const mend = () => {
    container.querySelector('.graphiql-tabs[role=tablist]')?.setAttribute('role', 'list')
    for (const tab of container.querySelectorAll('.graphiql-tab[aria-selected]')) {
      const isCurrent = tab.getAttribute('aria-selected') === 'true'
      tab.setAttribute('role', 'listitem')
      tab.removeAttribute('aria-selected')
      tab.querySelector('.graphiql-tab-button').setAttribute('aria-current', String(isCurrent))
    }
  }
  new MutationObserver(mend).observe(container, {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-selected'],
  })
  mend()
}
