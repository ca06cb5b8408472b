import { provided } from '../context.ts'
import type { EventStream } from './events.ts'

/** Names of closed windows are forgotten when there are more. */
const MOST = 8

export type ActingWindow = ReturnType<typeof createActingWindow>

/**
 * The window that was touched last does what a gesture asks of a person: every window of a lane hears the news, and
 * only that one is told to act. When it closes, the one before it acts again.
 */
export function createActingWindow(events: Pick<EventStream, 'publish' | 'isOpen'>) {
  /** Names of streams, the one that was touched last first. */
  let touched: string[] = []
  const tell = (): void => {
    for (const stream of touched) events.publish({ type: 'window-acting', acting: stream === touched[0] }, stream)
  }

  return {
    /** Somebody signs in at this window, and so nobody is signed in at any other. */
    signedInAt(stream: string | undefined): void {
      touched = stream === undefined ? [] : [stream]
      tell()
    },
    /** Somebody touches this window, at which somebody is signed in. */
    touch(stream: string): void {
      touched = [stream, ...touched.filter((other) => other !== stream && events.isOpen(other))].slice(0, MOST)
      tell()
    },
    /** Who acts now; undefined where no open window has been touched: then each is told. */
    stream: (): string | undefined => touched.find((stream) => events.isOpen(stream)),
  }
}

/** The window that a person touched last. */
export const actingWindowOf = provided<ActingWindow>('the windows')
