import { expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { createActingWindow } from './acting-window.ts'

test('a scan or swipe goes to the window touched last, or to the one touched before it when that has closed', () => {
  const open = new Set(['first', 'second'])
  const received: [string | undefined, TerminalEvent][] = []
  const acting = createActingWindow({
    publish: (event, stream) => received.push([stream, event]),
    isOpen: (name) => open.has(name),
  })
  expect(acting.stream(), 'no window was touched').toBeUndefined()
  acting.touch('first')
  acting.touch('second')
  expect(acting.stream()).toBe('second')
  expect(received.slice(1)).toEqual([
    ['second', { type: 'window-acting', acting: true }],
    ['first', { type: 'window-acting', acting: false }],
  ])
  open.delete('second')
  expect(acting.stream()).toBe('first')
  open.add('third')
  acting.signedInAt('third')
  expect(acting.stream()).toBe('third')
  open.delete('third')
  expect(acting.stream(), 'the other windows are signed out').toBeUndefined()
})
