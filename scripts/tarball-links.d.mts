export function deadLinksOf(tarball: string): {
  readonly pages: number
  readonly links: number
  readonly dead: readonly string[]
}
export function linkToRepository(
  tarball: string,
  options: {
    readonly home?: string
    readonly tag: string
    readonly rewrite?: (page: { readonly path: string; readonly text: string }) => string
  },
): readonly string[]
