import type { Clock } from '../clock.ts'

export type StoreTime = ReturnType<typeof createStoreTime>

/**
 * The time of the store's server, as far as it was heard in this run: changes of lanes that were apart are ordered by
 * it and not by clocks that someone set. It goes on while the server is away, whatever the clock says then.
 */
export function createStoreTime(clock: Pick<Clock, 'now' | 'monotonic'>) {
  let heard: { readonly at: number; readonly monotonic: number } | null = null
  return {
    /** `at`: what the server just said, epoch ms. */
    hear(at: number): void {
      heard = { at, monotonic: clock.monotonic() }
    },
    /** Epoch ms; by this lane's clock before the server was heard. */
    now: (): number => (heard === null ? clock.now() : Math.round(heard.at + clock.monotonic() - heard.monotonic)),
  }
}
