import { describe, expect, it } from 'vitest'
import { answerForms, type Page, type SignIn } from 'hallpass-audit'
import { createBrowser } from '../src/engine/browser.js'
import { createHttp } from '../src/engine/http.js'
import { decisionOf, signInFormOf } from '../src/sign-in.js'

const ORIGIN = 'https://school.example'

/** A browser at a site with one page, and the bodies that it has sent there. */
function open(html: string) {
  const sent: string[] = []
  const handler = async (request: Request): Promise<Response> => {
    if (request.method === 'POST') sent.push(await request.text())
    return new Response(html, { headers: { 'content-type': 'text/html' } })
  }
  const origins = new Set([ORIGIN])
  const browser = createBrowser(createHttp({ handler, origins, pause: 0, timeout: 5000, most: 99 }), ORIGIN) // prettier-ignore
  return { browser, sent, page: () => browser.open('/consent') }
}
const shown = (html: string): Promise<Page> => open(html).page()
const form = (...buttons: readonly string[]): string => `<form method="post">${buttons.join('')}</form>` // prettier-ignore
const button = (label: string): string => `<button name="x" value="y">${label}</button>`

/** Labels that allow and deny, as consent pages of Google, Keycloak, Auth0, Okta and others have them. */
const LABELS: Readonly<Record<string, readonly (readonly [allow: string, deny: string])[]>> = {
  en: [['Allow', "Don't allow"], ['Authorize Acme', 'Cancel'], ['Accept', 'Decline'], ['Continue', 'Go back / cancel'], ['Yes', 'No'], ['Allow access', 'Deny access'], ['Agree and continue', 'Disagree'], ['Grant', 'No, thanks']],
  de: [['Zulassen', 'Ablehnen'], ['Ja', 'Nein'], ['Weiter', 'Abbrechen'], ['Zugriff erlauben', 'Zugriff verweigern'], ['ZULASSEN', 'Nicht zulassen'], ['Bestätigen', 'Abbrechen'], ['Akzeptieren', 'Nicht akzeptieren']],
  fr: [['Autoriser', 'Refuser'], ['Oui', 'Non'], ['Continuer', 'Annuler'], ['J’accepte', 'Ne pas autoriser'], ['Accepter', 'Décliner'], ['Autoriser l’accès', "Refuser l'accès"]],
  es: [['Permitir', 'No permitir'], ['Sí', 'No'], ['Continuar', 'Cancelar'], ['Aceptar', 'Rechazar'], ['Autorizar', 'Denegar']],
  pt: [['Permitir', 'Não permitir'], ['Sim', 'Não'], ['Continuar no aplicativo', 'Cancelar'], ['Aceitar', 'Recusar'], ['Autorizar', 'Negar']],
  it: [['Consenti', 'Non consentire'], ['Sì', 'No'], ['Continua', 'Annulla'], ['Accetta', 'Rifiuta'], ['Autorizza', 'Nega']],
  nl: [['Toestaan', 'Niet toestaan'], ['Ja', 'Nee'], ['Doorgaan', 'Annuleren'], ['Accepteren', 'Weigeren'], ['Akkoord', 'Niet akkoord']],
  pl: [['Zezwól', 'Odmów'], ['Tak', 'Nie'], ['Kontynuuj', 'Anuluj'], ['Zezwalaj', 'Nie zezwalaj'], ['Akceptuję', 'Odrzuć']],
  uk: [['Дозволити', 'Не дозволяти'], ['Так', 'Ні'], ['Продовжити', 'Скасувати'], ['Прийняти', 'Відхилити'], ['Дозволити доступ', 'Заборонити доступ']],
  ru: [['Разрешить', 'Не разрешать'], ['Да', 'Нет'], ['Продолжить', 'Отмена'], ['Принять', 'Отклонить'], ['Разрешить доступ', 'Запретить доступ']],
  tr: [['İzin ver', 'İzin verme'], ['Evet', 'Hayır'], ['Devam et', 'İptal'], ['Kabul et', 'Kabul etme'], ['Onayla', 'Reddet']],
  ar: [['السماح', 'عدم السماح'], ['نعم', 'لا'], ['متابعة', 'إلغاء'], ['موافق', 'رفض'], ['أوافق', 'لا أوافق']],
  hi: [['अनुमति दें', 'अनुमति न दें'], ['हाँ', 'नहीं'], ['जारी रखें', 'रद्द करें'], ['स्वीकार करें', 'अस्वीकार करें']],
  ja: [['許可する', '許可しない'], ['はい', 'いいえ'], ['続行', 'キャンセル'], ['同意する', '同意しません'], ['承認', '拒否']],
  zh: [['允许', '不允许'], ['是', '否'], ['继续', '取消'], ['同意', '不同意'], ['授權', '拒絕']],
  ko: [['허용', '허용 안함'], ['예', '아니요'], ['계속', '취소'], ['동의', '동의하지 않음'], ['승인', '거부']],
} // prettier-ignore

