import type { Browser } from 'playwright-core'
import type { Answer } from './wire.js'

/** What a payload leaves in a page if any of it becomes markup. */
export const MARK = 'x-pwned'

/** Judges in Chromium what has become of an input in a page. Both return what is wrong, or `null`. */
export interface Judge {
  /** Lets Chromium's parser read a page, without running anything. */
  readonly read: (page: string) => Promise<string | null>
  /** Opens a response at an address, with its own policy. */
  readonly open: (url: string, answer: Answer) => Promise<string | null>
}

/** Looks in a document for what the school never writes itself. */
const FAULT_OF = `function faultOf(page) {
  if (page.querySelector('${MARK}, [data-pwned]')) return 'the input became markup'
  const elements = [...page.querySelectorAll('*')]
  const handler = elements.flatMap((one) => [...one.attributes]).find(({ name }) => name.startsWith('on'))
  if (handler) return 'an element has the handler ' + handler.name
  const link = elements.find((one) => ['href', 'src', 'action', 'formaction', 'srcdoc'].some((name) =>
    /^[\\s\\0-\\x1f]*(?:javascript|vbscript|data:text)/i.test(one.getAttribute(name) ?? '')))
  if (link) return 'the input became the address of ' + link.localName
  const foreign = page.querySelector(
    'script:not([src]), svg script, base, iframe, object, embed, meta[http-equiv], form[action^="http"]')
  return foreign ? 'the page has the element ' + foreign.localName : null
}`

/** Starts judging in a browser. */
export async function createJudge(browser: Browser): Promise<Judge> {
  const context = await browser.newContext()
  const reader = await context.newPage()
  await reader.goto('about:blank')
  await reader.addScriptTag({
    content: `${FAULT_OF}; window.read = (text) => faultOf(new DOMParser().parseFromString(text, 'text/html'))`,
  })
  const opener = await context.newPage()
  const complaints: string[] = []
  opener.on('dialog', (dialog) => {
    complaints.push('the page opened a dialog')
    void dialog.dismiss()
  })
  opener.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text())
  })
  let shown: { readonly url: string; readonly answer: Answer } | null = null
  await opener.route('**/*', (route) =>
    shown !== null && route.request().url() === shown.url
      ? route.fulfill({
          status: shown.answer.status,
          body: shown.answer.text,
          headers: Object.fromEntries(
            ['content-type', 'content-security-policy'].map((name) => [name, String(shown!.answer.headers[name] ?? '')]),
          ),
        }) // prettier-ignore
      : route.abort(),
  )
  let turn: Promise<unknown> = Promise.resolve()

  async function open(url: string, answer: Answer): Promise<string | null> {
    shown = { url, answer }
    complaints.length = 0
    await opener.goto(url, { waitUntil: 'domcontentloaded' })
    const fault = await opener.evaluate<string | null>(
      `(() => { ${FAULT_OF}; return window.pwned ? 'a script of the input ran' : faultOf(document) })()`,
    )
    return fault ?? complaints[0] ?? null
  }

  return {
    read: (text) =>
      reader.evaluate((page) => (globalThis as unknown as { read: (text: string) => string | null }).read(page), text), // prettier-ignore
    // One page opens one response at a time.
    open(url, answer) {
      const own = turn.then(() => open(url, answer))
      turn = own.catch(() => {})
      return own
    },
  }
}
