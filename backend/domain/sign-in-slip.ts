import type { MemberSession } from '../../contracts/api/member-session.ts'
import type { Locale } from '../../contracts/locales.ts'
import type { Profile } from '../../contracts/profile.ts'
import type { ReceiptDocument } from '../../contracts/receipt.ts'
import { isQrText } from '../../contracts/symbols/qr.ts'
import { paperOf } from './receipt-layout.ts'
import { receiptWords } from './receipt-words.ts'
import { trainingMark } from './receipt.ts'

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
 * What a customer takes to their phone to sign in (RFC 8628 §3.3): a code to scan, the page and the same code to type,
 * and until when both are good. Without the QR code where no page fits into one.
 */
export function composeSignInSlip({ profile, locale, columns, waiting }: SignInSlipFacts): ReceiptDocument {
  const words = receiptWords(locale)
  const paper = paperOf(columns)
  const { say } = words
  const scanned = [waiting.pageWithCode, waiting.page].find(isQrText)
  const until = words.dateTime(Date.parse(waiting.expiresAt), profile.timeZone)
  return {
    locale,
    title: say('sign-in-title'),
    blocks: [
      ...paper.text(profile.store.name, 'center', { bold: true, size: 'large' }),
      ...trainingMark({ profile }, words, paper),
      SPACE,
      ...paper.text(say('sign-in-heading'), 'center', { bold: true }),
      SPACE,
      ...(scanned === undefined
        ? []
        : [...paper.text(say('sign-in-scan'), 'center'), { kind: 'qr', data: scanned } as const, SPACE]),
      ...paper.text(say('sign-in-type'), 'center'),
      ...paper.text(waiting.page.replace(/^https?:\/\//, ''), 'center'),
      ...paper.text(waiting.userCode, 'center', { bold: true, size: 'large' }),
      SPACE,
      ...paper.text(say('sign-in-until', { at: until }), 'center'),
    ],
  }
}

const SPACE = { kind: 'space' } as const
