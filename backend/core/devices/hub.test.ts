import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Staff } from '../../../contracts/staff/session.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
import { voucherCodeOf } from '../scan-codes.ts'
import { temporaryFolder, testClock, testLog } from '../http/testing.ts'
import { trainingProfile } from '../../../packages/lab/testing/loyalty-harness.ts'
import { createInputCaptures, inputCapturesOf, inputDispatcherOf, inputEventsOf } from '../../sales/input/dispatcher.ts'
import { startCable } from './cable.fixture.ts'
import { badgeReadsOf, cardReadsOf, createCardReads, type PresentedCard } from './reads.ts'
import { openDeviceHub, type DeviceHub } from './hub.ts'
import { type CatalogService, catalogOf } from '../../catalog/catalog.ts'
import { type CouponTaking, couponTakingOf } from '../../sales/sale-changes/coupons.ts'
import { type Scanning, scanningOf } from '../../sales/scanning/scanning.ts'
import { type StaffService, staffOf } from '../../staff/sign-in.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'

interface Bench {
  readonly hub: DeviceHub
  readonly identified: readonly Omit<PresentedCard, 'readId'>[]
  enable(): void
  readonly events: readonly TerminalEvent[]
  readonly items: readonly string[]
  readonly vouchers: readonly string[]
  readonly log: () => string
  event<Type extends TerminalEvent['type']>(
    type: Type,
    fits?: (event: Extract<TerminalEvent, { type: Type }>) => boolean,
  ): Promise<Extract<TerminalEvent, { type: Type }>>
  item(code: string): Promise<void>
  scannedVouchers(count: number): Promise<readonly string[]>
}

async function bench(
  devices: LaneSettings['devices'],
  mode: Profile['mode'] = 'training',
  enabled = true,
): Promise<Bench> {
  const profile = { ...trainingProfile(), mode }
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  const { log, lines } = testLog()
  const cardReads = createCardReads(testClock(), 120_000)
  const identified: Omit<PresentedCard, 'readId'>[] = []
  const events: TerminalEvent[] = []
  const items: string[] = []
  const vouchers: string[] = []
  let waiting: (() => void)[] = []
  const wake = (): void => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }
  const publish = (event: TerminalEvent): void => {
    events.push(event)
    wake()
  }
  const ctx = testContext({ profile, lane: { ...lane, devices }, log, publish, signedIn: () => ALEX })
  const files = { paperFolder: join(temporaryFolder(), 'paper'), profileFile: 'store.yaml' }
  const hub = await openDeviceHub(ctx, files)
  cardReadsOf.provide(ctx, cardReads)
  inputCapturesOf.provide(
    ctx,
    createInputCaptures(testClock(), () => true),
  )
  inputEventsOf(ctx).on('card.presented', (card) => void identified.push(card))
  inputEventsOf(ctx).on('voucher.presented', (code) => {
    vouchers.push(code)
    wake()
  })
  scanningOf.provide(ctx, {
    scan(code: string) {
      items.push(code)
      wake()
    },
  } as unknown as Scanning)
  badgeReadsOf.provide(ctx, { hold: () => 'badge', take: () => undefined })
  staffOf.provide(ctx, { badges: { signIn: () => undefined } } as unknown as StaffService)
  catalogOf.provide(ctx, { findByBarcode: () => undefined, findBySku: () => undefined } as unknown as CatalogService)
  couponTakingOf.provide(ctx, { has: () => false } as unknown as CouponTaking)
  const dispatch = inputDispatcherOf(ctx)
  onTestFinished(() => hub.close())
  const enable = (): void => {
    hub.enable(dispatch)
  }
  if (enabled) enable()
  return {
    hub,
    identified,
    enable,
    events,
    items,
    vouchers,
    log: lines,
    async event(type, fits = () => true) {
      for (;;) {
        for (const event of events)
          if (event.type === type && fits(event as Extract<TerminalEvent, { type: typeof type }>))
            return event as Extract<TerminalEvent, { type: typeof type }>
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      }
    },
    async scannedVouchers(count) {
      while (vouchers.length < count)
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
      return vouchers
    },
    async item(code) {
      while (!items.includes(code))
        await new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
    },
  }
}

const ALEX: Staff = { id: StaffId.parse('alex'), name: 'Alex', role: 'cashier', locale: 'en-CA' }

const serial = (path: string) => ({ connection: { kind: 'serial' as const, path, baudRate: 9600 } })
const ready =
  (role: string) =>
  (event: Extract<TerminalEvent, { type: 'device-health' }>): boolean =>
    event.device.role === role && event.device.state === 'ready'

