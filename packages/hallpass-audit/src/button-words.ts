/**
 * The words of buttons in each language: those that allow, those that deny, and those that sign in. A short word counts
 * at the beginning of a label only, since it may be part of any sentence.
 */
const WORDS: Readonly<Record<string, readonly [string, string, string]>> = {
  en: ['allow|approv(?:e|al)|accept|agree|authori[sz]e|confirm|connect|consent|continue|grant|^ok$|^yes', 'abort|cancel|decline|deny|disagree|disallow|^false$|don.?t allow|do not allow|refuse|reject|^no', 'continue|log ?[io]n|next|sign ?[io]n|submit'],
  de: ['akzeptieren|annehmen|autorisieren|bestätigen|einwilligen|erlauben|fortfahren|freigeben|genehmigen|gestatten|gewähren|^ja|verbinden|weiter|zulassen|zustimmen|zugriff erteilen', 'abbrechen|ablehnen|^nein|nicht (?:akzeptieren|erlauben|zulassen|zustimmen)|untersagen|verbieten|verweigern', 'anmelden|einloggen|weiter'],
  fr: ['accepter|accorder|approuver|autoriser|confirmer|connecter|consentir|continuer|j.?accepte|^oui|permettre|valider', 'annuler|décliner|^non|ne pas (?:accepter|autoriser)|refuser|rejeter', 'connexion|connecter|continuer|suivant|s.?identifier|valider'],
  es: ['aceptar|acepto|aprobar|autorizar|conceder|conectar|confirmar|continuar|permitir|^sí', 'cancelar|declinar|denegar|^no|rechazar', 'acceder|continuar|entrar|ingresar|iniciar sesión|siguiente'],
  pt: ['aceitar|aceito|aprovar|autorizar|conceder|concordar|concordo|conectar|confirmar|continuar|permitir|^sim', 'cancelar|declinar|^não|negar|recusar|rejeitar', 'acessar|avançar|continuar|entrar|iniciar sessão|fazer login|próxima|próximo|seguinte'],
  it: ['accetta|accetto|accettare|acconsento|approva|autorizza|collega|concedi|conferma|connetti|consenti|consento|continua|permetti|^sì', 'annulla|nega|^no|non (?:accettare|autorizzare|consentire)|rifiuta', 'accedi|avanti|continua|entra'],
  nl: ['accepteren|akkoord|autoriseren|bevestigen|doorgaan|goedkeuren|^ja|koppelen|toestaan|toestemming geven|verbinden|verdergaan|verlenen', 'afwijzen|annuleren|^nee|niet (?:accepteren|akkoord|toestaan)|weigeren', 'aanmelden|doorgaan|inloggen|verder|volgende'],
  pl: ['akceptuj|akceptuję|autoryzuj|dalej|kontynuuj|połącz|potwierdź|przyznaj|^tak|udziel|zatwierdź|zezwalaj|zezwól|zgadzam się', 'anuluj|^nie|odmawiam|odmów|odrzuć', 'dalej|kontynuuj|zaloguj'],
  uk: ['авторизувати|дозволити|дозволяю|надати|^так|підключити|підтвердити|погоджуюся|прийняти|продовжити|схвалити', 'відмовити|відмовитися|відхилити|заборонити|^ні|^не|скасувати', 'вхід|далі|продовжити|увійти'],
  ru: ['авторизовать|^да|одобрить|подключить|подтвердить|предоставить|принять|продолжить|разрешаю|разрешить|согласен|согласиться', 'запретить|^нет|^не|отказать|отказаться|отклонить|отмена|отменить', 'вход|войти|далее|продолжить'],
  tr: ['bağlan|devam|^evet|izin ver|kabul et|kabul ediyorum|onayla|yetkilendir', '^hayır|iptal|izin verme|kabul etme|onaylama|reddet|vazgeç', 'devam|giriş|ileri|oturum aç'],
  ar: ['اسمح|السماح|أوافق|تأكيد|تفويض|سماح|قبول|متابعة|منح|موافق|موافقة|^نعم', 'إلغاء|أرفض|رفض|عدم السماح|عدم الموافقة|^لا|منع', 'التالي|تسجيل الدخول|دخول|متابعة'],
  hi: ['अनुमति दें|जारी रखें|पुष्टि करें|सहमत|स्वीकार|स्वीकृति|^हाँ|^हां', 'अनुमति न दें|अस्वीकार|इनकार|^नहीं|मना|रद्द', 'आगे|जारी रखें|लॉग इन|लॉगिन|साइन इन'],
  ja: ['許可|承認|承諾|同意|認可|続行|続ける|次へ|接続|連携|確認|^はい', '拒否|却下|キャンセル|中止|^いいえ|(?:許可|承認|同意)しない|(?:許可|承認|同意)しません', 'ログイン|サインイン|次へ|続行|続ける'],
  zh: ['允许|允許|同意|授权|授權|接受|确认|確認|继续|繼續|批准|^是$', '不允许|不允許|不同意|不授权|不授權|拒绝|拒絕|取消|^否$', '登录|登錄|登入|继续|繼續|下一步'],
  ko: ['허용|동의|승인|수락|확인|계속|연결|^예$|^네$', '거부|거절|취소|^아니요|^아니오|(?:허용|동의) ?안 ?함|(?:허용|동의)하지 않', '로그인|계속|다음'],
} // prettier-ignore

/** Small letters without accents, and words in place of a name such as `allowAccess`. */
const plain = (text: string): string =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .trim()

/** A letter before or after which there is no word, which is so in languages with spaces between words. */
const LETTER = String.raw`[[\p{L}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]]`
const search = (words: readonly string[]): RegExp =>
  new RegExp(`(?<!${LETTER})(?:${plain(words.join('|'))})(?!${LETTER})`, 'v')

const rows = Object.values(WORDS)
const ALLOW = search(rows.map(([allow]) => allow))
const DENY = search(rows.map(([, deny]) => deny))
const SIGN_IN = search(rows.map(([, , signIn]) => signIn))
/** Words that no button has which allows: negations, and those about cookies. */
const NEVER = search([
  'cookies?|not|never|without|nicht|keine?|ohne|pas|sans|sin|sem|senza|niet|geen|zonder|nie|bez|не|без',
  'عدم|नहीं|न|मत|ない|ません|不|勿|않|안 ?함',
])
/** Other ways to sign in, whose names are the same in all languages. */
const ELSEWHERE = /apple|facebook|github|google|microsoft|passkey|saml|\bsso\b/i

export const denies = (text: string): boolean => DENY.test(plain(text))

export const allows = (text: string): boolean => ALLOW.test(plain(text)) && !NEVER.test(plain(text))

export const signsIn = (text: string): boolean => SIGN_IN.test(plain(text)) && !ELSEWHERE.test(text)
