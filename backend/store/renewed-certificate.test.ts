import { expect, test, vi } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const store = useStore('01')

const connected = (harness: TerminalHarness) =>
  vi.waitFor(async () => expect((await harness.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected' }), {
    timeout: 60_000,
  })

test('a lane that trusts the server’s self-signed certificate gets its authority and trusts a renewed one', async ({
  skip,
}) => {
  const lane = { laneId: '01', staffId: 'sam' } as const
  const harness = await openTerminalHarness(central, { ...lane, store: store.place(skip) })
  await connected(harness)
  await store.renewCertificate()
  // Manager pages use connections of their own. None is open yet, so this request verifies the renewed certificate.
  expect((await harness.call('GET', '/api/store/lanes')).status).toBe(200)
  await harness.close()
  await connected(await openTerminalHarness(central, { ...lane, folder: harness.folder }))
})
