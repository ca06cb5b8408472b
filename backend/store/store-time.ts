import type { Clock } from '../clock.ts'

const KEPT_MS = 600_000
/** No answer that counts travels this long: a time that is further behind means that the clock was set back. */
const SET_BACK_MS = 5_000

export type StoreTime = ReturnType<typeof createStoreTime>

/**
 * The time of the store's server, as far as it was heard in this run: changes of lanes that were apart are ordered by
 * it and not by clocks that someone set. It goes on while the server is away, whatever the clock says then.
 *
 * An answer that travelled for long makes the server's time look earlier. So of the answers of ten minutes the latest
 * time counts, unless the server's clock was set back.
 */
export function createStoreTime(clock: Pick<Clock, 'now' | 'monotonic'>) {
  let heard: { readonly at: number; readonly monotonic: number } | null = null
  const after = (one: { readonly at: number; readonly monotonic: number }): number =>
    Math.round(one.at + clock.monotonic() - one.monotonic)
  return {
    /** `at`: what the server just said, epoch ms. */
    hear(at: number): void {
      const monotonic = clock.monotonic()
      if (heard !== null && monotonic - heard.monotonic < KEPT_MS) {
        const behind = after(heard) - at
        if (behind > 0 && behind < SET_BACK_MS) return
      }
      heard = { at, monotonic }
    },
    /** Epoch ms; by this lane's clock before the server was heard. */
    now: (): number => (heard === null ? clock.now() : after(heard)),
  }
}
