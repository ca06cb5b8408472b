import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CardPatterns } from '../../contracts/core/profile.ts'
import {
  type CardRead,
  type Device,
  type InputDevice,
  openCardReader,
  openPrinter,
  openScanner,
  openVirtualBench,
  type VirtualBench,
  type Scan,
} from '../index.ts'
import { type Recorder, recorder } from '../serial/listener.fixture.ts'
import { EscPosDecoder } from './esc-pos-decoder.ts'

let folder: string
let bench: VirtualBench
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

test('the drivers read the cards and barcodes that the virtual card reader and scanner send', async () => {
  bench.swipe('80000000011')
  expect(await reads.take(1)).toEqual([{ kind: 'program-card', collectorNumber: '80000000011' }])
  bench.swipe('4111111111111111')
  expect(await reads.take(1)).toEqual([{ kind: 'foreign-card' }])
  bench.scan('80000000022')
  bench.scan('4111111111111111')
  bench.scan('0628451101000')
  bench.scan('N1010100000042K7QZ')
  expect(await scans.take(4)).toEqual([
    { kind: 'collector', collectorNumber: '80000000022' },
    { kind: 'foreign-card' },
    { kind: 'item', code: '0628451101000' },
    { kind: 'receipt', saleId: 'N1010100000042K7QZ' },
  ])
})

test('the virtual card reader sends an unreadable swipe and noise, and its cable can be unplugged', async () => {
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

test('unplugging the virtual card reader or scanner during a message yields no read', async () => {
  await bench.play('card-reader-unplugged-during-swipe')
  await bench.play('scanner-unplugged-during-scan')
  await Promise.all([reads.until('unavailable'), scans.until('unavailable')])
  const others = { printer: true, 'line-display': true, scale: true }
  expect(bench.state.plugged).toEqual({ 'card-reader': false, scanner: false, ...others })
  await bench.play('all-well')
  await Promise.all([reads.until('ready'), scans.until('ready')])
  bench.swipe('80000000022')
  bench.scan('0628451101000')
  expect(await reads.take(1)).toEqual([{ kind: 'program-card', collectorNumber: '80000000022' }])
  expect(await scans.take(1)).toEqual([{ kind: 'item', code: '0628451101000' }])
})

test('noise from the virtual scanner is only counted, and the next scan is read', async () => {
  const [, scanner] = devices
  await bench.play('scanner-chatters')
  while ((scanner as InputDevice).statistics.noiseBytes < 4_000) await new Promise(setImmediate)
  bench.scan('0628451101000')
  expect(await scans.take(1)).toEqual([{ kind: 'item', code: '0628451101000' }])
})

test('a scenario for the next print job stays listed as waiting until it has happened', async () => {
  const notices: string[] = []
  let notify = (): void => undefined
  const ownBench = await openVirtualBench({
    paperFolder: folder,
    onChange: () => {
      notices.push(ownBench.state.printer.cover)
      notify()
    },
  })
  const printer = openPrinter(
    { connection: ownBench.connections.printer, language: 'esc-pos', columns: 42 },
    { onHealth: () => undefined },
  )
  await ownBench.play('cover-open-during-job')
  expect(ownBench.state.waiting).toEqual(['cover-open-during-job'])
  const outcome = printer.print({
    document: {
      locale: 'en-CA',
      title: '',
      blocks: ['one', 'two', 'three'].map((text) => ({ kind: 'text', text, align: 'left' })),
    },
    openDrawer: false,
    copy: 0,
  })
  expect(await outcome).toEqual({ state: 'unknown', detail: 'cover open during the job' })
  while (!notices.includes('open'))
    await new Promise<void>((resolve) => {
      notify = resolve
    })
  expect(ownBench.state).toMatchObject({ waiting: [], printer: { cover: 'open' } })
  const paper = ownBench.nextPaper()
  await ownBench.play('all-well')
  expect(await paper).toBe('one\ntwo\nthree\n')
  await printer.close()
  await ownBench.close()
})

test('a virtual drawer that is held stays closed when a job should open it', async () => {
  const printer = openPrinter(
    { connection: bench.connections.printer, language: 'esc-pos', columns: 42 },
    { onHealth: () => undefined },
  )
  const kick = () => printer.print({ document: { locale: 'en-CA', title: '', blocks: [] }, openDrawer: true, copy: 0 })
  await bench.play('drawer-held')
  await kick()
  expect([bench.drawerKicks, bench.state.printer.drawer]).toEqual([1, 'closed'])
  await bench.play('drawer-free')
  await kick()
  expect([bench.drawerKicks, bench.state.printer.drawer]).toEqual([2, 'open'])
  await printer.close()
})

test('the files of printed papers continue the numbering of the files already in the folder', async () => {
  for (const round of [1, 2]) {
    const ownBench = await openVirtualBench({ paperFolder: folder })
    const printer = openPrinter(
      { connection: ownBench.connections.printer, language: 'esc-pos', columns: 42 },
      { onHealth: () => undefined },
    )
    const paper = ownBench.nextPaper()
    await printer.print({
      document: { locale: 'en-CA', title: '', blocks: [{ kind: 'text', text: `paper ${round}`, align: 'left' }] },
      openDrawer: false,
      copy: 0,
    })
    expect(await paper).toBe(`paper ${round}\n`)
    await printer.close()
    await ownBench.close()
  }
  expect((await readdir(folder)).sort()).toEqual(['0001.txt', '0002.txt'])
})

test('the ESC/POS decoder decodes printer commands that arrive byte by byte', () => {
  const bytes = Buffer.from(
    '\x1b@\x1bt\x10Caf\xe9\n\x1dh\x50\x1dkI\x06{C\x01\x02\x03\x04\x1bp\x00\x19\xfa\x1dV\x01',
    'latin1',
  )
  const decoder = new EscPosDecoder()
  const marks = []
  for (const byte of bytes) {
    decoder.push(Uint8Array.of(byte))
    for (let mark = decoder.next(); mark !== null; mark = decoder.next()) marks.push(mark)
  }
  expect(marks).toEqual([
    { kind: 'line', text: 'Café' },
    { kind: 'barcode', symbology: 'Code 128', text: '01020304' },
    { kind: 'drawer' },
    { kind: 'cut' },
  ])
  expect(decoder.pending).toBe(0)
})
