import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import type { Browser as Chromium, Page as Tab } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../../../test/support/browser/chromium.js'
import { openPort } from '../../../test/support/processes/ports.js'
import { createBrowser } from '../src/engine/browser.js'
import { createHttp } from '../src/engine/http.js'

/** The page of the server, each button of which has a title of its own: `b0`, `b1` and so on. */
let page = ''
/** What was sent to the server last, other than for the page. */
let sent: unknown = null

async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { method, url, headers } = request
  response.setHeader('content-type', 'text/html; charset=utf-8')
  if (method === 'GET' && url === '/at/page?of=form') return response.end(page)
  const type = headers['content-type'] ?? ''
  const body = await text(request)
  const parts = type.includes('boundary') ? await partsOf(body, type) : body
  if (url !== '/favicon.ico') sent = { method, url, type: type.replace(/;.*/, ''), body: parts }
  return response.end('sent')
}
const server = createServer((request, response) => void respond(request, response))

/** The parts of a form, between which each browser puts a boundary of its own. */
async function partsOf(body: string, type: string): Promise<unknown> {
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  return [...form].map(([name, value]) =>
    typeof value === 'string' ? [name, value] : [name, value.name, value.type, value.size],
  )
}

let chromium: Chromium
let tab: Tab
let origin: string
beforeAll(async () => {
  origin = `http://127.0.0.1:${await openPort(server)}`
  chromium = await launchChromium()
  tab = await (await chromium.newContext({ javaScriptEnabled: false })).newPage()
})
afterAll(async () => {
  await chromium.close()
  server.close()
})

/** What Chromium sends if a button is pressed; `null` if nothing. */
async function inChromium(title: string): Promise<unknown> {
  await tab.goto(`${origin}/at/page?of=form`)
  const button = tab.locator(`[title=${title}]`)
  const isIdle = await button.evaluate(
    (one: HTMLButtonElement) =>
      one.form === null || one.matches(':disabled') || one.type === 'reset' || one.formMethod === 'dialog',
  )
  if (isIdle) return null
  await Promise.all([tab.waitForEvent('framenavigated'), button.press('Enter')])
  return sent
} // prettier-ignore

/** The same for the browser of an audit. */
async function inAudit(title: string): Promise<unknown> {
  sent = null
  const http = createHttp({ origins: new Set([origin]), pause: 0, timeout: 5000, most: 9999 })
  const browser = createBrowser(http, origin)
  const shown = await browser.open('/at/page?of=form')
  for (const form of shown.forms)
    for (const button of form.buttons)
      if (button.label.endsWith(title)) await browser.submit(shown, form, button)
  return sent
}

async function compare(html: string): Promise<void> {
  page = html
  for (const [, title] of html.matchAll(/ title="(\w+)"/g))
    expect(await inAudit(title!), `${title} of ${html}`).toEqual(await inChromium(title!))
}

