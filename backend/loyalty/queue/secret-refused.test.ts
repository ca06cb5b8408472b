import { expect, test } from 'vitest'
import type { Queue } from '../../../contracts/loyalty/queue.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

async function listed(harness: TerminalHarness, holds: (queue: Queue) => boolean): Promise<Queue> {
  for (;;) {
    const queue = await harness.get<Queue>('/api/queue')
    if (holds(queue)) return queue
    await harness.next()
  }
}

test('a service that keeps refusing fresh tokens is listed in the exceptions queue until it accepts one', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  await listed(harness, ({ summary }) => summary.central === 'online')
  await central.faults({
    path: '/checkout/loyaltycash/echo',
    occurrence: 1,
    times: 2,
    action: { kind: 'answer', status: 403, body: {} },
  })
  await harness.call('POST', '/api/diagnostics/echo')
  expect(await listed(harness, ({ summary }) => summary.central === 'secret-refused')).toMatchObject({
    summary: { attention: 1 },
    secretRefused: { says: { 'en-CA': expect.stringContaining('tokens are refused') as string } },
    entries: [],
  })
  await harness.call('POST', '/api/diagnostics/echo')
  expect(await listed(harness, ({ summary }) => summary.central === 'online')).toMatchObject({
    summary: { attention: 0 },
    secretRefused: null,
  })
})

test('a refused client secret is listed and counted in the exceptions queue, with its remedy', async () => {
  const refused = await openTerminalHarness({ ...central.access, clientSecret: 'not-the-secret' }, { staffId: 'sam' })
  const list = await listed(refused, ({ summary }) => summary.attention > 0)
  expect(list).toMatchObject({
    summary: { attention: 1 },
    secretRefused: {
      says: { 'en-CA': expect.stringContaining('The lane secret') as string },
      todo: { 'fr-CA': expect.stringContaining('installateur') as string },
    },
    entries: [],
  })

  const taken = await openTerminalHarness(central, { staffId: 'sam' })
  expect(await listed(taken, ({ summary }) => summary.central === 'online')).toMatchObject({
    summary: { attention: 0 },
    secretRefused: null,
  })
})
