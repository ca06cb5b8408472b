import { expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { createActingWindow } from './acting-window.ts'

test('the window that was touched last acts; when it closes, the one before it does; each is told of itself', () => {
  const open = new Set(['first', 'second'])
  const told: [string | undefined, TerminalEvent][] = []
  const acting = createActingWindow({
    publish: (event, stream) => told.push([stream, event]),
    isOpen: (name) => open.has(name),
  })
  expect(acting.stream(), 'nobody was touched').toBeUndefined()
  acting.touch('first')
  acting.touch('second')
  expect(acting.stream()).toBe('second')
  expect(told.slice(1)).toEqual([
    ['second', { type: 'window-acting', acting: true }],
    ['first', { type: 'window-acting', acting: false }],
  ])
  open.delete('second')
  expect(acting.stream()).toBe('first')
  open.add('third')
  acting.signedInAt('third')
  expect(acting.stream()).toBe('third')
  open.delete('third')
  expect(acting.stream(), 'at the others nobody is signed in any more').toBeUndefined()
})
