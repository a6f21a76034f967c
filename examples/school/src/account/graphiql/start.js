const { finishSignIn, isAnswered, startSignIn } = await import(
  new URL('/assets/sign-in.js', location.origin)
)

const root = document.querySelector('#root')
try {
  // The editor stores its query in the URL, so parameters do not always mean a response.
  if (!isAnswered()) await startSignIn('graphiql', 'account:read account:write')
  else {
    const { access_token: token } = await finishSignIn('graphiql')
    await import(`${location.pathname}/editor.js`)
    globalThis.YogaGraphiQL.renderYogaGraphiQL(root, {
      endpoint: '/account/graphql',
      additionalHeaders: { authorization: `Bearer ${token}` },
      title: 'Account API',
      query: '{ viewer { name enrolledCourses { nodes { title } } } }',
    })
  }
} catch (fault) {
  root.textContent = `${fault.message} Open this page again to start over.`
}
