/** Shows how far long work is. */
export interface Progress {
  readonly step: (name?: string) => void
  readonly repeat: (note: string) => void
  readonly end: () => void
}
export function createProgress(
  what: string,
  options: {
    readonly total: number
    readonly stream?: {
      readonly isTTY?: boolean
      readonly columns?: number
      readonly write: (text: string) => unknown
    }
    readonly now?: () => number
    readonly everyMilliseconds?: number
  },
): Progress
