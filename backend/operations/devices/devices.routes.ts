import {
  DeviceDetailsList,
  TEST_READ_MS,
  TestPageAnswer,
  TestRead,
  TestReadAnswer,
} from '../../../contracts/operations/devices.ts'
import { DeviceList, KeyedCollector, KeyedLine } from '../../../contracts/operations/diagnostics.ts'
import {
  type CentralCondition,
  TrainingCardTerminal,
  TrainingCentral,
  TrainingPanel,
  TrainingPhoneAct,
  TrainingPlay,
  TrainingScan,
  TrainingSwipe,
} from '../../../contracts/operations/training.ts'
import { z } from 'zod'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import type { TrainingServices } from '../../core/central/training-services.ts'
import { practiceOf } from '../../core/program/lane-program.ts'
import type { Routes } from '../../core/http/app.ts'
import { ProblemError } from '../../core/problem.ts'
import { trainingPanel } from './training-panel.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { receiptWords } from '../../core/paper/layout.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { trainingPhoneOf } from '../../loyalty/member/sign-in-slip.ts'
import type { Ctx } from '../../core/context.ts'

const Done = z.object({ done: z.literal(true) })
const done = { done: true as const }

/** Health of every device, and in training mode the far ends of the virtual ones. */
export const deviceRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const { profile, lane, publish } = ctx
    const hub = devicesOf(ctx)
    const practice = practiceOf(ctx)
    const phone = trainingPhoneOf(ctx)
    app.get(
      '/api/devices',
      { config: { access: 'window' }, schema: { summary: 'Health of the devices', response: { 200: DeviceList } } },
      () => ({ devices: hub.health() }),
    )

    app.get(
      '/api/devices/details',
      {
        config: { access: 'manager' },
        schema: { summary: 'What each device is and did since the start', response: { 200: DeviceDetailsList } },
      },
      () => ({ devices: hub.details() }),
    )
    app.post(
      '/api/devices/check',
      {
        config: { command: 'awaited' },
        schema: { summary: 'Look at every device now', response: { 200: DeviceList } },
      },
      async () => ({ devices: await hub.check() }),
    )
    app.post(
      '/api/devices/test-read',
      {
        config: { access: 'manager', command: 'awaited' },
        schema: {
          summary: 'Wait for the next read of a device, for a test',
          body: TestRead,
          response: { 200: TestReadAnswer },
        },
      },
      async (request) => ({ read: await hub.testRead(request.body.role, TEST_READ_MS) }),
    )
    app.post(
      '/api/devices/test-page',
      {
        config: { access: 'manager', command: 'awaited' },
        schema: { summary: 'Print a page that is no receipt', response: { 200: TestPageAnswer } },
      },
      async (request) => {
        if (!hub.printer) throw new ProblemError('printer-unavailable')
        const document = testPage({
          profile,
          lane: lane.id,
          locale: request.staff?.locale ?? profile.locales.default,
          columns: lane.devices.printer?.columns ?? 42,
          at: Date.now(),
        })
        return hub.printer.print({ document, openDrawer: false, copy: 0 })
      },
    )

    app.post(
      '/api/devices/keys',
      {
        // A badge is read before anybody is signed in; what else is scanned then is nobody's.
        config: { access: 'window' },
        schema: { summary: 'A line from a scanner that types', body: KeyedLine, response: { 200: Done } },
      },
      (request) => {
        hub.typed(request.body.text)
        return done
      },
    )

    app.post(
      '/api/devices/keyed-collector',
      {
        schema: {
          summary: "A collector's number that the cashier typed; comes back as a card read, never as a number",
          body: KeyedCollector,
          response: { 200: Done },
        },
      },
      (request) => {
        const number = CollectorNumber.safeParse(request.body.number.replaceAll(/[\s\p{Pd}]/gu, ''))
        // The problem repeats nothing of what was typed: it may be a payment card's number.
        if (!number.success) throw new ProblemError('collector-number-wrong')
        hub.keyed(number.data)
        return done
      },
    )

    function bench() {
      if (profile.mode !== 'training' || !hub.bench) throw new ProblemError('training-only')
      return hub.bench
    }
    const panelNow = async (): Promise<TrainingPanel> =>
      trainingPanel(bench(), profile, (await practice?.condition()) ?? null, phone !== null)
    async function treat(central: TrainingServices, condition: CentralCondition): Promise<void> {
      await central.set(condition).catch(() => {
        throw new ProblemError('training-central-away')
      })
    }
    app.get(
      '/api/training/panel',
      { schema: { summary: 'Cards and state of the virtual devices', response: { 200: TrainingPanel } } },
      panelNow,
    )
    app.post(
      '/api/training/swipe',
      {
        config: { command: 'awaited' },
        schema: { summary: 'Swipe a training card', body: TrainingSwipe, response: { 200: Done } },
      },
      async (request) => {
        const far = bench()
        const card = profile.training?.cards.find((candidate) => candidate.id === request.body.cardId)
        if (!card) throw new ProblemError('not-found')
        if (request.body.as === 'swipe') far.swipe(card.number)
        else far.scan(card.number)
        return done
      },
    )
    app.post(
      '/api/training/scan',
      {
        config: { command: 'awaited' },
        schema: { summary: 'Scan a code', body: TrainingScan, response: { 200: Done } },
      },
      async (request) => {
        bench().scan(request.body.code)
        return done
      },
    )
    app.post(
      '/api/training/play',
      {
        config: { command: 'awaited' },
        schema: {
          summary: 'Let something happen to the virtual devices',
          body: TrainingPlay,
          response: { 200: TrainingPanel },
        },
      },
      async (request) => {
        await bench().play(request.body.scenario)
        if (request.body.scenario === 'all-well') {
          bench().cardTerminal?.approveAll()
          if (practice) await treat(practice, 'well')
        }
        return panelNow()
      },
    )
    app.post(
      '/api/training/card-terminal',
      {
        config: { command: 'awaited' },
        schema: {
          summary: 'What the card terminal does next, or a card for the payment that waits',
          body: TrainingCardTerminal,
          response: { 200: TrainingPanel },
        },
      },
      async (request) => {
        const { cardTerminal } = bench()
        if (!cardTerminal) throw new ProblemError('training-only')
        const { does } = request.body
        if (does === 'present') cardTerminal.present()
        else {
          // One at a time: what was planned before gives way.
          cardTerminal.approveAll()
          if (does !== 'approve') cardTerminal.plan(does)
        }
        return panelNow()
      },
    )
    app.post(
      '/api/training/phone',
      {
        config: { command: 'awaited' },
        schema: {
          summary: 'Let the customer’s phone sign in, or decline, with the code that waits',
          body: TrainingPhoneAct,
          response: { 200: TrainingPanel },
        },
      },
      async (request) => {
        bench()
        if (!phone) throw new ProblemError('training-only')
        await phone(request.body.does)
        return panelNow()
      },
    )
    app.post(
      '/api/training/central',
      {
        config: { command: 'awaited' },
        schema: {
          summary: 'Let the loyalty service be slow, silent, wrong or away',
          body: TrainingCentral,
          response: { 200: TrainingPanel },
        },
      },
      async (request) => {
        bench()
        if (!practice) throw new ProblemError('training-only')
        await treat(practice, request.body.condition)
        publish({ type: 'training-changed' })
        return panelNow()
      },
    )
  }

