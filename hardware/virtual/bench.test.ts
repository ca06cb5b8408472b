import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CardPatterns } from '../../contracts/profile.ts'
import { type CardRead, type Device, openCardReader, openPrinter, openScanner, openVirtualBench, type OpenVirtualBench, type Scan } from '../index.ts'
import { type Recorder, recorder } from '../serial/listener.fixture.ts'
import { createEscPosDecoder } from './esc-pos-decoder.ts'

let folder: string
let bench: OpenVirtualBench
let reads: Recorder<CardRead>
let scans: Recorder<Scan>
let devices: Device[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'milepost-bench-'))
  bench = await openVirtualBench({ paperFolder: folder })
  reads = recorder()
  scans = recorder()
  const patterns = CardPatterns.parse({})
  devices = [
    openCardReader({ connection: bench.connections.cardReader, patterns }, reads),
    openScanner({ connection: bench.connections.scanner, patterns }, scans),
  ]
  await Promise.all([reads.until('ready'), scans.until('ready')])
})
afterEach(async () => {
  await Promise.all(devices.map((device) => device.close()))
  await bench.close()
  await rm(folder, { recursive: true, force: true })
})

test('the cards of the training panel', async () => {
  bench.swipe('80000000011')
  expect(await reads.take(1)).toEqual([{ kind: 'program-card', collectorNumber: '80000000011' }])
  bench.swipe('4111111111111111')
  expect(await reads.take(1)).toEqual([{ kind: 'foreign-card' }])
  bench.scan('80000000022')
  bench.scan('4111111111111111')
  bench.scan('0628451101000')
  bench.scan('N10101X20261121000123')
  expect(await scans.take(4)).toEqual([
    { kind: 'collector', collectorNumber: '80000000022' }, { kind: 'foreign-card' }, { kind: 'item', code: '0628451101000' }, { kind: 'receipt', saleId: 'N10101X20261121000123' },
  ])
})

test('scenarios of the reader\'s cable', async () => {
  await bench.play('swipe-unreadable')
  expect(await reads.take(1)).toEqual([{ kind: 'unreadable' }])
  await bench.play('card-reader-noise')
  expect(await reads.take(1)).toEqual([{ kind: 'unreadable' }])
  await bench.play('card-reader-unplugged')
  await reads.until('unavailable')
  await bench.play('card-reader-plugged')
  await reads.until('ready')
  bench.swipe('80000000011')
  expect((await reads.take(1))[0]?.kind).toBe('program-card')
})

test('papers are numbered on from what the folder holds', async () => {
  for (const round of [1, 2]) {
    const lane = await openVirtualBench({ paperFolder: folder })
    const printer = openPrinter({ connection: lane.connections.printer, language: 'esc-pos', columns: 42 }, { onHealth: () => undefined })
    const paper = lane.nextPaper()
    await printer.print({ document: { locale: 'en-CA', title: '', blocks: [{ kind: 'text', text: `paper ${round}`, align: 'left' }] }, openDrawer: false, copy: 0 })
    expect(await paper).toBe(`paper ${round}\n`)
    await printer.close()
    await lane.close()
  }
  expect((await readdir(folder)).sort()).toEqual(['0001.txt', '0002.txt'])
})

test('the decoder reads commands that are cut anywhere', () => {
  const bytes = Buffer.from('\x1b@\x1bt\x10Caf\xe9\n\x1dh\x50\x1dkI\x06{C\x01\x02\x03\x04\x1bp\x00\x19\xfa\x1dV\x01', 'latin1')
  const decoder = createEscPosDecoder()
  const marks = []
  for (const byte of bytes) {
    decoder.push(Uint8Array.of(byte))
    for (let mark = decoder.next(); mark !== null; mark = decoder.next()) marks.push(mark)
  }
  expect(marks).toEqual([{ kind: 'line', text: 'Café' }, { kind: 'barcode', symbology: 'Code 128', text: '01020304' }, { kind: 'drawer' }, { kind: 'cut' }])
  expect(decoder.pending).toBe(0)
})
