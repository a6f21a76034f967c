export function buildExpressExample(): Promise<{ readonly program: string }>
export function buildHallpass(): Promise<void>
export function bundle(
  outdir: string,
  options?: { readonly onStep?: (step: string) => void },
): Promise<readonly string[]>
