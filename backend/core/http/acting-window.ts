import { provided } from '../context.ts'
import type { EventStream } from './events.ts'

/** Maximum number of window names that are remembered. */
const MAX = 8

export type ActingWindow = ReturnType<typeof createActingWindow>

/**
 * Selects the window that acts on a gesture: the one touched last. Every window of a lane receives the events, but only
 * the selected one acts. When it closes, the previous one acts again.
 */
export function createActingWindow(events: Pick<EventStream, 'publish' | 'isOpen'>) {
  /** Names of the windows' event streams, most recently touched first. */
  let touched: string[] = []
  const publishState = (): void => {
    for (const stream of touched) events.publish({ type: 'window-acting', acting: stream === touched[0] }, stream)
  }

  return {
    signedInAt(stream: string | undefined): void {
      touched = stream === undefined ? [] : [stream]
      publishState()
    },
    touch(stream: string): void {
      touched = [stream, ...touched.filter((other) => other !== stream && events.isOpen(other))].slice(0, MAX)
      publishState()
    },
    /**
     * Name of the acting window's stream; undefined when no open window was touched: then every window gets the event.
     */
    stream: (): string | undefined => touched.find((stream) => events.isOpen(stream)),
  }
}

export const actingWindowOf = provided<ActingWindow>('the windows')
