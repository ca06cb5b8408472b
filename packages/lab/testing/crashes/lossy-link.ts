import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SeededRng } from '../../simulation/rng.ts'
import { TerminalGoneError, type Window } from '../../rig/window.ts'

export interface LinkTally {
  lost: number
  doubled: number
  /** Commands that a window asked again of the terminal after its restart. */
  afterRestart: number
}

type Asked = readonly [method: string, path: string, body: object | undefined, key: string]

const LOST_ONCE_IN = 5
const DOUBLED_ONCE_IN = 8
/** Status of a key that was used for another request. */
const REUSED = 422

/**
 * What lies between a window and its terminal: one answer in five is lost and one command in eight arrives twice. The
 * window asks again under the same key, after a restart too, and must be told the same each time.
 */
export function createLossyLink(rng: SeededRng, tally: LinkTally) {
  let unanswered: Asked | null = null

  async function again(window: Window, asked: Asked, first: Awaited<ReturnType<Window['call']>>) {
    const second = await window.call(...asked)
    if (first.status === 200 && !isDeepStrictEqual(second, first))
      throw new Error(`${asked[1]} was answered in two ways: ${JSON.stringify([first, second])}`)
    return second
  }

  return {
    /** The window with this link before it. */
    before: (window: Window): Window => ({
      ...window,
      async call(method, path, body, key = randomUUID()) {
        if (method === 'GET') return window.call(method, path, body)
        const asked: Asked = [method, path, body, key]
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
    /** What the terminal did not answer before it went down is asked again of the one that is there now. */
    async askAgain(window: Window): Promise<void> {
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

/** Runs the work at each window of the terminal until one lives long enough. */
export async function overCrashes(
  lane: { readonly window: Window; following(gone: Window): Promise<Window> },
  link: LossyLink,
  work: (window: Window) => Promise<void>,
): Promise<void> {
  for (let { window } = lane; ; window = await lane.following(window)) {
    try {
      await link.askAgain(window)
      await work(link.before(window))
      return
    } catch (error) {
      if (!(error instanceof TerminalGoneError)) throw error
    }
  }
}
