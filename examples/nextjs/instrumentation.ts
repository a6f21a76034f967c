/** Opens the schools. Next.js calls it once at start-up, so a wrong environment is reported before any request. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return
  const { start } = await import('#lib/start')
  await start()
}