it('a form with forty kinds of controls is sent as Chromium sends it', async () => {
  await compare(`<!doctype html><base href="/base/"><form id="f" method="post" action="there?a=1&amp;b=2#c">
    <input name="text" value="a &amp;&#10; b"><input value="without a name"><input type="hidden" name="same" value="1"><input type="hidden" name="same" value="2">
    <input type="checkbox" name="scope" value="read" checked><input type="checkbox" name="scope" value="write" CHECKED><input type="checkbox" name="scope" value="admin">
    <input type="checkbox" name="without" checked><input type="radio" name="radio" value="1"><input type="radio" name="radio" value="2" checked>
    <input name="off" value="x" disabled><div disabled><input name="in-div" value="1"></div><fieldset disabled><input name="before-legend" value="1"><legend><input name="in-legend" value="1"></legend><legend><input name="in-second" value="1"></legend><input name="in-fieldset" value="1"><fieldset><input name="deep" value="1"></fieldset></fieldset>
    <select name="first"><option value="1">one<option value="2">two</select><select name="chosen"><option selected>one<option selected>  two
      words  <option>three</select><select name="first-on"><option disabled>no<option>yes</select><select name="chosen-off"><option selected disabled>no<option>yes</select>
    <select name="many" multiple><option selected>1<option>2<option selected>3<optgroup disabled><option selected>4</optgroup><optgroup><option selected>5</optgroup></select><select name="long" size="3"><option>1<option>2</select><select name="empty"></select>
    <textarea name="area">\n\none\ntwo &lt;b&gt; <b>bold</b></textarea><input type="file" name="file" value="x"><input type="password" name="password" value="p">
    <input type="hidden" name="_charset_"><input type="email" name="email" value="ines@school.example"><input type="number" name="number" value="7"><input type="date" name="date" value="2026-11-20"><input type="none" name="none" value="é ✓">
    <datalist><input name="in-datalist" value="1"></datalist><template><input name="in-template" value="1"></template><noscript><input name="in-noscript" value="1"></noscript><pre><input name="in-pre" value="1"></pre><!-- <input name="in-comment" value="1"> -->
    <input type="button" name="idle" value="1"><input type="reset" name="idle" value="1"><button type="button" name="idle">x</button><button name="pressed" value="yes" title="b0">Allow</button><button name="not-pressed" value="no" title="b1">Deny</button>
    <input type="submit" name="plain" title="b2"><input type="image" name="picture" alt="" title="b3"><input type="image" title="b4"><button title="b5" formaction="/else" formmethod="get">Else</button><button title="b6" formenctype="multipart/form-data">Parts</button>
    <button title="b7" formenctype="text/plain" formaction="">Text</button><button title="b8" type="none" name="none">None</button><button title="b9" formmethod="dialog">Close</button>
    <input name="of-another" value="1" form="x"><input name="last" value="1"></form><input name="outside" value="1" form="f"><button form="f" name="outside-button" value="1" title="b10">Out</button><input name="of-none" value="1" form="x"><button title="b11">Of none</button>
    <form><div></form><input name="after-the-end" value="1"><button title="b12">After</button></div><table><form method="post"><tr><td><input name="in-table" value="1"><button title="b13">In a table</button></table>`)
})

it('whatever is on a page, a form is sent as Chromium sends it', async () => {
  const any = fc.constantFrom
  const name = any('a', 'b', 'c')
  const more = any('', '', '', ' disabled', ' value="1"', ' value="x\ny"', ' form="f"', ' value')
  const input = fc.tuple(any('text', 'hidden', 'checkbox', 'checkbox', 'radio', 'password', 'file'), name, more)
  const button = fc.tuple(any('button', 'button formaction="else" formmethod="POST" formenctype="multipart/form-data"', 'button type="reset"', 'button formmethod="dialog"', 'input type="submit"', 'input type="image"'), fc.option(name), more)
  const option = any('<option>1', '<option value=2 selected>two</option>', '<option disabled selected>3', '<optgroup disabled><option>4</optgroup>', '<optgroup><option selected>5')
  const select = fc.tuple(name, more, any('', ' multiple', ' size=2'), fc.array(option))
  const part = fc.oneof(
    { weight: 4, arbitrary: any(...'div /div p table tr td /td /table fieldset fieldset\ndisabled legend /legend /fieldset b /b li h2'.split(' ')).map((tag) => `<${tag}>`) },
    { weight: 1, arbitrary: any('</form>', '<form method="post">', '<form action="../other?q=1" id="f">') },
    { weight: 3, arbitrary: input.map(([type, name, rest]) => `<input type="${type}" name="${name}"${rest}${type === 'checkbox' ? ' checked' : ''}>`) },
    { weight: 1, arbitrary: select.map(([name, rest, kind, options]) => `<select name="${name}"${rest}${kind}>${options.join('')}</select>`) },
    { weight: 1, arbitrary: fc.tuple(name, more, any('', '\n', '\n\nx\r\ny', '<b>')).map(([name, rest, content]) => `<textarea name="${name}"${rest}>${content}</textarea>`) },
    { weight: 2, arbitrary: button.map(([tag, name, rest]) => `<${tag}${name === null ? '' : ` name="${name}"`}${rest} title="">${tag.startsWith('button') ? 'go</button>' : ''}`) },
  )
  const pages = fc.array(part, { minLength: 3, maxLength: 30 }).map((parts) => {
    let index = 0
    return `<!doctype html><form method="post">${parts.join('').replace(/ title=""/g, () => ` title="b${index++}"`)}`
  })
  await fc.assert(fc.asyncProperty(pages, compare), { numRuns: Number(process.env['RUNS'] ?? 60), seed: Number(process.env['SEED'] ?? 7) })
}) // prettier-ignore
