export function buildExpressExample(): Promise<{ readonly program: string }>
