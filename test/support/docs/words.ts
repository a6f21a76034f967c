import ts from 'typescript'

/** A place that docs/voice.md asks to be written otherwise. */
export interface Finding {
  readonly path: string
  readonly line: number
  /** What is wrong, such as `"stands"`. */
  readonly what: string
  /** What to write instead. */
  readonly instead: string
}

/** A piece of English, with the line on which it begins. */
interface Prose {
  readonly text: string
  /** The same with its inline code, on the same lines. */
  readonly withCode: string
  readonly line: number
  readonly kind: 'comment' | 'literal' | 'markdown'
}

/** Words that hide who does what, and what to write instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:stands?|standing|stood)\b(?!-alone)/gi, 'is, appears, is listed, is sent, applies'],
  [
    /\b(?:not|never|no longer|alone|which|that) counts?\b|\bcounts? (?:as|no|for|only|from|until|on|beside|where|with)\b|\bcounts(?=[.;,])/gi,
    'is valid, is accepted, applies',
  ],
  [/\bwho(?:so)?ever\b/gi, 'name the actor: the client, a caller that, the host application'],
  [/\b(?:some|any|every)body\b/gi, 'name the actor: a person, a member, an operator, anyone'],
  [/\bnobody\b/gi, 'no one, or turn the sentence round'],
  [/\bhears?\b/gi, 'is called with, is called after'],
  [/\btold\b|\btells? of\b/gi, 'receives, is notified of, reports'],
  [/\blet(?:s|ting)?(?: [\w-]+){0,3} in\b(?!\s+(?:a|an|the)\b)/gi, 'authorize, accept, admit'],
  [
    /\b(?:dear|lest|meanwhile|mend(?:s|ed)?|once more|strangers?)\b|\b(?:a|found a) hole\b/gi,
    'expensive; so that … not; since then; fix; again; an unknown client; a vulnerability',
  ],
  [
    /\bgone\b|(?<!keep-)\balive\b|\b(?:was|were|is) faster\b/gi,
    'deleted, expired, revoked; active; another request committed first',
  ],
  [/\bat once\b/gi, 'immediately, at the same time, or together'],
  [/(?<!there )\b(?:is|are|was) no (?!longer\b|more\b)[a-z]+/gi, 'is not a …'],
  [
    /"no"|\bA yes\b|\b(?:is|as) a (?:yes|no)\b|\banswer is (?:yes|no)\b|\bsays? (?:yes|no)\b(?! more)/g,
    'a refusal, a problem, success',
  ],
  [/\b(?:came|comes?|becomes?|became) of\b/gi, 'result, outcome'],
  [/(?<!left )(?<!leaves? )(?<!ends )(?<!let )(?<!stand-)\balone\b/gi, 'only, before the noun'],
  [/\bbesides?\b/gi, 'next to, in addition to'],
  [/\b(?:goes|go|going|counts?) on\b/gi, 'continues, remains valid'],
  [/\b(?:take|takes|taken|taking|took|gives?n?)\b[^.]{0,14}\baway\b/gi, 'remove, revoke, delete'],
  [/\bcan not\b|\be-mail/gi, 'cannot (on pages: can’t); email'],
  [
    /\black(?:s|ed|ing)? (?:none\b|nothing\b|no [a-z]+)/gi,
    'must not miss; misses no …; has every …',
  ],
  [
    /(?<!\bthere )(?<!\b(?:if|where|while|unless|of it) there )\b(?:is|are|was|were) none\b/gi,
    'is not a …, has no …',
  ],
  [/\blinks? (?:of|in|from) (?:an?|the) 403\b/gi, 'step-up link'],
  [/\b(?:after|before|by|in) whose\b/gi, 'two sentences: "restart the process if it fails"'],
  [/\bvery much\b/gi, 'far more than …'],
]

/** Names with what follows them, for which the words are read with their code. */
const CODE_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /(?:`[^`\n]+(?<!\.\w+)`|\{@link [^}]+\}|\b[a-z]{2,}[A-Z]\w*(?:\([^)\n]*\))?)\s+of\s+`?hallpass(?![\w'’]|-\w+\.md|`?'s\b)/g,
    '`createKeyRing` from `hallpass/token`: an import comes from its entry',
  ],
]

/** The longest sentence that a comment may have, in words. */
const LONGEST_SENTENCE = 30

/** Words with which no TSDoc comment begins: they describe a thing by what it is not called. */
const OPENERS = /^(?:What|Where|As|Of|Those|None|Done|Does|Tells)\b/

/** What is to be written otherwise in a source file or a page of Markdown. */
export function findingsIn(path: string, text: string): readonly Finding[] {
  const pieces = path.endsWith('.md') ? proseOfMarkdown(text) : proseOfSource(path, text)
  return pieces.flatMap((piece) => [...wordsIn(path, piece), ...sentencesIn(path, piece)])
}