describe('device input', () => {
  test('keeps a swiped number in memory and shows its last four digits; no event or log contains it', async () => {
    const cable = await startCable()
    const here = await bench({ cardReader: serial(cable.path) })
    await here.event('device-health', ready('card-reader'))
    cable.send(';80000000011=29121010000000000?\r')
    const read = await here.event('card-read')
    expect(read).toMatchObject({ entryMode: 'SWIPE', last4: '0011' })
    expect(here.identified).toMatchObject([{ entryMode: 'SWIPE', collectorNumber: '80000000011' }])
    expect(JSON.stringify(here.events)).not.toContain('80000000011')
    expect(here.log()).toContain('0011')
    expect(here.log()).not.toContain('80000000011')
  })

  test('rejects a payment card, and neither passes on, publishes, logs nor looks up a part of it', async () => {
    const cable = await startCable()
    const here = await bench({ cardReader: serial(cable.path), scanner: serial((await startCable()).path) })
    await here.event('device-health', ready('card-reader'))
    cable.send('%B4111111111111111^TREMBLAY/ALEX^29121010000000000?;4111111111111111=29121010000000000?\r')
    expect(await here.event('card-refused')).toEqual({ type: 'card-refused', reason: 'not-a-program-card' })
    expect(JSON.stringify(here.events) + here.log() + here.items.join()).not.toMatch(/4111|1111|TREMBLAY/)
    expect(here.identified).toEqual([])
  })

  test('reports a swipe that cannot be read', async () => {
    const cable = await startCable()
    const here = await bench({ cardReader: serial(cable.path) })
    await here.event('device-health', ready('card-reader'))
    cable.send('%E?;E?\r')
    expect(await here.event('card-refused')).toEqual({ type: 'card-refused', reason: 'unreadable' })
  })

  test('reports a scan that cannot be read and rings nothing', async () => {
    const cable = await startCable()
    const here = await bench({ scanner: serial(cable.path) })
    await here.event('device-health', ready('scanner'))
    cable.send(']C0CAF\xc9-7\r')
    expect(await here.event('scan-unreadable')).toEqual({ type: 'scan-unreadable' })
    expect(here.items).toEqual([])
  })

  test('takes its entry mode from the device: a card track that the scanner sends is not a swipe', async () => {
    const cable = await startCable()
    const here = await bench({ scanner: serial(cable.path) })
    await here.event('device-health', ready('scanner'))
    cable.send(']C080000000022\r')
    const scanned = await here.event('card-read')
    expect(scanned).toMatchObject({ entryMode: 'SCAN', last4: '0022' })
    cable.send(';80000000033=29121010000000000?\r')
    expect(await here.event('card-read', ({ last4 }) => last4 === '0033')).toMatchObject({ entryMode: 'SCAN' })
  })

  test('rings an item, and looks up the store’s own codes as they were scanned', async () => {
    const cable = await startCable()
    const here = await bench({ scanner: serial(cable.path) })
    await here.event('device-health', ready('scanner'))
    cable.send(']E0012000003455\r')
    cable.send(']C0BAG5\r')
    await here.item('BAG5')
    expect(here.items).toEqual([expect.stringMatching(/^0*12000003455$/), 'BAG5'])
    expect(here.events.filter((event) => event.type === 'card-read')).toEqual([])
  })
})

describe('a scanner that types like a keyboard', () => {
  test('rings items like any other scanner', async () => {
    const here = await bench({})
    here.hub.typed('4006381333931')
    here.hub.typed('BAG5')
    expect(here.items).toEqual(['4006381333931', 'BAG5'])
  })

  test.each([
    ['a bare number', '80000000011'],
    ['a track', ';80000000011=29121010000000000?'],
    ['an identifier', ']C080000000011'],
  ])('enters %s as a keyed collector number, never as swiped or scanned', async (_case, text) => {
    const here = await bench({})
    here.hub.typed(text)
    const read = await here.event('card-read')
    expect(read).toMatchObject({ entryMode: 'KEYED', last4: '0011' })
    expect(here.identified).toMatchObject([{ entryMode: 'KEYED', collectorNumber: '80000000011' }])
    expect(JSON.stringify(here.events) + here.log()).not.toContain('80000000011')
  })

  test.each([['4111111111111111'], ['%B4111111111111111^TREMBLAY/ALEX^2912?;4111111111111111=2912?']])(
    'rejects the payment card %s',
    async (text) => {
      const here = await bench({})
      here.hub.typed(text)
      expect(await here.event('card-refused')).toEqual({ type: 'card-refused', reason: 'not-a-program-card' })
      expect(JSON.stringify(here.events) + here.log() + here.items.join()).not.toMatch(/4111|TREMBLAY/)
    },
  )
})

