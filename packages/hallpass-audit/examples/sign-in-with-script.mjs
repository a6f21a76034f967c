// How hallpass-audit signs in where scripts build the pages: `answer` sends what they send. Copy this file, and change
// what is marked. Open your pages in a browser to see it: the requests are in the tab "Network" of its tools.
//
//   npx hallpass-audit http://127.0.0.1:3000 --sign-in ./sign-in-with-script.mjs

/** @type {import('hallpass-audit').SignIn} */
export default {
  // CHANGE: two people of a test system who may allow what apps request.
  people: [
    { email: 'ines@school.example', password: process.env['AUDIT_PASSWORD'] ?? '' },
    { email: 'yuki@school.example', password: process.env['AUDIT_PASSWORD'] ?? '' },
  ],

  // Called with each page until the browser is sent to the client. It keeps cookies, and runs no script.
  async answer({ browser, page, person, allow }) {
    // CHANGE: a value against CSRF that the script reads from a cookie, if it does.
    const csrf = browser.cookies().find(({ name }) => name === 'csrf')
    const headers = csrf === undefined ? {} : { 'x-csrf-token': csrf.value }

    // CHANGE: the page that asks for a password, and the request of its script. Afterwards the page is loaded again.
    if (page.url.pathname === '/login') {
      await browser.post('/api/login', JSON.stringify(person), headers)
      return browser.open(page.url.searchParams.get('return_to') ?? '/')
    }

    // CHANGE: the page that asks for consent. The script opens the address in the answer, with the code or an error.
    const decision = { request: page.url.searchParams.get('request'), allow }
    const { text } = await browser.post('/api/consent', JSON.stringify(decision), headers)
    return browser.open(JSON.parse(text).location)
  },
}
