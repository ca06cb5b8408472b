import type { MemberSession, SignInSlipAnswer } from '../../../contracts/loyalty/member.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { ProblemError } from '../../core/problem.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { isQrText } from '../../../contracts/core/symbols/qr.ts'
import { paperOf, receiptTexts } from '../../core/paper/layout.ts'
import type { TrainingPhone } from '../../../contracts/operations/training.ts'
import { columnsOfLane, trainingMark } from '../../core/paper/document.ts'
import { memberSessionsOf } from './member-session.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { collectorOf } from '../../sales/collector.ts'
import { practiceOf } from '../../core/program/lane-program.ts'

/**
 * Prints the code of a member's sign-in. Bypasses the document queue like a test page, so that no row, copy or log of
 * the code exists.
 */
export const signInSlipOf = perLane((ctx: Ctx) => {
  const { profile } = ctx
  const waitingOn = memberSessionsOf(ctx).waitingOn
  const printer = devicesOf(ctx).printer
  const trouble = () =>
    devicesOf(ctx)
      .health()
      .find(({ role }) => role === 'printer')?.trouble?.kind ?? null
  const locale = receiptLocaleOf(ctx)
  const columns = columnsOfLane(ctx.lane)
  return {
    /**
     * Prints the code that waits for the phone of this sale's collector, and returns the printer's result. Throws
     * ProblemError `member-code-missing`, or `printer-unavailable` if the lane has no printer.
     */
    async print(saleId: SaleId): Promise<SignInSlipAnswer> {
      const waiting = waitingOn(saleId)
      if (!waiting) throw new ProblemError('member-code-missing')
      if (!printer) throw new ProblemError('printer-unavailable')
      const document = composeSignInSlip({ profile, locale: locale(), columns, waiting })
      const { state } = await printer.print({ document, openDrawer: false, copy: 0 })
      return { state, trouble: trouble() }
    },
  }
})

export interface SignInSlipFacts {
  readonly profile: Pick<Profile, 'mode' | 'store' | 'timeZone'>
  readonly locale: Locale
  readonly columns: number
  readonly waiting: Pick<
    Extract<MemberSession, { state: 'waiting' }>,
    'userCode' | 'page' | 'pageWithCode' | 'expiresAt'
  >
}

/**
 * Composes a member's sign-in slip (RFC 8628 §3.3): a QR code, the page and the code to type, and their expiry. If no
 * address of the page fits into a QR code, it is only printed as text.
 */
export function composeSignInSlip({ profile, locale, columns, waiting }: SignInSlipFacts): ReceiptDocument {
  const words = receiptTexts(locale)
  const paper = paperOf(columns)
  const { t } = words
  const scanned = [waiting.pageWithCode, waiting.page].find(isQrText)
  const until = words.dateTime(Date.parse(waiting.expiresAt), profile.timeZone)
  return {
    locale,
    title: t('sign-in-title'),
    blocks: [
      ...paper.text(profile.store.name, 'center', { bold: true, size: 'large' }),
      ...trainingMark({ profile }, words, paper),
      SPACE,
      ...paper.text(t('sign-in-heading'), 'center', { bold: true }),
      SPACE,
      ...(scanned === undefined
        ? []
        : [...paper.text(t('sign-in-scan'), 'center'), { kind: 'qr', data: scanned } as const, SPACE]),
      ...paper.text(t('sign-in-type'), 'center'),
      ...paper.text(waiting.page.replace(/^https?:\/\//, ''), 'center'),
      ...paper.text(waiting.userCode, 'center', { bold: true, size: 'large' }),
      SPACE,
      ...paper.text(t('sign-in-until', { at: until }), 'center'),
    ],
  }
}

const SPACE = { kind: 'space' } as const

/**
 * Enters the pending code on the simulated phone of the training services, which know the PINs of the fictional
 * collectors. A production lane cannot sign in for a member. Throws ProblemError `member-code-missing`,
 * `training-central-away`, or `training-phone-refused` if the page refused the code or the collector.
 */
export const trainingPhoneOf = perLane((ctx: Ctx) => {
  const sessions = memberSessionsOf(ctx)
  const saleOf = saleRowsOf(ctx).byId
  const services = practiceOf(ctx)
  if (services === null) return null
  return async (does: TrainingPhone): Promise<void> => {
    const shown = sessions.current().session
    const waiting = shown && sessions.waitingOn(shown.saleId)
    const sale = waiting && saleOf(waiting.saleId)
    const collectorNumber = sale ? collectorOf(ctx, sale) : null
    if (!waiting || collectorNumber === null) throw new ProblemError('member-code-missing')
    const status = await services.phone({ userCode: waiting.userCode, collectorNumber, does }).catch(() => {
      throw new ProblemError('training-central-away')
    })
    if (status !== 200) throw new ProblemError('training-phone-refused')
  }
})
