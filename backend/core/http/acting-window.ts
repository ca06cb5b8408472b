import { provided } from '../context.ts'
import type { EventStream } from './events.ts'

const MAX = 8

export type ActingWindow = ReturnType<typeof createActingWindow>

/**
 * Selects the window that acts on a scan or swipe: the one touched last. When it closes, the one touched before acts
 * again.
 */
export function createActingWindow(events: Pick<EventStream, 'publish' | 'isOpen'>) {
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
    stream: (): string | undefined => touched.find((stream) => events.isOpen(stream)),
  }
}

export const actingWindowOf = provided<ActingWindow>('the windows')
