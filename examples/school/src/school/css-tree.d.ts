/** The part of css-tree that the school uses: its types do not cover this entry. */
declare module 'css-tree/tokenizer' {
  export function tokenize(
    css: string,
    onToken: (type: number, start: number, end: number) => void,
  ): void
  export const tokenTypes: Readonly<Record<'Function' | 'Url' | 'BadUrl' | 'AtKeyword', number>>
}
