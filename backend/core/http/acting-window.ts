import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { provided } from '../context.ts'

export interface ActingWindowOptions {
  /** Sends to one stream of events alone. */
  readonly notify: (event: TerminalEvent, stream: string) => void
  /** Whether the stream of this name is open. */
  readonly isOpen: (stream: string) => boolean
}

/** Names of closed windows are forgotten when there are more. */
const MOST = 8

export type ActingWindow = ReturnType<typeof createActingWindow>

/**
 * The window that was touched last does what a gesture asks of a person: every window of a lane hears the news, and
 * only that one is told to act. When it closes, the one before it acts again.
 */
export function createActingWindow({ notify, isOpen }: ActingWindowOptions) {
  /** Names of streams, the one that was touched last first. */
  let touched: string[] = []
  const tell = (): void => {
    for (const stream of touched) notify({ type: 'window-acting', acting: stream === touched[0] }, stream)
  }

  return {
    /** Somebody signs in at this window, and so nobody is signed in at any other. */
    signedInAt(stream: string | undefined): void {
      touched = stream === undefined ? [] : [stream]
      tell()
    },
    /** Somebody touches this window, at which somebody is signed in. */
    touch(stream: string): void {
      touched = [stream, ...touched.filter((other) => other !== stream && isOpen(other))].slice(0, MOST)
      tell()
    },
    /** Who acts now; undefined where no open window has been touched: then each is told. */
    stream: (): string | undefined => touched.find(isOpen),
  }
}

/** The window that a person touched last. */
export const actingWindowOf = provided<ActingWindow>('the windows')
