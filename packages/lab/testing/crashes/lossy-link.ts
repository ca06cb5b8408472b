import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SeededRng } from '../../simulation/rng.ts'
import { TerminalGoneError, type Window } from '../../rig/window.ts'

export interface LinkTally {
  lost: number
  doubled: number
  /** Number of commands that a window repeated after a restart of the terminal. */
  afterRestart: number
}

type PendingCall = readonly [method: string, path: string, body: object | undefined, key: string]

const LOST_ONCE_IN = 5
const DOUBLED_ONCE_IN = 8
const REUSED = 422

/**
 * A lossy network between a window and its terminal: one response in five is lost and one command in eight arrives
 * twice. The window repeats a command under the same idempotency key, also after a restart, and must get the same
 * response each time.
 */
export function createLossyLink(rng: SeededRng, tally: LinkTally) {
  let unanswered: PendingCall | null = null

  async function again(window: Window, asked: PendingCall, first: Awaited<ReturnType<Window['call']>>) {
    const second = await window.call(...asked)
    if (first.status === 200 && !isDeepStrictEqual(second, first))
      throw new Error(`${asked[1]} got two different responses: ${JSON.stringify([first, second])}`)
    return second
  }

  return {
    before: (window: Window): Window => ({
      ...window,
      async call(method, path, body, key = randomUUID()) {
        if (method === 'GET') return window.call(method, path, body)
        const asked: PendingCall = [method, path, body, key]
        unanswered = asked
        if (rng.onceIn(DOUBLED_ONCE_IN)) {
          tally.doubled += 1
          window.call(...asked).catch(() => undefined)
        }
        let answer = await window.call(...asked)
        while (rng.onceIn(LOST_ONCE_IN)) {
          tally.lost += 1
          answer = await again(window, asked, answer)
        }
        unanswered = null
        return answer
      },
    }),
    async repeatUnanswered(window: Window): Promise<void> {
      const asked = unanswered
      unanswered = null
      if (!asked || rng.onceIn(3)) return
      tally.afterRestart += 1
      const { status } = await window.call(...asked)
      if (status === REUSED || status >= 500) throw new Error(`${asked[1]}, asked again, was answered ${status}`)
    },
  }
}

export type LossyLink = ReturnType<typeof createLossyLink>

/** Runs `work`, again after each restart of the terminal, until it completes without one. */
export async function retryAcrossCrashes(
  lane: { readonly window: Window; nextWindow(gone: Window): Promise<Window> },
  link: LossyLink,
  work: (window: Window) => Promise<void>,
): Promise<void> {
  for (let { window } = lane; ; window = await lane.nextWindow(window)) {
    try {
      await link.repeatUnanswered(window)
      await work(link.before(window))
      return
    } catch (error) {
      if (!(error instanceof TerminalGoneError)) throw error
    }
  }
}
