export function buildExpressExample(): Promise<{ readonly program: string }>
export function buildHallpass(): Promise<void>
export function bundle(outdir: string): Promise<readonly string[]>
