/** What Next.js runs once before it answers requests: a fault of the environment is told here. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return
  const { start } = await import('#lib/start')
  await start()
}
