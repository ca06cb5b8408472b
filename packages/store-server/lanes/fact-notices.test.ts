import { expect, test } from 'vitest'
import { createFactNotices } from './fact-notices.ts'

const NEVER = new AbortController().signal

test("facts published after a reader subscribed end that reader's wait, even if the wait begins later", async () => {
  const notices = createFactNotices()
  const hints = notices.listen('STORE', ['person'])
  notices.publish({ store: 'STORE', kinds: new Set(['person', 'sale']) })
  expect(await hints.wait(60_000, NEVER)).toBe(true)
  hints.end()
})

test("facts of other kinds or stores, or from before the subscription, end no reader's wait", async () => {
  const notices = createFactNotices()
  notices.publish({ store: 'STORE', kinds: new Set(['person']) })
  const hints = notices.listen('STORE', ['person'])
  notices.publish({ store: 'STORE', kinds: new Set(['sale']) })
  notices.publish({ store: 'OTHER', kinds: null })
  expect(await hints.wait(1, NEVER)).toBe(false)
  expect(await hints.wait(60_000, AbortSignal.abort())).toBe(false)
  hints.end()
})
