import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PrinterDevice, PrinterLanguage } from '../../contracts/core/profile.ts'
import type { PrinterEvent, PrintRequest } from '../device.ts'
import { recorder } from '../serial/listener.fixture.ts'
import { openPty } from '../serial/pty.fixture.ts'
import { openVirtualPrinter } from '../virtual/virtual-printer.ts'
import { openPrinter } from './printer.ts'
import { createEscPosProtocol } from './status.ts'
import { StarProtocol } from './star-status.ts'

const oneLine = (text: string): PrintRequest => ({
  document: { locale: 'en-CA', title: '', blocks: [{ kind: 'text', text, align: 'left' }] },
  openDrawer: false,
  copy: 0,
})
const wellSent = (): Promise<void> => Promise.resolve()
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

const EXPECTED = {
  'esc-pos': {
    manufacturerName: 'MILEPOST',
    modelName: 'VIRTUAL-80',
    firmwareRevision: '1.2',
    serialNumber: 'V0000042',
  },
  'star-prnt': { manufacturerName: null, modelName: 'VIRTUAL-80', firmwareRevision: '1.2', serialNumber: 'V0000042' },
  'star-line': { manufacturerName: null, modelName: 'VIRTUAL-80', firmwareRevision: '1.2', serialNumber: null },
} as const satisfies Record<PrinterLanguage, object>

async function farPrinter(language: PrinterLanguage) {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-identity-'))
  const far = await openVirtualPrinter(folder, language, () => undefined)
  onTestFinished(async () => {
    await far.port.unplug()
    await far.roll.written()
    await rm(folder, { recursive: true, force: true })
  })
  return far
}

test.each(
  PrinterLanguage.options.flatMap(
    (language) =>
      [
        [language, 'tcp'],
        [language, 'serial'],
      ] as const,
  ),
)('a %s printer on %s reports its identity and confirms the next job', async (language, wire) => {
  const far = await farPrinter(language)
  const health = recorder<PrinterEvent>()
  const pty = wire === 'serial' ? await openPty(far.port.connection) : null
  const connection = pty ? { kind: 'serial' as const, path: pty.path, baudRate: 115_200 } : far.port.connection
  const printer = openPrinter(PrinterDevice.parse({ connection, language }), health)
  onTestFinished(async () => {
    await printer.close()
    await pty?.close()
  })
  await health.until('ready')
  expect(printer.identity).toEqual(EXPECTED[language])
  expect(await printer.print(oneLine('after it'))).toEqual({ state: 'confirmed', detail: null })
  expect(far.roll.cut).toEqual(['after it\n'])
})

test('a printer that reports no identity is asked for it once per connection', async () => {
  let requests = 0
  let polls = 0
  let wake = (): void => undefined
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        requests += chunk.toString('latin1').split('\x1dI').length - 1
        for (let at = 0; at < chunk.length; at += 1) {
          if (chunk[at] === 0x10 && chunk[at + 1] === 0x04) socket.write(Uint8Array.of(0x12))
          if (chunk[at] === 0x1d && chunk[at + 1] === 0x72) socket.write(Uint8Array.of(0x00))
        }
        polls += 1
        wake()
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    server.close()
  })
  const health = recorder<PrinterEvent>()
  const printer = openPrinter(PrinterDevice.parse({ connection: { kind: 'tcp', host: '127.0.0.1', port } }), health, {
    pollMs: 5,
  })
  onTestFinished(() => printer.close())
  const pollsMore = async (count: number): Promise<void> => {
    const until = polls + count
    while (polls < until)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  await health.until('ready')
  await pollsMore(40)
  expect([requests, printer.identity]).toEqual([1, null])
  expect(await printer.print(oneLine('quiet'))).toEqual({ state: 'confirmed', detail: null })
  server.close()
  for (const socket of sockets) socket.destroy()
  await health.until('unavailable')
  server.listen(port, '127.0.0.1')
  await health.until('ready')
  await pollsMore(40)
  expect(requests).toBe(2)
})

test('a printer without paper has no identity until it can print again', async () => {
  const far = await farPrinter('esc-pos')
  far.paper = 'out'
  const health = recorder<PrinterEvent>()
  const printer = openPrinter(PrinterDevice.parse({ connection: far.port.connection }), health, { pollMs: 30 })
  onTestFinished(() => printer.close())
  await health.until('needs-attention')
  expect(printer.identity).toBeNull()
  far.paper = 'ok'
  await health.until('ready')
  expect(printer.identity?.modelName).toBe('VIRTUAL-80')
})

test('a late ESC/POS identity answer is not taken as the confirmation of a job', async () => {
  const protocol = createEscPosProtocol(() => undefined)
  let isFinished = false
  const finished = protocol.finish(wellSent, 10_000).finally(() => {
    isFinished = true
  })
  protocol.push(latin1('_EPSON @AB\x00'))
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(isFinished).toBe(false)
  protocol.push(Uint8Array.of(0x00))
  expect(await finished).toBe('worked-through')
})

test('a truncated ESC/POS identity answer does not corrupt later answers', async () => {
  const protocol = createEscPosProtocol(() => undefined)
  protocol.push(latin1('_TM-T'))
  const finished = protocol.finish(wellSent, 10_000)
  protocol.push(Uint8Array.of(0x0c))
  expect(await finished).toBe('paper-out')
  const who = protocol.identify(wellSent)
  protocol.push(latin1(`_${'x'.repeat(5_000)}\x00`))
  // After a request without an answer, the remaining ones were not sent.
  expect((await who)?.manufacturerName).toBe('x'.repeat(80))
})

test('a Star identity with bytes of a status block (# or B) is not read as a status', async () => {
  const conditions: string[] = []
  const protocol = new StarProtocol(() => {
    conditions.push('news')
  }, 'star-prnt')
  const pending = protocol.ask(wellSent)
  protocol.push(latin1('\x1b#*,TSP#BBBBBBBBVer2.1\n\x00'))
  let isFinished = false
  void pending.finally(() => {
    isFinished = true
  })
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect([isFinished, conditions]).toEqual([false, []])
  protocol.push(Uint8Array.of(0x23, 0x06, 0x20, 0, 0, 0, 0, 0, 0))
  expect(await pending).toMatchObject({ detail: 'cover open' })
})

test('in a Star identity the model is the text before "Ver", or the whole text without "Ver"', async () => {
  for (const [answer, modelName, firmwareRevision] of [
    ['TSP743II Ver3.0', 'TSP743II', '3.0'],
    ['HSP7000Ver.1.0', 'HSP7000', '1.0'],
    ['POP10', 'POP10', null],
  ] as const) {
    const protocol = new StarProtocol(() => undefined, 'star-line')
    const who = protocol.identify(wellSent)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    protocol.push(latin1(`\x1b#*,${answer}\n\x00`))
    expect(await who).toEqual({ manufacturerName: null, modelName, firmwareRevision, serialNumber: null })
  }
})
