import { EventEmitter } from 'node:events'
import type { Display } from 'electron'

type Shown = Pick<Display, 'id' | 'bounds' | 'workArea' | 'size' | 'internal'>

const displayAt = (id: number): Shown => {
  const bounds = { x: id * 1024, y: 0, width: 1024, height: 768 }
  return { id, bounds, workArea: bounds, size: bounds, internal: id === 0 }
}

/** Electron's `screen`: displays side by side, each as large as the next, which come and go at a test's word. */
export function makeScreen(displays: number) {
  let count = displays
  const emitter = new EventEmitter()
  return Object.assign(emitter, {
    getPrimaryDisplay: () => displayAt(0),
    getAllDisplays: () => Array.from({ length: count }, (_, id) => displayAt(id)),
    getDisplayMatching: ({ x }: { x: number }) => displayAt(Math.min(count - 1, Math.floor(x / 1024))),
    change: (now: number) => {
      const event = now > count ? 'display-added' : 'display-removed'
      count = now
      emitter.emit(event, {}, displayAt(now))
    },
  })
}
