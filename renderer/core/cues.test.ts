import { expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import type { Notice } from './state/notices.ts'
import { line, redemption, saleOf } from '../testing/sales.ts'
import { cueOfChange, cueOfEvent, cueOfNotices } from './sounds.ts'

const at = (state?: string, version = 3): Sale =>
  saleOf([line(1)], {
    version,
    redemption: state === undefined ? null : redemption({ state, outcome: 'approved' } as never),
  })

test.each([
  [{ type: 'sale-changed', cause: 'scan', sale: at() }, 'scan-ok'],
  [{ type: 'sale-changed', cause: 'command', sale: at() }, null],
  [{ type: 'scan-unknown', code: '1' }, 'scan-unknown'],
  [{ type: 'scan-unreadable' }, 'scan-unknown'],
  [{ type: 'card-read', readId: 'r', entryMode: 'SWIPE', last4: '0011' }, 'card-read'],
  [{ type: 'card-refused', reason: 'not-a-program-card' }, 'error'],
  [{ type: 'central-turned', now: 'gone', state: 'offline', since: '', sound: true }, 'central-gone'],
  [{ type: 'central-turned', now: 'back', state: 'online', since: '', sound: true }, 'central-back'],
  [{ type: 'central-turned', now: 'gone', state: 'offline', since: '', sound: false }, null],
  [{ type: 'queue-changed', summary: { waiting: 1, sending: 0, attention: 0, central: 'online' } }, null],
])('the event %j plays the sound cue %s', (event, cue) => {
  expect(cueOfEvent(event as TerminalEvent)).toBe(cue)
})

test('a sound cue plays when a redemption gets its outcome, and none for a sale that already had the outcome', () => {
  expect(cueOfChange(at('intent'), at('approved'))).toBe('approved')
  expect(cueOfChange(at('approved'), at('approved', 4))).toBeNull()
  expect(cueOfChange(at('retry'), at('escalated'))).toBe('not-applied')
  expect(cueOfChange(at('intent'), at('declined'))).toBe('not-applied')
  expect(cueOfChange(at('intent'), at('retry'))).toBeNull()
  expect(cueOfChange(null, at('approved'))).toBeNull()
  expect(cueOfChange(at('intent'), null)).toBeNull()
})

test('a new problem notice plays a sound cue, and a success or warning notice plays none', () => {
  const notice = (tone: Notice['tone']): Notice => ({
    id: 1,
    tone,
    text: () => '',
    reference: null,
    topic: null,
    problem: null,
    offer: null,
    page: '/',
  })
  const problem = notice('danger')
  expect(cueOfNotices([], [problem])).toBe('error')
  expect(cueOfNotices([problem], [problem])).toBeNull()
  expect(cueOfNotices([], [notice('success'), notice('warning')])).toBeNull()
})