function wordsIn(path: string, { text, withCode, line }: Prose): readonly Finding[] {
  const lists = [
    [text, WORDS],
    [withCode, CODE_WORDS],
  ] as const
  return lists.flatMap(([read, words]) =>
    words.flatMap(([pattern, instead]) =>
      [...read.matchAll(pattern)].map((match) => ({
        path,
        line: line + linesBefore(read, match.index),
        what: `"${match[0].replace(/\s+/g, ' ')}"`,
        instead,
      })),
    ),
  )
}

function sentencesIn(path: string, { text, line, kind }: Prose): readonly Finding[] {
  if (kind !== 'comment') return []
  const findings: Finding[] = []
  const report = (index: number, what: string, instead: string): void => {
    findings.push({ path, line: line + linesBefore(text, index), what, instead })
  }
  for (const match of text.matchAll(/[^.!?]+(?:[.!?](?!\s)[^.!?]*)*/g)) {
    // A blank line, a tag and an item of a list end a sentence as well.
    for (const sentence of match[0].split(/\n\s*\n|\n\s*@\w+|\n\s*[-*] /)) {
      const words = sentence.split(/\s+/).filter((word) => /\w/.test(word))
      if (words.length > LONGEST_SENTENCE)
        report(match.index, `${words.length} words in one sentence`, 'split it')
    }
  }
  for (const match of text.matchAll(/`[^`]*` = /g))
    report(match.index, `"${match[0].trim()}"`, 'a sentence: "`null` if the client sent none"')
  const opener = OPENERS.exec(text.trim())
  if (opener !== null)
    report(0, `begins with "${opener[0]}"`, 'functions: a verb in the third person; else a noun')
  return findings
}

const linesBefore = (text: string, index: number): number =>
  text.slice(0, index).split('\n').length - 1

/** The prose of a page: neither code nor where its links lead. */
function proseOfMarkdown(text: string): readonly Prose[] {
  const withCode = text.replace(/^(```+).*?^\1$/gms, blank)
  const prose = withCode
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank)
    .replace(/<[^>\n]*>/g, blank)
  return [{ text: prose, withCode, line: 1, kind: 'markdown' }]
}

/** The comments of a file, and its string literals that hold a space and are not SQL. */
function proseOfSource(path: string, text: string): readonly Prose[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  const lineOf = (position: number): number =>
    source.getLineAndCharacterOfPosition(position).line + 1
  const pieces: Prose[] = []
  const known = new Set<number>()
  const addComments = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      if (known.has(pos)) continue
      known.add(pos)
      const withCode = unmarked(text.slice(pos, end))
      pieces.push({ text: plain(withCode), withCode, line: lineOf(pos), kind: 'comment' })
    }
  }
  const visit = (node: ts.Node): void => {
    addComments(ts.getLeadingCommentRanges(text, node.getFullStart()))
    addComments(ts.getTrailingCommentRanges(text, node.getEnd()))
    if (isProse(node) && node.text.trim().includes(' ') && !SQL.test(node.text) && !isQuote(node))
      pieces.push({
        text: node.text.replace(/<[^>]*>|`[^`]*`/g, ' '),
        withCode: node.text,
        line: lineOf(node.getStart()),
        kind: 'literal',
      })
    // `getChildren` rather than `forEachChild`: comments may stand before a closing bracket.
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  return pieces
}

const SQL =
  /^\s*(?:select|insert|update|delete|with|create|alter|drop|on conflict|where|returning)\b/i

const isProse = (node: ts.Node): node is ts.LiteralLikeNode =>
  ts.isStringLiteral(node) ||
  ts.isNoSubstitutionTemplateLiteral(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node) ||
  ts.isJsxText(node)

/** Whether a text is the sentence of a specification: `rfc7636('4.6', MUST, AS, '…')`. Advice is in our own words. */
const isQuote = ({ parent }: ts.Node): boolean =>
  ts.isCallExpression(parent) &&
  parent.arguments.some((one) => /^(?:MUST|SHOULD)(?:_NOT)?$/.test(one.getText()))

const blank = (code: string): string => code.replace(/[^\n]/g, ' ')

/** A comment without its marks and its examples; its lines stay where they were. */
function unmarked(comment: string): string {
  return comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^[ \t]*\/\/|^[ \t]*\*(?!\/)/gm, '')
    .replace(/```.*?```/gs, blank)
}

/** The same without its code and its links. */
function plain(comment: string): string {
  return comment
    .replace(/\{@link [^}]*\}/g, 'it')
    .replace(/`[^`\n]*` = /g, (telegraph) => telegraph)
    .replace(/`[^`\n]*`(?! = )/g, '`x`')
    .replace(/\]\([^)\s]*\)/g, ']')
    .replace(/^\s*@example.*$/gm, blank)
}
