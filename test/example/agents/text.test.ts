import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { harmless, plainText, textSchema } from '../../../examples/school/src/agents/text.js'
import { anyCharacter } from '../../support/http/characters.js'

describe('plainText', () => {
  it.each([
    ['', ''],
    ['just words', 'just words'],
    ['<p>One.</p><p>Two,<br>and a half.</p>', 'One.\nTwo,\nand a half.'],
    ['<h3>List</h3><ul><li>a</li><li><p>b</p></li><li></li></ul>', 'List\n- a\n- b'],
    ['<p>a <em>b</em><strong>c</strong>\n   d</p>', 'a bc d'],
    ['<p>Fish &amp; chips &lt; 3 &quot;x&quot; &eacute;</p>', 'Fish & chips < 3 "x" é'],
    ['<p>See <a href="https://notes.example/a">my notes</a></p>', 'See my notes'],
    ['<p>a<img src="https://track.example/p.gif" alt="pixel">b</p>', 'ab'],
    ['<script>alert(1)</script><style>p{}</style><p>a</p><!-- c -->', 'a'],
    ['<a title="1 > 2" href="https://a.example/?q=%3E">x</a>y', 'xy'],
    ['a < b and b > c', 'a < b and b > c'],
  ])('makes of %j only its words', (html, text) => {
    expect(plainText(html)).toEqual({ text, truncated: false })
  })

  it.each([
    ['![x](https://track.example/a.png)', '! [x](https://track.example/a.png)'],
    ['!<b>[x]</b>(https://track.example/a.png)', '! [x](https://track.example/a.png)'],
    ['!\u{e0041}[x](y)', '! [x](y)'],
    ['&lt;img src=https://track.example&gt;', '< img src=https://track.example>'],
    ['&lt;/p&gt;&lt;!doctype&gt;&lt;?x?&gt;', '< /p>< !doctype>< ?x?>'],
    ['&amp;lt;img src=x&amp;gt;', '&lt;img src=x&gt;'],
    ['a\u{e0061}\u{e0062}\u0007\u001b[31mb', 'a[31mb'],
  ])('leaves nothing in %j that is fetched, run or unseen [MCP-14]', (html, text) => {
    expect(plainText(html)).toEqual({ text, truncated: false })
  })

  it('keeps 4,000 characters and says that there were more [MCP-14]', () => {
    const most = 'a'.repeat(4000)
    expect(plainText(`<p>${most}</p>`)).toEqual({ text: most, truncated: false })
    expect(plainText(`<p>${most}b</p>`)).toEqual({ text: most, truncated: true })
    expect(plainText('a bc', 3)).toEqual({ text: 'a b', truncated: true })
  })

  it('cuts no character in two', () => {
    expect(plainText('ab🖌', 3)).toEqual({ text: 'ab', truncated: true })
    expect(plainText('a🖌b', 3)).toEqual({ text: 'a🖌', truncated: true })
  })

  it('answers the same again, whatever it is given', () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.constantFrom('<p>', '<li>', '</', '<img src="', '![', '&lt;', '&#60;', '&amp;', '\u{e0041}', '<a title="', '>'), // prettier-ignore
    )
    const html = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(html, (given) => {
        const answer = textSchema.parse(plainText(given))
        expect(answer.text).not.toMatch(/!\[|<[A-Za-z/!?]|[\u{E0000}-\u{E007F}]|(?!\n)\p{Cc}/u)
        expect(harmless(answer)).toEqual(answer)
      }),
      { seed: 4, numRuns: 2000 },
    )
  })

  it('takes no longer for what was made to take long', { timeout: 5000 }, () => {
    for (const one of [' ', '<', '&lt;', '![', '<p>', '<li>', '<li ', '<a title="', ' \n'])
      expect(plainText(one.repeat(50_000 / one.length)).text.length).toBeLessThanOrEqual(4000)
  })
})

describe('harmless', () => {
  it('goes through every text of a value and leaves the rest', () => {
    const value = { a: ['![b](c)', 1, null, { d: '<e>' }], f: true }
    expect(harmless(value)).toEqual({ a: ['! [b](c)', 1, null, { d: '< e>' }], f: true })
  })
})
