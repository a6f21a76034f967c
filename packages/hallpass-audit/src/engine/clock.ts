import { setTimeout } from 'node:timers/promises'

/** How a check waits until something is old enough. A test waits in no time. */
export const clock = {
  wait: (milliseconds: number): Promise<void> => setTimeout(Math.max(0, milliseconds)),
}

/** Waits until some seconds after a time, which is that of `Date.now`. */
export const until = (at: number, seconds: number): Promise<void> =>
  clock.wait(at + seconds * 1000 - Date.now())