test('the barcode of a receipt identifies its sale and rings nothing', async () => {
  const cable = await startCable()
  const here = await bench({ scanner: serial(cable.path) })
  await here.event('device-health', ready('scanner'))
  cable.send(']C0N1010100000042K7QZ\r')
  expect(await here.event('receipt-scanned')).toEqual({ type: 'receipt-scanned', saleId: 'N1010100000042K7QZ' })
  expect(here.items).toEqual([])
  expect(here.events.filter(({ type }) => type === 'scan-unknown')).toEqual([])
})

test('voucher codes of this and earlier releases are recognised in a barcode and in a QR code', async () => {
  const cable = await startCable()
  const here = await bench({ scanner: serial(cable.path) })
  await here.event('device-health', ready('scanner'))
  const code = voucherCodeOf('01234567-89ab-4cde-8f01-234567890abc')
  for (const scan of [`]C0${code}`, `]Q1${code}`, ']Q1ABCDEFGHJKMNPQRTABQE', ']Q1NOODLESWITHBASILX'])
    cable.send(`${scan}\r`)
  expect(await here.scannedVouchers(3)).toEqual([code, code, 'ABCDEFGHJKMNPQRTABQE'])
  await here.item('NOODLESWITHBASILX')
  expect(JSON.stringify(here.events) + here.log() + here.items.join()).not.toContain(code)
})

test('a scan made before the terminal was ready is delivered as soon as the terminal is ready', async () => {
  const cable = await startCable()
  const here = await bench({ scanner: serial(cable.path) }, 'training', false)
  await here.event('device-health', ready('scanner'))
  cable.send(']C0EARLY\r')
  while (here.hub.details()[0]?.statistics?.reads === 0) await new Promise(setImmediate)
  expect(here.items).toEqual([])
  here.enable()
  expect(here.items).toEqual(['EARLY'])
  expect(here.hub.details()[0]?.statistics).toEqual({
    connections: 1,
    disconnections: 0,
    bytes: 9,
    frames: 1,
    noiseBytes: 0,
    reads: 1,
    refused: 0,
    unreadable: 0,
    stale: 0,
  })
})

describe('device health', () => {
  test('lists devices that are not in the profile, with the state “not configured”', async () => {
    const here = await bench({})
    expect(here.hub.health()).toEqual(
      ['card-reader', 'scanner', 'printer'].map((role) => ({ role, state: 'not-configured', detail: null })),
    )
    expect([here.hub.printer, here.hub.bench]).toEqual([null, null])
  })

  test('reports a missing device, and the others still work', async () => {
    const cable = await startCable()
    const here = await bench({
      cardReader: serial(join(tmpdir(), 'milepost-no-such-port')),
      scanner: serial(cable.path),
    })
    await here.event(
      'device-health',
      (event) => event.device.role === 'card-reader' && event.device.state === 'unavailable',
    )
    await here.event('device-health', ready('scanner'))
    cable.send(']C0STILL\r')
    await here.item('STILL')
    expect(here.hub.health().map(({ role, state }) => [role, state])).toEqual([
      ['card-reader', 'unavailable'],
      ['scanner', 'ready'],
      ['printer', 'not-configured'],
    ])
  })

  test('is written to the log with the detail of an unclassified fault', async () => {
    const here = await bench({ scanner: serial(import.meta.filename) })
    const { device } = await here.event(
      'device-health',
      ({ device }) => device.role === 'scanner' && device.trouble?.kind === 'other',
    )
    expect(here.log()).toContain(JSON.stringify(device.detail))
  })

  test('a hub with a network printer can be closed twice', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => undefined).resume()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const here = await bench({
      printer: {
        connection: { kind: 'tcp', host: '127.0.0.1', port: (server.address() as AddressInfo).port },
        language: 'esc-pos',
        columns: 42,
      },
    })
    expect(here.hub.printer).not.toBeNull()
    await here.hub.close()
    await here.hub.close()
  })
})

