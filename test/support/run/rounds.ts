/**
 * How often a test repeats what it does: as often as it takes to see every branch, or, for
 * `npm run test:soak`, as often as it takes to trust it through the night.
 */
export const rounds = (usual: number, { soak }: { soak: number }): number =>
  process.env['HALLPASS_SOAK'] === '1' ? soak : usual
