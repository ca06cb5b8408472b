import { expect, test } from 'vitest'
import type { Queue } from '../../../contracts/api/queue.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter } from '../../testing/counter.ts'

const centre = useCentre()

test('a client secret that is refused is on the manager’s list with what to mend, and counted; one that is taken is not', async () => {
  const refused = await openCounter({ ...centre, url: centre.url, tokenUrl: centre.tokenUrl, clientId: centre.clientId, clientSecret: 'not-the-secret' }, { staffId: 'sam' })
  await refused.event((event): event is Extract<typeof event, { type: 'queue-changed' }> => event.type === 'queue-changed' && event.summary.attention === 1)
  const list = (await refused.call('GET', '/api/queue')).body as unknown as Queue
  expect(list).toMatchObject({ summary: { attention: 1 }, secretRefused: { says: { 'en-CA': expect.stringContaining('client secret') as string }, todo: { 'fr-CA': expect.stringContaining('installateur') as string } }, entries: [] })

  const taken = await openCounter(centre, { staffId: 'sam' })
  await taken.event((event): event is Extract<typeof event, { type: 'echo-result' }> => event.type === 'echo-result')
  expect((await taken.call('GET', '/api/queue')).body).toMatchObject({ summary: { attention: 0 }, secretRefused: null })
})