describe.each(Object.entries(LABELS))('in %s, a person', (_, labels) => {
  it.each(labels)('allows by %s, denies by %s', async (allow, deny) => {
    for (const buttons of [[allow, deny], [deny, allow]]) {
      const page = await shown(form(...buttons.map(button)))
      expect(decisionOf(page, true).button.label).toBe(allow)
      expect(decisionOf(page, false).button.label).toBe(deny)
    }
    const denials = await shown(form(button(deny)))
    expect(() => decisionOf(denials, true)).toThrow('says that a person allows')
    const others = await shown(form(button(allow)))
    expect(() => decisionOf(others, false)).toThrow('says that a person denies')
  })
}) // prettier-ignore

describe('without such words, a button', () => {
  it.each([
    ['its value', '<button name="_action" value="deny">✗</button><button name="_action" value="allow">✓</button>'],
    ['a value that is false', '<input type="submit" name="user_oauth_approval" value="false"><input type="submit" name="user_oauth_approval" value="true">'],
    ['its name', '<input type="submit" name="cancel" value="Nej"><input type="submit" name="accept" value="Ja tack">'],
    ['a name of two words', '<button name="denyAccess">✗</button><button name="allowAccess">✓</button>'],
    ['aria-label', '<button aria-label="Deny"><svg/></button><button aria-label="Allow"><svg/></button>'],
    ['title', '<button title="Verweigern">✗</button><button title="Erlauben">✓</button>'],
    ['a picture', '<input type="image" alt="Refuser"><button><img src="/yes.png" alt="Autoriser"></button>'],
    ['its value, not an address', '<button name="to" value="/authorize">Byt konto</button><button name="d" value="reject">Neka</button><button name="d" value="approve">Tillåt</button>'],
  ])('is known by %s', async (_, buttons) => {
    const page = await shown(form(buttons))
    const all = page.forms[0]!.buttons
    expect(decisionOf(page, true).button).toBe(all.at(-1))
    expect(decisionOf(page, false).button).toBe(all.at(-2))
  })

  it('is not taken for one that allows where it denies, asks about cookies, or shares its name with others', async () => {
    for (const buttons of ['<button name="decision" value="deny">Continue without access</button>', '<button>Accept all cookies</button>', '<button>Ohne Konto fortfahren</button>', '<button name="consent" value="a">Neka</button><button name="consent" value="b">Tillåt</button>']) {
      const page = await shown(form(buttons))
      expect(() => decisionOf(page, true), buttons).toThrow('says that a person allows')
    }
  })

  const swedish = form('<button name="a" value="1">Neka</button>', '<button name="a" value="2">Tillåt</button>')
  it('is named with all others, and may be named in the sign-in', async () => {
    const page = await shown(swedish)
    expect(() => decisionOf(page, true)).toThrow('no button of /consent (200) says that a person allows: it has "Neka", "Tillåt". Name them with `buttons` in the file of --sign-in, or give `answer`')
    expect(() => decisionOf({ ...page, forms: [] }, false)).toThrow('denies: it has none.')
    const named: readonly SignIn['buttons'][] = [{ allow: 'Tillåt', deny: 'Neka' }, { allow: '2', deny: '1' }]
    for (const buttons of named)
      for (const allow of [true, false]) {
        const { browser, sent } = open(swedish)
        await answerForms({ browser, page, person: {}, allow, buttons })
        expect(sent).toEqual([allow ? 'a=2' : 'a=1'])
      }
    expect(() => decisionOf(page, true, { allow: 'Yes' })).toThrow('says that a person allows')
  })

  it('may be a link that denies', async () => {
    const { browser, page } = open(`${form(button('Tillåt'))}<a href="/terms">Villkor</a><a href="/deny"> Avbryt </a>`)
    const step = { browser, page: await page(), person: {}, allow: false }
    const { url } = await answerForms({ ...step, buttons: { deny: 'Avbryt' } })
    expect(url.pathname).toBe('/deny')
    await expect(answerForms(step)).rejects.toThrow('says that a person denies')
  })
}) // prettier-ignore

