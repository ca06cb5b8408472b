import { expect, test } from 'vitest'
import { json, openRawServer } from '../../../packages/lab/testing/raw-server.ts'
import { withoutLaneToken, contextTo } from '../../../packages/lab/testing/services-transport.ts'
import { createBreaker } from './breaker.ts'
import { createOffersClient, type OffersClient } from '../../loyalty/services/offers.ts'

/**
 * An offer service behind a circuit breaker, with a test clock. `answers.status`: HTTP status of its answers; null: it
 * does not answer.
 */
async function behindBreaker(): Promise<{
  client: OffersClient
  asked: () => number
  received: (count: number) => Promise<void>
  answers: { status: number | null }
  clock: { now: number }
  list: () => Promise<string>
}> {
  const answers: { status: number | null } = { status: 503 }
  const server = await openRawServer(({ socket }) => {
    if (answers.status !== null) socket.end(json(answers.status, { offers: [], metadata: { total: 0 } }))
  })
  const clock = { now: 1_000 }
  const breaker = createBreaker({ monotonic: () => clock.now })
  const client = createOffersClient(contextTo(withoutLaneToken(server.url)), breaker)
  return {
    client,
    asked: () => server.requests.length,
    received: (count) => server.received(count),
    answers,
    clock,
    list: async () => {
      const result = await client.list({ region: 'ON' }, { locale: 'en-CA' })
      return result.kind === 'ok' ? 'ok' : result.cause
    },
  }
}

test('after three failures in a row, the breaker sends no reads, except one probe after each pause', async () => {
  const { list, asked, answers, clock } = await behindBreaker()
  for (const _failure of [1, 2, 3]) expect(await list()).toBe('maintenance')
  clock.now += 14_999
  expect([await list(), await list(), asked()]).toEqual(['breaker-open', 'breaker-open', 3])
  clock.now += 1
  const [probe, concurrent] = await Promise.all([list(), list()])
  expect([probe, concurrent, asked()]).toEqual(['maintenance', 'breaker-open', 4])
  clock.now += 15_000
  answers.status = 200
  expect([await list(), await list(), asked()], 'an answer closes it').toEqual(['ok', 'ok', 6])
  answers.status = 503
  expect([await list(), await list(), await list(), await list(), asked()]).toEqual([
    'maintenance',
    'maintenance',
    'maintenance',
    'breaker-open',
    9,
  ])
})

test('a refusal sets the breaker’s count of failures to 0, like any good answer', async () => {
  const { list, answers } = await behindBreaker()
  const seen: string[] = []
  for (const status of [500, 500, 401, 500, 500, 400, 404, 503, 200, 500, 500]) {
    answers.status = status
    seen.push(await list())
  }
  expect(seen).not.toContain('breaker-open')
})

test('an open breaker still sends changes that a member requests', async () => {
  const { client, list, asked } = await behindBreaker()
  for (const _failure of [1, 2, 3]) await list()
  expect(await list()).toBe('breaker-open')
  const put = await client.sendStates(client.storedStates('id', [{ name: 'SAVE', value: 'SAVED' }]), {
    memberToken: 'm',
  })
  expect(put).toMatchObject({ cause: 'maintenance' })
  expect(asked()).toBe(4)
})

test('the breaker does not count a call that the caller aborted', async () => {
  const { client, list, answers, received } = await behindBreaker()
  answers.status = null
  for (const number of [1, 2, 3]) {
    const patience = new AbortController()
    const asks = client.list({ region: 'ON' }, { locale: 'en-CA', signal: patience.signal })
    await received(number)
    patience.abort()
    expect(await asks).toMatchObject({ cause: 'timeout' })
  }
  answers.status = 200
  expect(await list()).toBe('ok')
})
