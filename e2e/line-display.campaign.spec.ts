import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test as base, track2 } from './store.ts'

interface Shown {
  readonly port: number
  bytes(): string
}

const test = base.extend<{ shown: Shown }>({
  shown: async ({ request: _ }, use) => {
    let bytes = ''
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => {
        bytes += chunk.toString('latin1')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await use({ port: (server.address() as AddressInfo).port, bytes: () => bytes })
    server.close()
  },
  more: async ({ shown }, use) => {
    await use({ lineDisplayPort: shown.port })
  },
})

test('a two-line display shows item, total and change, and never a balance', async ({ window, store, shown }) => {
  const { scanner, reader } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await scanner.send(ean13(ITEMS.apples.code))
  await expect.poll(shown.bytes).toMatch(/Apples, Gala.*6\.99/s)
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect.poll(shown.bytes).toMatch(/Laundry.*TOTAL\s+\$?29\.58/s)
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('button', { name: 'Redeem $20.00' })).toBeEnabled()
  await window.keyboard.press('F6')
  await window.getByRole('region', { name: 'Cash' }).getByRole('button', { name: '$40.00' }).click()
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  await expect.poll(shown.bytes).toContain('10.40')
  expect(shown.bytes()).not.toMatch(/4,?750|12,?300|500\.00|80000000011/)
})
