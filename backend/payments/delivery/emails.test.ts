import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { expect, test } from 'vitest'
import { eventually } from '../../core/http/testing.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { type Delivery, DeliveryList } from '../../../contracts/payments/receipt-delivery.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy } from '../../../packages/lab/testing/return-steps.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'
import { systemClock } from '../../core/clock.ts'
import { ReceiptEmail } from '../../../contracts/core/profile.ts'
import { writeMailPassword } from './mail.ts'
import { type SmtpServer, openSmtpServer } from './smtp-server.fixture.ts'

const central = useCentral()
const ADDRESS = 'marie.tremblay@customer.example'
const DEAD_PORT = 9

const setting = (port: number, change: Partial<ReceiptEmail> = {}): TerminalHarnessOptions => ({
  receipt: {
    email: ReceiptEmail.parse({ host: '127.0.0.1', port, tls: 'none', sender: 'receipts@store.example', ...change }),
  },
})

async function openSale(smtp: Pick<SmtpServer, 'port'>, change: TerminalHarnessOptions = {}) {
  const lane = await openTerminalHarness(central, { ...setting(smtp.port), staffId: 'sam', ...change })
  const sale = await buy(lane, [[APPLES, 2]])
  return { lane, sale }
}

const send = (lane: TerminalHarness, saleId: string, more: object = {}) =>
  lane.call('POST', `/api/sales/${saleId}/email`, { address: ADDRESS, locale: 'en-CA', ...more })

const listed = async (lane: TerminalHarness): Promise<Delivery[]> =>
  DeliveryList.parse((await lane.call('GET', '/api/receipt-deliveries')).body).deliveries

const ended = (lane: TerminalHarness, state: string): Promise<unknown> =>
  lane.event(
    (one): one is Extract<TerminalEvent, { type: 'receipt-delivery' }> =>
      one.type === 'receipt-delivery' && one.state === state,
  )

