import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PrinterDevice, PrinterLanguage } from '../../contracts/core/profile.ts'
import type { ReceiptBlock } from '../../contracts/core/receipt.ts'
import type { Printer, PrinterEvent } from '../device.ts'
import { type Recorder, recorder } from '../serial/listener.fixture.ts'
import { openPty } from '../serial/pty.fixture.ts'
import { openVirtualPrinter, type VirtualPrinter } from '../virtual/virtual-printer.ts'
import { openPrinter } from './printer.ts'

describe.each(PrinterLanguage.options)('statistics of a %s printer', (language) => {
  let folder: string
  let far: VirtualPrinter
  let printer: Printer
  let health: Recorder<PrinterEvent>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'milepost-counts-'))
    far = await openVirtualPrinter(folder, language, () => undefined)
    health = recorder()
    printer = openPrinter(
      PrinterDevice.parse({ connection: far.port.connection, language, drawer: { openWhen: 'high' } }),
      health,
      { pollMs: 20 },
    )
    await health.until('ready')
  })
  afterEach(async () => {
    await printer.close()
    await far.port.unplug()
    await far.roll.written()
    await rm(folder, { recursive: true, force: true })
  })
  const print = (blocks: ReceiptBlock[], openDrawer = false) =>
    printer.print({ document: { locale: 'en-CA', title: '', blocks }, openDrawer, copy: 0 })
  const text = (content: string): ReceiptBlock => ({ kind: 'text', text: content, align: 'left' })

  test('count lines, characters, codes and cuts of printed jobs only', async () => {
    await print([
      text('one two'),
      text('three'),
      { kind: 'qr', data: 'https://store.example/r' },
      { kind: 'barcode', symbology: 'ean13', data: '4006381333930' },
    ])
    const { statistics } = printer
    const lines = far.roll.cut
      .join('')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('['))
    expect(statistics).toMatchObject({
      receiptLinePrintedCount: lines.length,
      receiptCharacterPrintedCount: lines.join('').replaceAll(' ', '').length,
      barcodePrintedCount: 1,
      paperCutCount: 1,
    })
    far.paper = 'out'
    await health.until('needs-attention')
    expect((await print([text('never')])).state).toBe('failed')
    expect(printer.statistics).toMatchObject({
      receiptLinePrintedCount: lines.length,
      paperCutCount: 1,
      printerFaultCount: 0,
    })
  })

  test('count a fault once, when it begins, and not again with each status message', async () => {
    far.coverOpen = true
    await health.until('needs-attention')
    await printer.checkHealth()
    await printer.checkHealth()
    far.coverOpen = false
    await health.until('ready')
    far.fault = 'cutter'
    expect(await health.until('needs-attention')).toEqual({ state: 'needs-attention', detail: 'cutter error' })
    far.fault = 'head-too-hot'
    while (printer.health.detail !== 'print head too hot') await printer.checkHealth()
    far.fault = null
    await health.until('ready')
    await print([text('kept')])
    const before = printer.statistics
    expect(before).toMatchObject({
      receiptCoverOpenCount: 1,
      failedPaperCutCount: 1,
      maximumTempReachedCount: 1,
      printerFaultCount: 2,
      communicationErrorCount: 0,
      paperCutCount: 1,
    })
    await far.port.unplug()
    await health.until('unavailable')
    await printer.checkHealth()
    await far.port.plug()
    await health.until('ready')
    expect(printer.statistics).toEqual({ ...before, communicationErrorCount: 1 })
  })

  test('count a drawer pulse that opened the drawer or left it closed, but not one for an open drawer', async () => {
    await print([text('cash')], true)
    while (printer.drawerStatistics?.drawerGoodOpenCount === 0) await printer.checkHealth()
    // The drawer is still open, so another kick changes nothing.
    await print([text('again')], true)
    await printer.checkHealth()
    far.drawerOpen = false
    while (printer.drawer !== 'closed') await printer.checkHealth()
    far.drawerHeld = true
    await print([text('stuck')], true)
    await printer.checkHealth()
    expect(far.drawerKicks).toBe(3)
    expect(printer.drawerStatistics).toEqual({ drawerGoodOpenCount: 1, drawerFailedOpenCount: 1 })
  })
})

test('the statistics of a serial printer continue after it was unplugged and reconnected', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-counts-'))
  const far = await openVirtualPrinter(folder, 'esc-pos', () => undefined)
  const pty = await openPty(far.port.connection)
  const health = recorder<PrinterEvent>()
  const printer = openPrinter(
    PrinterDevice.parse({ connection: { kind: 'serial', path: pty.path, baudRate: 115_200 } }),
    health,
  )
  const print = () =>
    printer.print({
      document: { locale: 'en-CA', title: '', blocks: [{ kind: 'text', text: 'line', align: 'left' }] },
      openDrawer: false,
      copy: 0,
    })
  // On a busy machine a confirmation may come too late; such a job is not in the statistics, so this test prints
  // again.
  const printed = async (): Promise<void> => {
    await health.until('ready')
    while ((await print()).state !== 'confirmed') await health.until('ready')
  }
  await printed()
  const { communicationErrorCount: before } = printer.statistics
  await pty.unplug()
  await health.until('unavailable')
  const { communicationErrorCount: after } = printer.statistics
  expect(after).toBeGreaterThan(before)
  await pty.plug()
  await printed()
  const { receiptLinePrintedCount, paperCutCount, communicationErrorCount } = printer.statistics
  expect({ receiptLinePrintedCount, paperCutCount }).toEqual({ receiptLinePrintedCount: 2, paperCutCount: 2 })
  expect(communicationErrorCount).toBeGreaterThanOrEqual(after)
  expect(printer.drawerStatistics).toBeNull()
  await printer.close()
  await pty.close()
  await far.port.unplug()
  await far.roll.written()
  await rm(folder, { recursive: true, force: true })
})
