import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PrinterDevice } from '../../contracts/core/profile.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../contracts/core/receipt.ts'
import type { Printer, PrinterEvent } from '../device.ts'
import { recorder } from '../serial/listener.fixture.ts'
import { openPty } from '../serial/pty.fixture.ts'
import { type VirtualBench, openVirtualBench } from '../virtual/bench.ts'
import { openPrinter } from './printer.ts'

let folder: string
let bench: VirtualBench
let printer: Printer
let listener: ReturnType<typeof recorder<PrinterEvent>>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'milepost-paper-'))
  bench = await openVirtualBench({ paperFolder: folder })
  listener = recorder<PrinterEvent>()
  printer = openPrinter(PrinterDevice.parse({ connection: bench.connections.printer }), listener, { pollMs: 50 })
})
afterEach(async () => {
  await printer.close()
  await bench.close()
  await rm(folder, { recursive: true, force: true })
})

const receipt = (...blocks: ReceiptBlock[]): ReceiptDocument => ({ locale: 'fr-CA', title: 'Reçu', blocks })
const oneLine = (text: string): ReceiptDocument => receipt({ kind: 'text', text, align: 'left' })
const print = (document: ReceiptDocument, openDrawer = false) => printer.print({ document, openDrawer, copy: 0 })

test('a printed receipt has the lines of its document, and the printer confirms it', async () => {
  const paper = bench.nextPaper()
  const outcome = await print(
    receipt(
      { kind: 'text', text: 'Épicerie Noël', align: 'center', size: 'large', bold: true },
      { kind: 'row', left: 'Crème glacée à la vanille de Madagascar, 2 L', right: '12,34\u202f€' },
      { kind: 'rule' },
      { kind: 'row', left: 'Total', right: '12,34\u00a0$', bold: true },
      { kind: 'space' },
      { kind: 'barcode', symbology: 'code128', data: 'N10101X20261121162004' },
    ),
    true,
  )
  expect(outcome).toEqual({ state: 'confirmed', detail: null })
  expect(await paper).toBe(
    [
      '    Épicerie Noël',
      'Crème glacée à la vanille de',
      'Madagascar, 2 L                    12,34 €',
      '-'.repeat(42),
      'Total                              12,34 $',
      '',
      '[Code 128: N10101X20261121162004]',
      '          N10101X20261121162004',
      '',
    ].join('\n'),
  )
  expect(bench.drawerKicks).toBe(1)
  expect(await readdir(folder)).toEqual(['0001.txt'])
  expect(await readFile(join(folder, '0001.txt'), 'utf8')).toBe(await paper)
})

test('printer commands in names and codes are printed as text and do not open the drawer', async () => {
  const paper = bench.nextPaper()
  await print(
    receipt(
      { kind: 'row', left: 'Milk\x1bp0\x19\xfa', right: '\x1b@\x1dV\x00' },
      { kind: 'text', text: '\x10\x14\x01\x00\x01 cat\x1bp0', align: 'left' },
      // Encoded in pairs, the digits 16 20 01 would be DLE DC4 1: open the drawer immediately.
      { kind: 'barcode', symbology: 'code128', data: '001620010505' },
      { kind: 'barcode', symbology: 'code128', data: '\x1bp0ABC' },
    ),
  )
  expect(bench.drawerKicks).toBe(0)
  expect(await paper).toContain(`Milkp0ú${' '.repeat(33)}@V`)
  expect(await paper).toContain(' catp0')
  expect(await paper).toContain('[Code 128: 001620010505]')
  expect(await paper).not.toContain('not understood')
})

test('queued jobs are printed in order, once each', async () => {
  const outcomes = await Promise.all(Array.from({ length: 10 }, (_, index) => print(oneLine(`job ${index}`))))
  expect(outcomes.every((outcome) => outcome.state === 'confirmed')).toBe(true)
  expect(bench.documents).toEqual(Array.from({ length: 10 }, (_, index) => `job ${index}\n`))
})

test('a printer without paper reports that, and a job then fails without being printed', async () => {
  await listener.until('ready')
  await bench.play('paper-out')
  expect(await listener.until('needs-attention')).toEqual({ state: 'needs-attention', detail: 'paper out' })
  expect(await print(oneLine('later'))).toEqual({ state: 'failed', detail: 'paper out' })
  await bench.play('paper-ok')
  await listener.until('ready')
  expect(await print(oneLine('now'))).toEqual({ state: 'confirmed', detail: null })
  expect(bench.documents).toEqual(['now\n'])
})

test('a job that runs out of paper has an unknown outcome and is not printed again', async () => {
  await bench.play('paper-out-during-job')
  expect(await print(oneLine('half'), true)).toEqual({ state: 'unknown', detail: 'paper out during the job' })
  const paper = bench.nextPaper()
  await bench.play('paper-ok')
  await paper
  expect(await print(oneLine('next'))).toEqual({ state: 'confirmed', detail: null })
  expect(bench.documents.filter((text) => text.includes('half'))).toHaveLength(1)
})

test('a job has an unknown outcome if the printer is unplugged while the job is sent', async () => {
  await bench.play('printer-unplugged-during-job')
  expect((await print(oneLine('x'.repeat(400)))).state).toBe('unknown')
  expect(await print(oneLine('next'))).toEqual({ state: 'confirmed', detail: null })
})

