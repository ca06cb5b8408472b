import { columnsOfLane } from '../../core/paper/document.ts'
import { TEST_READ_MS } from '../../../contracts/operations/devices.ts'
import type { TrainingPanel, CentralCondition } from '../../../contracts/operations/training.ts'
import { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import type { TrainingServices } from '../../core/central/training-services.ts'
import { practiceOf } from '../../core/program/lane-program.ts'
import type { App } from '../../core/http/app.ts'
import { devicesContract } from '../../../contracts/operations/devices.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { ProblemError } from '../../core/problem.ts'
import { trainingPanel } from './training-panel.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { receiptTexts } from '../../core/paper/layout.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { trainingPhoneOf } from '../../loyalty/member/sign-in-slip.ts'
import type { Ctx } from '../../core/context.ts'

const done = { done: true as const }

export function deviceRoutes(ctx: Ctx, app: App): void {
  const { profile, lane } = ctx
  const hub = devicesOf(ctx)
  serve(app, devicesContract['GET /devices'], () => ({ devices: hub.health() }))

  serve(app, devicesContract['GET /devices/details'], () => ({ devices: hub.details() }))
  serve(app, devicesContract['POST /devices/check'], async () => ({ devices: await hub.check() }))
  serve(app, devicesContract['POST /devices/test-read'], async (request) => ({
    read: await hub.testRead(request.body.role, TEST_READ_MS),
  }))
  serve(app, devicesContract['POST /devices/test-page'], async (request) => {
    if (!hub.printer) throw new ProblemError('printer-unavailable')
    const document = testPage({
      profile,
      lane: lane.id,
      locale: request.staff?.locale ?? profile.locales.default,
      columns: columnsOfLane(lane),
      at: Date.now(),
    })
    return hub.printer.print({ document, openDrawer: false, copy: 0 })
  })

  serve(app, devicesContract['POST /devices/keys'], (request) => {
    hub.typed(request.body.text)
    return done
  })

  serve(app, devicesContract['POST /devices/keyed-collector'], (request) => {
    const number = CollectorNumber.safeParse(request.body.number.replaceAll(/[\s\p{Pd}]/gu, ''))
    // The problem does not repeat the typed input, which may be a payment card's number.
    if (!number.success) throw new ProblemError('collector-number-wrong')
    hub.keyed(number.data)
    return done
  })
}

export function trainingRoutes(ctx: Ctx, app: App): void {
  const { profile, publish } = ctx
  const hub = devicesOf(ctx)
  const practice = practiceOf(ctx)
  const phone = trainingPhoneOf(ctx)
  function bench() {
    if (profile.mode !== 'training' || !hub.bench) throw new ProblemError('training-only')
    return hub.bench
  }
  const panelNow = async (): Promise<TrainingPanel> =>
    trainingPanel(bench(), profile, (await practice?.condition()) ?? null, phone !== null)
  async function setCentral(central: TrainingServices, condition: CentralCondition): Promise<void> {
    await central.set(condition).catch(() => {
      throw new ProblemError('training-central-away')
    })
  }
  serve(app, devicesContract['GET /training/panel'], panelNow)
  serve(app, devicesContract['POST /training/swipe'], async (request) => {
    const far = bench()
    const card = profile.training?.cards.find((candidate) => candidate.id === request.body.cardId)
    if (!card) throw new ProblemError('not-found')
    if (request.body.as === 'swipe') far.swipe(card.number)
    else far.scan(card.number)
    return done
  })
  serve(app, devicesContract['POST /training/scan'], async (request) => {
    bench().scan(request.body.code)
    return done
  })
  serve(app, devicesContract['POST /training/play'], async (request) => {
    await bench().play(request.body.scenario)
    if (request.body.scenario === 'all-well') {
      bench().cardTerminal?.approveAll()
      if (practice) await setCentral(practice, 'well')
    }
    return panelNow()
  })
  serve(app, devicesContract['POST /training/card-terminal'], async (request) => {
    const { cardTerminal } = bench()
    if (!cardTerminal) throw new ProblemError('training-only')
    const { does } = request.body
    if (does === 'present') cardTerminal.present()
    else {
      // The simulated card terminal has only one planned outcome: a new one replaces the earlier one.
      cardTerminal.approveAll()
      if (does !== 'approve') cardTerminal.plan(does)
    }
    return panelNow()
  })
  serve(app, devicesContract['POST /training/scale'], async (request) => {
    const { scale } = bench()
    const { loadThousandths, fault } = request.body
    if (loadThousandths !== undefined) scale.load = loadThousandths
    if (fault !== undefined) scale.fault = fault
    return panelNow()
  })
  serve(app, devicesContract['POST /training/phone'], async (request) => {
    bench()
    if (!phone) throw new ProblemError('training-only')
    await phone(request.body.does)
    return panelNow()
  })
  serve(app, devicesContract['POST /training/central'], async (request) => {
    bench()
    if (!practice) throw new ProblemError('training-only')
    await setCentral(practice, request.body.condition)
    publish({ type: 'training-changed' })
    return panelNow()
  })
}

export interface TestPageFacts {
  readonly profile: Pick<Profile, 'store' | 'timeZone'>
  readonly lane: string
  readonly locale: Locale
  readonly columns: number
  readonly at: number
}

/**
 * Test page that shows what the printer can do: full width, accents, bold and large text, a barcode. It states that it
 * is no receipt.
 */
export function testPage({ profile, lane, locale, columns, at }: TestPageFacts): ReceiptDocument {
  const { t, dateTime } = receiptTexts(locale)
  const ruler = Array.from({ length: columns }, (_, column) => (column + 1) % 10).join('')
  return {
    locale,
    title: t('test-page'),
    blocks: [
      { kind: 'logo' },
      { kind: 'text', text: t('test-page'), align: 'center', bold: true, size: 'large' },
      { kind: 'text', text: t('test-page-hint'), align: 'center' },
      { kind: 'rule' },
      { kind: 'row', left: profile.store.name, right: lane },
      { kind: 'row', left: profile.store.id, right: dateTime(at, profile.timeZone) },
      { kind: 'text', text: ruler, align: 'left' },
      { kind: 'text', text: 'àâçèéêëîïôùû ÀÂÇÈÉÊËÎÏÔÙÛ œŒ €', align: 'left' },
      { kind: 'text', text: t('test-page-bold'), align: 'left', bold: true },
      { kind: 'space' },
      // No receipt number has a hyphen, so that a scan of the test page finds no sale.
      { kind: 'barcode', symbology: 'code128', data: 'TEST-PAGE' },
    ],
  }
}