describe('the list of device health', () => {
  const virtual = { connection: { kind: 'virtual' as const } }

  test('has the drawer, open or closed, only if its switch is connected', async () => {
    const here = await bench({
      printer: { ...virtual, language: 'star-prnt', columns: 48, drawer: { openWhen: 'high' } },
    })
    const listing = (position: 'open' | 'closed') => (event: Extract<TerminalEvent, { type: 'device-health' }>) =>
      event.device.role === 'drawer' && event.device.position === position
    await here.event('device-health', listing('closed'))
    expect(
      await here.hub.printer?.print({
        document: { locale: 'en-CA', title: '', blocks: [] },
        openDrawer: true,
        copy: 0,
      }),
    ).toEqual({ state: 'confirmed', detail: null })
    await here.event('device-health', listing('open'))
    expect(here.hub.health()).toContainEqual({ role: 'drawer', state: 'ready', detail: null, position: 'open' })

    const unwired = await bench({ printer: { ...virtual, language: 'esc-pos', columns: 42 } })
    await unwired.event('device-health', ready('printer'))
    expect(unwired.hub.health().map(({ role }) => role)).toEqual(['card-reader', 'scanner', 'printer'])
  })

  test('has the line display, which shows its text', async () => {
    const here = await bench({ lineDisplay: virtual })
    await here.event('device-health', ready('line-display'))
    here.hub.lineDisplay?.show('Whole milk 2 L  5.49', 'TOTAL          $5.49')
    expect(await here.hub.bench?.displayed('TOTAL')).toEqual(['Whole milk 2 L  5.49', 'TOTAL          $5.49'])
  })
})

describe('the details of a device', () => {
  const virtual = { connection: { kind: 'virtual' as const } }
  const lost =
    (role: string) =>
    (event: Extract<TerminalEvent, { type: 'device-health' }>): boolean =>
      event.device.role === role && event.device.state === 'unavailable'

  test('keep identity and counts after a lost connection, whose fault has a kind', async () => {
    const here = await bench({
      printer: { ...virtual, language: 'esc-pos', columns: 42, drawer: { openWhen: 'high' } },
      lineDisplay: virtual,
    })
    await here.event('device-health', ready('printer'))
    await here.event('device-health', ready('line-display'))
    const of = (role: string) => here.hub.details().find((device) => device.role === role)
    await here.hub.printer?.print({
      document: { locale: 'en-CA', title: '', blocks: [{ kind: 'text', text: 'a line', align: 'left' }] },
      openDrawer: true,
      copy: 0,
    })
    await here.hub.check()
    expect(here.hub.details().map(({ role, category }) => [role, category])).toEqual([
      ['printer', 'POSPrinter'],
      ['drawer', 'CashDrawer'],
      ['line-display', 'LineDisplay'],
    ])
    await here.hub.bench?.play('printer-off')
    await here.hub.bench?.play('line-display-unplugged')
    const health = (await here.event('device-health', lost('line-display'))).device
    expect(health.trouble?.kind).toBe('closed')
    await here.hub.check()
    expect((await here.event('device-health', lost('printer'))).device.trouble).toEqual({
      kind: 'refused',
      holder: null,
      code: 'ECONNREFUSED',
    })
    await here.hub.bench?.play('all-well')
    while (here.hub.health().some(({ role, state }) => ['printer', 'line-display'].includes(role) && state !== 'ready'))
      await here.hub.check()
    expect(of('printer')).toMatchObject({
      identity: { modelName: 'VIRTUAL-80' },
      statistics: {
        receiptLinePrintedCount: 1,
        receiptCharacterPrintedCount: 5,
        paperCutCount: 1,
        communicationErrorCount: 1,
      },
    })
    expect(of('drawer')?.statistics).toEqual({ drawerGoodOpenCount: 1, drawerFailedOpenCount: 0 })
    expect(of('line-display')?.statistics).toEqual({ onlineTransitionCount: 2, communicationErrorCount: 1 })
  })
})

describe('virtual devices', () => {
  const virtual = { connection: { kind: 'virtual' as const } }

  test('are in training mode the real drivers, connected to simulated devices that a person operates', async () => {
    const here = await bench({
      cardReader: virtual,
      scanner: virtual,
      printer: { ...virtual, language: 'esc-pos', columns: 42 },
    })
    await here.event('device-health', ready('card-reader'))
    await here.event('device-health', ready('scanner'))
    here.hub.bench?.swipe('80000000077')
    expect(await here.event('card-read')).toMatchObject({ entryMode: 'SWIPE', last4: '0077' })
    here.hub.bench?.swipe('4111111111111111')
    expect(await here.event('card-refused')).toMatchObject({ reason: 'not-a-program-card' })
  })

  test('do not exist in production: a virtual device in the profile is reported as unavailable', async () => {
    const here = await bench({ cardReader: virtual }, 'production')
    expect(here.hub.bench).toBeNull()
    await here.event(
      'device-health',
      (event) => event.device.role === 'card-reader' && event.device.state === 'unavailable',
    )
  })
})