export interface TestPageFacts {
  readonly profile: Pick<Profile, 'store' | 'timeZone'>
  readonly lane: string
  readonly locale: Locale
  readonly columns: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/**
 * A paper that shows what this printer can do: the whole width, accents, bold and large, a barcode. It is no receipt,
 * and says so.
 */
export function testPage({ profile, lane, locale, columns, at }: TestPageFacts): ReceiptDocument {
  const { say, dateTime } = receiptWords(locale)
  const ruler = Array.from({ length: columns }, (_, column) => (column + 1) % 10).join('')
  return {
    locale,
    title: say('test-page'),
    blocks: [
      { kind: 'logo' },
      { kind: 'text', text: say('test-page'), align: 'center', bold: true, size: 'large' },
      { kind: 'text', text: say('test-page-hint'), align: 'center' },
      { kind: 'rule' },
      { kind: 'row', left: profile.store.name, right: lane },
      { kind: 'row', left: profile.store.id, right: dateTime(at, profile.timeZone) },
      { kind: 'text', text: ruler, align: 'left' },
      { kind: 'text', text: 'àâçèéêëîïôùû ÀÂÇÈÉÊËÎÏÔÙÛ œŒ €', align: 'left' },
      { kind: 'text', text: say('test-page-bold'), align: 'left', bold: true },
      { kind: 'space' },
      // With a hyphen it is no receipt's number: before the scanner it finds no sale.
      { kind: 'barcode', symbology: 'code128', data: 'TEST-PAGE' },
    ],
  }
}
