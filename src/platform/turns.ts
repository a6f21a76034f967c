import type { SiteStorage } from '../store/storage.js'

/**
 * Returns a function that says whether the turn of now is that of this process. Time is divided into turns, and of the
 * processes that ask during one, the first has it. One that dies gives up its turn and no other.
 *
 * @param seconds - how long a turn is
 */
export function createTurns(
  { ofAll }: Pick<SiteStorage, 'ofAll'>,
  { name, seconds, now }: { name: string; seconds: number; now: () => number },
): () => Promise<boolean> {
  let asked: number | null = null
  let own: number | null = null
  return async () => {
    const turn = Math.floor(now() / seconds)
    if (asked !== turn) {
      asked = turn
      const use = { key: `platform ${name} ${turn}`, until: (turn + 2) * seconds }
      if ((await ofAll.useOnce(use)) === 'first') own = turn
    }
    return own === turn
  }
}