describe('where a person allows', () => {
  const boxes = form('<input type="hidden" name="scope" value="openid"><input type="checkbox" name="scope" value="read" checked><input type="checkbox" name="scope" value="write"><select name="course" multiple><option>glazing<option>kilns</select>', '<button name="decision" value="approve">Allow</button><button name="decision" value="deny">Deny</button>')
  it('each box is checked, also of those with one name', async () => {
    const { browser, page, sent } = open(boxes)
    const step = { browser, page: await page(), person: {} }
    await answerForms({ ...step, allow: true })
    await answerForms({ ...step, allow: false })
    expect(sent).toEqual([
      'scope=openid&scope=read&scope=write&course=glazing&course=kilns&decision=approve',
      'scope=openid&scope=read&decision=deny',
    ])
  })

  it('values replace the fields of their names where these stand', async () => {
    const { browser, page, sent } = open(boxes)
    const at = await page()
    const [{ buttons: [allow] }] = at.forms as [Page['forms'][0]]
    await browser.submit(at, at.forms[0]!, allow, { scope: ['a', 'b'], decision: [], more: 'c' })
    await browser.post('/consent', { scope: ['a', 'b'], none: [], decision: 'approve' })
    expect(sent).toEqual(['scope=a&scope=b&more=c', 'scope=a&scope=b&decision=approve'])
  })
}) // prettier-ignore

describe('a sign-in form', () => {
  const person = { email: 'ines@school.example', password: 'a b' }
  it.each(['Sign in', 'Anmelden', 'Se connecter', 'Iniciar sesión', 'Fazer login', 'Accedi', 'Inloggen', 'Zaloguj się', 'Увійти', 'Войти', 'Giriş yap', 'تسجيل الدخول', 'साइन इन करें', 'ログイン', '登录', '로그인'])('is sent by %s', async (label) => {
    const { browser, page, sent } = open(
      form('<input name="email"><input type="password" name="password"><input type="checkbox" name="remember">', '<button name="with" value="google">Continue with Google</button><button name="with" value="help">Hjälp</button>', `<button name="with" value="password">${label}</button>`),
    )
    await answerForms({ browser, page: await page(), person, allow: true })
    expect(sent).toEqual(['email=ines%40school.example&password=a+b&with=password'])
  })

  it('is one that asks for a name that a person has', async () => {
    const at = await shown(form('<input name="email">', button('Next')))
    expect(signInFormOf(at, person)?.fields).toEqual({ email: 'ines@school.example' })
    expect(signInFormOf(at, { name: 'Ines' })).toBeNull()
  })
}) // prettier-ignore
