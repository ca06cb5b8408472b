import { makeScrapeToken } from '../packages/delivery/metrics-registry.ts'
import { MAX_SERIES } from '../contracts/core/metric-table.ts'
import { plantSecrets, secretFinder } from '../scripts/testing/planted-secrets.ts'
import { CASHIER } from './lane.ts'
import { expect, test, track2 } from './store.ts'
import { openTerminal } from './terminal.ts'

test.use({ viewport: { width: 1024, height: 768 } })

test('a lane’s metrics contain no secret, neither in values nor in labels', async ({ store }) => {
  const { lane, reader, scanner } = store
  const token = makeScrapeToken(lane.data)
  const scrape = async (): Promise<string> => {
    const response = await fetch(`${lane.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    return response.text()
  }
  const client = await openTerminal(lane, CASHIER)
  const secrets = plantSecrets(60, 'metrics', [6, 8])
  for (const { kind, value } of secrets) {
    if (kind === 'collector' || kind === 'card') await reader.send(track2(value))
    else if (kind === 'pin') await client.call('POST', '/api/sign-in', { staffId: CASHIER.id, pin: value })
    else await scanner.send(`]C0${value}\r`)
    await client.call('POST', '/api/devices/keys', { text: value })
    await client.call('POST', '/api/sales/current/lines', { sku: value, quantity: 1 })
    await fetch(`${lane.url}/metrics`, { headers: { authorization: `Bearer ${encodeURIComponent(value)}` } })
  }
  // Once the known collector is reported, the lane has processed the earlier card reads.
  await reader.send(track2('80000000011'))
  await client.first('card-read', ({ last4 }) => last4 === '0011')

  const text = await scrape()
  const find = secretFinder([...secrets, { kind: 'token', value: token }])
  expect(find(Buffer.from(text))).toEqual([])
  expect(find(Buffer.from(`${text}${secrets[1]?.value ?? ''}`))).not.toEqual([])
  expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length).toBeLessThanOrEqual(MAX_SERIES)
  expect(text).toMatch(/milepost_log_lines_total\{level="info"\} [1-9]/)
  client.close()
})
