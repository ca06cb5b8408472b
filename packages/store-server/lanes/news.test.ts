import { expect, test } from 'vitest'
import { createNews } from './news.ts'

const NEVER = new AbortController().signal

test('news that come after a reader began to listen end its wait, also before it waits', async () => {
  const news = createNews()
  const hints = news.listen('STORE', ['person'])
  news.told({ store: 'STORE', kinds: new Set(['person', 'sale']) })
  expect(await hints.wait(60_000, NEVER)).toBe(true)
  hints.end()
})

test('news of other kinds or other stores, or of the time before, end no wait', async () => {
  const news = createNews()
  news.told({ store: 'STORE', kinds: new Set(['person']) })
  const hints = news.listen('STORE', ['person'])
  news.told({ store: 'STORE', kinds: new Set(['sale']) })
  news.told({ store: 'OTHER', kinds: null })
  expect(await hints.wait(1, NEVER)).toBe(false)
  expect(await hints.wait(60_000, AbortSignal.abort())).toBe(false)
  hints.end()
})
