export function deadLinksOf(tarball: string): {
  readonly pages: number
  readonly links: number
  readonly dead: readonly string[]
}
export function linkToRepository(
  tarball: string,
  options: { readonly home?: string; readonly tag: string },
): readonly string[]
