// Next.js evaluates the modules of each route while it builds, when there are no secrets yet.
export async function openSchool() {
  const { school, start } = await import('../school.js')
  await start()
  return school
}
