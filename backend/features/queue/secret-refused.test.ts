import { expect, test } from 'vitest'
import type { Queue } from '../../../contracts/api/queue.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter, type Counter } from '../../testing/counter.ts'

const centre = useCentre()

/** The manager's list once it is so. */
async function listed(counter: Counter, holds: (queue: Queue) => boolean): Promise<Queue> {
  for (;;) {
    const queue = (await counter.call('GET', '/api/queue')).body as unknown as Queue
    if (holds(queue)) return queue
    await counter.next()
  }
}

test('fresh tokens that a service refuses for good are on the list too, for as long as it does', async () => {
  const counter = await openCounter(centre, { staffId: 'sam' })
  await listed(counter, ({ summary }) => summary.centre === 'online')
  await centre.faults({
    path: '/checkout/loyaltycash/echo',
    occurrence: 1,
    times: 2,
    action: { kind: 'answer', status: 403, body: {} },
  })
  await counter.call('POST', '/api/diagnostics/echo')
  expect(await listed(counter, ({ summary }) => summary.centre === 'secret-refused')).toMatchObject({
    summary: { attention: 1 },
    secretRefused: { says: { 'en-CA': expect.stringContaining('tokens refused') as string } },
    entries: [],
  })
  await counter.call('POST', '/api/diagnostics/echo')
  expect(await listed(counter, ({ summary }) => summary.centre === 'online')).toMatchObject({
    summary: { attention: 0 },
    secretRefused: null,
  })
})

test('a client secret that is refused is on the manager’s list with what to mend, and counted; one that is taken is not', async () => {
  const refused = await openCounter(
    {
      ...centre,
      url: centre.url,
      tokenUrl: centre.tokenUrl,
      clientId: centre.clientId,
      clientSecret: 'not-the-secret',
    },
    { staffId: 'sam' },
  )
  const list = await listed(refused, ({ summary }) => summary.attention > 0)
  expect(list).toMatchObject({
    summary: { attention: 1 },
    secretRefused: {
      says: { 'en-CA': expect.stringContaining('Lane secret') as string },
      todo: { 'fr-CA': expect.stringContaining('installateur') as string },
    },
    entries: [],
  })

  const taken = await openCounter(centre, { staffId: 'sam' })
  // The echo at the start was answered: by then the secret was taken.
  expect(await listed(taken, ({ summary }) => summary.centre === 'online')).toMatchObject({
    summary: { attention: 0 },
    secretRefused: null,
  })
})