test('a job to a printer that has never answered is reported as sent, not as confirmed', async () => {
  await printer.close()
  await bench.play('printer-silent')
  printer = openPrinter(PrinterDevice.parse({ connection: bench.connections.printer }), listener, { pollMs: 50 })
  const paper = bench.nextPaper()
  expect(await print(oneLine('hello'))).toEqual({ state: 'sent', detail: 'the printer does not report its status' })
  expect(await paper).toBe('hello\n')
})

test('a job has an unknown outcome if the printer answered before but stopped answering', async () => {
  await listener.until('ready')
  await bench.play('printer-silent')
  expect(await print(oneLine('hello'))).toEqual({ state: 'unknown', detail: 'the printer stopped answering' })
})

test('a printer that does not answer for a moment is asked again, and the job is confirmed', async () => {
  await listener.until('ready')
  await bench.play('printer-silent')
  const outcome = print(oneLine('hello'))
  await setTimeout(700)
  await bench.play('printer-talks')
  expect(await outcome).toEqual({ state: 'confirmed', detail: null })
})

test('a job to an unreachable printer fails, and the printer is reported as unavailable', async () => {
  await bench.play('printer-off')
  expect((await listener.until('unavailable')).detail).toContain('ECONNREFUSED')
  expect((await print(oneLine('lost'))).state).toBe('failed')
  await bench.play('printer-on')
  await listener.until('ready')
  expect((await print(oneLine('back'))).state).toBe('confirmed')
})

test('a job waits while the printer refuses connections, and is printed once when it accepts one', async () => {
  await bench.play('printer-off')
  const outcome = print(oneLine('patient'))
  await bench.play('printer-on')
  expect(await outcome).toEqual({ state: 'confirmed', detail: null })
  expect(bench.documents).toEqual(['patient\n'])
})

test('closing a printer fails its waiting jobs and later jobs', async () => {
  await bench.play('printer-off')
  const waiting = [print(oneLine('first')), print(oneLine('second'))]
  await printer.close()
  expect(await Promise.all(waiting)).toEqual(Array(2).fill({ state: 'failed', detail: expect.any(String) }))
  expect(bench.documents).toEqual([])
  expect(await print(oneLine('late'))).toEqual({ state: 'failed', detail: 'the printer was closed' })
})

test('a job to a printer whose connection is a file is written to that file, or fails without its folder', async () => {
  const path = join(folder, 'out.bin')
  const toFile = openPrinter(PrinterDevice.parse({ connection: { kind: 'file', path } }), recorder<PrinterEvent>())
  expect(await toFile.print({ document: oneLine('to a file'), openDrawer: false, copy: 0 })).toEqual({
    state: 'sent',
    detail: null,
  })
  expect((await readFile(path)).includes('to a file')).toBe(true)
  await toFile.close()
  const nowhere = openPrinter(
    PrinterDevice.parse({ connection: { kind: 'file', path: join(folder, 'no', 'such', 'place') } }),
    recorder(),
  )
  expect((await nowhere.print({ document: oneLine('x'), openDrawer: false, copy: 0 })).state).toBe('failed')
  await nowhere.close()
})

test('a job to a serial printer that never answers is reported as sent, and as failed if it is unplugged', async () => {
  const pty = await openPty()
  const health = recorder<PrinterEvent>()
  const serial = openPrinter(
    PrinterDevice.parse({ connection: { kind: 'serial', path: pty.path, baudRate: 115_200 } }),
    health,
  )
  await health.until('ready')
  expect((await serial.print({ document: oneLine('serial'), openDrawer: false, copy: 0 })).state).toBe('sent')
  await pty.unplug()
  await health.until('unavailable')
  expect((await serial.print({ document: oneLine('gone'), openDrawer: false, copy: 0 })).state).toBe('failed')
  await serial.close()
  await pty.close()
})

test('changes of a serial printer are reported without polling, also after a job', async () => {
  const far = bench.connections.printer
  if (far.kind !== 'tcp') throw new Error('virtual printers listen on loopback')
  const pty = await openPty(far)
  const health = recorder<PrinterEvent>()
  // The printer is polled once at the start and then not for an hour, so that later changes can only be unsolicited.
  const serial = openPrinter(
    PrinterDevice.parse({
      connection: { kind: 'serial', path: pty.path, baudRate: 115_200 },
      drawer: { openWhen: 'high' },
    }),
    health,
    { pollMs: 3_600_000 },
  )
  await health.until('ready')
  await bench.play('paper-out')
  expect(await health.until('needs-attention')).toEqual({ state: 'needs-attention', detail: 'paper out' })
  await bench.play('paper-ok')
  await health.until('ready')
  expect(await serial.print({ document: oneLine('a job'), openDrawer: false, copy: 0 })).toEqual({
    state: 'confirmed',
    detail: null,
  })
  // The first poll found the drawer closed; its opening must be reported before the next scheduled poll.
  await health.take(1)
  await bench.play('drawer-open')
  expect(await health.take(1)).toEqual([{ kind: 'drawer', position: 'open' }])
  await bench.play('cover-open')
  expect(await health.until('needs-attention')).toEqual({ state: 'needs-attention', detail: 'cover open' })
  await serial.close()
  await pty.close()
})