function decoded(data: string): string {
  return data
    .split(/^----_.*$/m)
    .map((part) => {
      const [head = '', ...body] = part.split('\r\n\r\n')
      const text = body.join('\r\n\r\n')
      if (/base64/i.test(head)) return Buffer.from(text, 'base64').toString('latin1')
      if (!/quoted-printable/i.test(head)) return part
      const bytes = text
        .replace(/=\r\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      return Buffer.from(bytes, 'latin1').toString('utf8')
    })
    .join('\n')
}

test.each(['en-CA', 'fr-CA'] as const)('a receipt is sent by e-mail in %s with its invoice as PDF', async (locale) => {
  const smtp = await openSmtpServer()
  const { lane, sale } = await openSale(smtp)
  const answer = await send(lane, sale.id, { locale, buyer: { name: 'Atelier Côté inc.' } })
  expect(answer.body.delivery).toMatchObject({ saleId: sale.id, state: 'waiting', problem: null })
  await ended(lane, 'sent')
  const [mail] = smtp.mails
  expect(mail).toMatchObject({ from: 'receipts@store.example', to: [ADDRESS] })
  const text = decoded(mail?.data ?? '')
  const [total, once] = { 'en-CA': ['TOTAL', 'The store deleted'], 'fr-CA': ['TOTAL', 'a été supprimée'] }[locale]
  for (const part of [total, once, sale.id, '%PDF-1.4']) expect(text).toContain(part)
  expect(mail?.data).toContain(`Content-Language: ${locale}`)
  expect(mail?.data).toContain('Auto-Submitted: auto-generated')
})

test('a customer’s e-mail address is in no answer, log line, audit entry, table or file after sending', async () => {
  const smtp = await openSmtpServer()
  const { lane, sale } = await openSale(smtp)
  const { body } = await send(lane, sale.id, { buyer: { name: 'Quincaillerie Lévesque' } })
  await ended(lane, 'sent')
  expect(lane.read('SELECT state, message FROM receipt_delivery')).toEqual([{ state: 'sent', message: null }])
  const everywhere = [
    JSON.stringify(body),
    lane.logLines(),
    JSON.stringify(lane.events()),
    JSON.stringify((await lane.call('GET', '/api/audit')).body),
    JSON.stringify(lane.read('SELECT * FROM audit_entry')),
    JSON.stringify(lane.read('SELECT * FROM journal_entry')),
    ...filesBelow(lane.folder).map((file) => readFileSync(file, 'latin1')),
  ]
  for (const text of everywhere) {
    expect(text).not.toContain(ADDRESS)
    expect(text).not.toContain('Quincaillerie')
  }
})

test('a waiting receipt e-mail is stored sealed: its address is in no file', async () => {
  const { lane, sale } = await openSale({ port: DEAD_PORT })
  await send(lane, sale.id)
  await eventually(async () => expect(await listed(lane)).toMatchObject([{ state: 'waiting', problem: 'unreachable' }]))
  for (const file of filesBelow(lane.folder)) expect(readFileSync(file, 'latin1')).not.toContain(ADDRESS)
})

test('a receipt e-mail waits while the mail server is unreachable, and sales continue', async () => {
  const { lane, sale } = await openSale({ port: DEAD_PORT })
  expect((await send(lane, sale.id)).status).toBe(200)
  await eventually(async () => expect(await listed(lane)).toMatchObject([{ problem: 'unreachable' }]))
  const next = await buy(lane, [[APPLES, 1]])
  expect(next.id).not.toBe(sale.id)
  await lane.printed(next.id)
})

test('a receipt e-mail that waited is sent after a restart of the lane', async () => {
  const { lane, sale } = await openSale({ port: DEAD_PORT })
  await send(lane, sale.id)
  await eventually(async () => expect(await listed(lane)).toMatchObject([{ problem: 'unreachable' }]))
  await lane.close()
  const smtp = await openSmtpServer()
  const later = { ...setting(smtp.port), staffId: 'sam', folder: lane.folder } as const
  // The clock is an hour ahead, so the wait of thirty seconds before the next try is over.
  const clock = { ...systemClock, now: () => Date.now() + 3_600_000 }
  const again = await openTerminalHarness(central, { ...later, clock })
  await smtp.received(1)
  await eventually(async () => expect(await listed(again)).toEqual([]))
})

test('a refused e-mail address is not retried, and is listed for the manager until it is marked as seen', async () => {
  const smtp = await openSmtpServer({ reply: (verb) => (verb === 'RCPT' ? '550 no such mailbox' : null) })
  const { lane, sale } = await openSale(smtp)
  await send(lane, sale.id)
  await ended(lane, 'failed')
  const [failure] = await listed(lane)
  expect(failure).toMatchObject({ saleId: sale.id, state: 'failed', problem: 'refused', by: 'Sam Okafor' })
  expect(lane.read('SELECT message FROM receipt_delivery')).toEqual([{ message: null }])
  expect((await lane.call('POST', `/api/receipt-deliveries/${failure?.id}/seen`)).body.deliveries).toEqual([])
  expect(await lane.refused('POST', `/api/receipt-deliveries/${sale.id}/seen`)).not.toBe('')
})

test('a busy mail server gets a receipt e-mail again, with the same message id', async () => {
  let busy = true
  const smtp = await openSmtpServer({ reply: (verb) => (verb === 'DATA' && busy ? '451 try later' : null) })
  const clock = { ahead: 0 }
  const { lane, sale } = await openSale(smtp, {
    clock: {
      ...systemClock,
      now: () => Date.now() + clock.ahead,
      after: (ms, run) => systemClock.after(Math.min(ms, 20), run),
    },
  })
  await send(lane, sale.id)
  await eventually(async () => expect(await listed(lane)).toMatchObject([{ state: 'waiting', problem: 'busy' }]))
  busy = false
  clock.ahead = 31_000
  await smtp.received(1)
  expect(smtp.connections()).toBeGreaterThan(1)
  const [row] = lane.read<{ id: string }>('SELECT id FROM receipt_delivery')
  expect(smtp.mails[0]?.data).toContain(`Message-ID: <${row?.id}@store.example>`)
})

test('a receipt e-mail that no mail server accepts fails after three days', async () => {
  const clock = { ahead: 0 }
  const { lane, sale } = await openSale(
    { port: DEAD_PORT },
    {
      clock: {
        ...systemClock,
        now: () => Date.now() + clock.ahead,
        after: (ms, run) => systemClock.after(Math.min(ms, 20), run),
      },
    },
  )
  await send(lane, sale.id)
  await eventually(async () => expect(await listed(lane)).toMatchObject([{ problem: 'unreachable' }]))
  clock.ahead = 3 * 24 * 3_600_000 + 1_000
  await ended(lane, 'failed')
  expect(await listed(lane)).toMatchObject([{ state: 'failed', problem: 'unreachable' }])
})

test('the lane signs in to the mail server with the sealed password; a missing password is listed', async () => {
  const smtp = await openSmtpServer()
  const { lane, sale } = await openSale(smtp, setting(smtp.port, { user: 'store@mail.example' }))
  await send(lane, sale.id)
  await eventually(async () => expect(await listed(lane)).toMatchObject([{ state: 'waiting', problem: 'sign-in' }]))
  expect(smtp.connections()).toBe(0)
  const key = Buffer.from(readFileSync(join(lane.folder, 'seal.key'), 'utf8').trim(), 'base64')
  writeMailPassword(lane.folder, key, 'made-up password')
  expect(readFileSync(join(lane.folder, 'mail-password.sealed'), 'latin1')).not.toContain('made-up')
  await send(lane, sale.id)
  await smtp.received(1)
  expect(smtp.mails[0]?.user).toBe('store@mail.example')
})

test('a mail server without TLS, or with an untrusted certificate, gets neither password nor address', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'other.example' }], { keySize: 2048 })
  for (const certificate of [undefined, { cert, key }]) {
    const smtp = await openSmtpServer(certificate ? { certificate } : {})
    const { lane, sale } = await openSale(smtp, setting(smtp.port, { tls: 'starttls' }))
    await send(lane, sale.id)
    await eventually(async () => expect(await listed(lane)).toMatchObject([{ problem: 'not-secure' }]))
    expect(smtp.mails).toEqual([])
    await lane.close()
  }
})

test('a lane without a mail server refuses to e-mail a receipt', async () => {
  const lane = await openTerminalHarness(central)
  const sale = await buy(lane, [[APPLES, 1]])
  expect(await lane.refused('POST', `/api/sales/${sale.id}/email`, { address: ADDRESS, locale: 'en-CA' })).toBe(
    'email-off',
  )
})

/** Returns the files of the lane except its cache, to which it is still writing pictures of offers. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('cache'))
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
}
