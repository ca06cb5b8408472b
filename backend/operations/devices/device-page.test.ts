import { expect, test } from 'vitest'
import { DeviceDetailsList, TestPageAnswer, TestReadAnswer } from '../../../contracts/operations/devices.ts'
import { DeviceList } from '../../../contracts/operations/diagnostics.ts'
import { TrainingPanel } from '../../../contracts/operations/training.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const detailsOf = async (harness: TerminalHarness) => {
  const { devices } = DeviceDetailsList.parse((await harness.call('GET', '/api/devices/details')).body)
  return (role: string) => devices.find((device) => device.role === role)
}
const ready = async (harness: TerminalHarness) =>
  DeviceList.parse((await harness.call('POST', '/api/devices/check', {})).body)

test('the device page shows each device with its masked last read, and messages without their content', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  await harness.swipe('fine')
  const at = await detailsOf(harness)
  expect(at('card-reader')).toMatchObject({
    connection: { kind: 'virtual' },
    statistics: { reads: 1 },
    lastRead: { kind: 'program-card', shown: '0011' },
  })
  expect(at('card-reader')?.bytes.map(({ text }) => text)).toEqual([expect.stringMatching(/^;#{11}=#{15}\?.<CR>$/)])
  expect(at('printer')).toMatchObject({
    language: 'esc-pos',
    columns: 42,
    jobs: { confirmed: 0, sent: 0, unknown: 0, failed: 0 },
  })
  expect(at('line-display')).toMatchObject({
    category: 'LineDisplay',
    language: 'cd5220',
    statistics: { onlineTransitionCount: 1, communicationErrorCount: 0 },
    jobs: null,
  })
  expect(
    JSON.stringify(DeviceDetailsList.parse((await harness.call('GET', '/api/devices/details')).body)),
  ).not.toContain('80000000011')
})

test('the device page shows a payment card’s track without its digits and letters', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  await harness.call('POST', '/api/training/swipe', { cardId: 'payment' })
  await harness.event(
    (event): event is Extract<TerminalEvent, { type: 'card-refused' }> => event.type === 'card-refused',
  )
  const reader = (await detailsOf(harness))('card-reader')
  expect(reader).toMatchObject({ statistics: { refused: 1 }, lastRead: { kind: 'foreign-card', shown: null } })
  expect(reader?.bytes.map(({ text }) => text).join('')).not.toMatch(/[0-8]/)
})

test('a running device test gets the next read, which rings nothing and looks up no collector', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  await ready(harness)
  const answer = harness.call('POST', '/api/devices/test-read', { role: 'scanner' })
  // Both requests use one connection, so the test's request arrives before the scan.
  await harness.call('GET', '/api/devices')
  await harness.call('POST', '/api/training/scan', { code: '0628451101000' })
  expect(TestReadAnswer.parse((await answer).body).read).toMatchObject({ kind: 'item', shown: '0628451101000' })
  expect(await harness.current()).toBeNull()
  await harness.call('POST', '/api/training/scan', { code: '0628451101000' })
  expect((await harness.until((sale) => sale.lines.length === 1)).lines).toHaveLength(1)
})

test('a test page is printed and counted, but not as a receipt, and a printer without paper is reported', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  expect(TestPageAnswer.parse((await harness.call('POST', '/api/devices/test-page')).body)).toEqual({
    state: 'confirmed',
    detail: null,
  })
  const { lastPaper } = TrainingPanel.parse((await harness.call('GET', '/api/training/panel')).body)
  expect(lastPaper).toContain('TEST PAGE')
  expect(lastPaper).toContain('Not a receipt.')
  expect(lastPaper).toContain('àâçèéêëîïôùû ÀÂÇÈÉÊËÎÏÔÙÛ œŒ €')
  await harness.call('POST', '/api/training/play', { scenario: 'paper-out' })
  expect(TestPageAnswer.parse((await harness.call('POST', '/api/devices/test-page')).body)).toEqual({
    state: 'failed',
    detail: 'paper out',
  })
  const printer = (await detailsOf(harness))('printer')
  expect(printer?.jobs).toEqual({ confirmed: 1, sent: 0, unknown: 0, failed: 1 })
  expect(printer).toMatchObject({
    category: 'POSPrinter',
    identity: { manufacturerName: 'MILEPOST', modelName: 'VIRTUAL-80' },
    statistics: { paperCutCount: 1, communicationErrorCount: 0 },
  })
  expect(printer?.statistics.receiptLinePrintedCount).toBe(
    lastPaper?.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('[')).length,
  )
  // A test page is not a receipt that was never printed.
  expect((await harness.call('GET', '/api/receipts')).body['notOnPaper']).toBe(0)
})

test('a check on the device page reports the current state of the printer', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  await ready(harness)
  await harness.call('POST', '/api/training/play', { scenario: 'cover-open' })
  const check = async () => (await ready(harness)).devices.find(({ role }) => role === 'printer')
  expect(await check()).toMatchObject({
    state: 'needs-attention',
    detail: 'cover open',
    trouble: { kind: 'cover-open' },
  })
  await harness.call('POST', '/api/training/play', { scenario: 'cover-closed' })
  expect(await check()).toMatchObject({ state: 'ready' })
})

test('only a manager can see the messages of a device and test it', async () => {
  const harness = await openTerminalHarness(central)
  expect(await harness.refused('GET', '/api/devices/details')).toBe('manager-required')
  expect(await harness.refused('POST', '/api/devices/test-page')).toBe('manager-required')
  expect(await harness.refused('POST', '/api/devices/test-read', { role: 'scanner' })).toBe('manager-required')
})
