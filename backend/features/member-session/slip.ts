import type { TroubleKind } from '../../../contracts/api/diagnostics.ts'
import type { SignInSlipAnswer } from '../../../contracts/api/member-session.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Profile } from '../../../contracts/profile.ts'
import { composeSignInSlip } from '../../domain/sign-in-slip.ts'
import type { HubPrinter } from '../../devices/hub.ts'
import { ProblemError } from '../../http/problem.ts'
import type { MemberSessions } from './service.ts'

export interface SignInSlipOptions {
  readonly waitingOn: MemberSessions['waitingOn']
  /** Null where the lane has none. */
  readonly printer: Pick<HubPrinter, 'print'> | null
  /** What is the matter with it; null: nothing, or it does not say. */
  readonly trouble: () => TroubleKind | null
  readonly profile: Pick<Profile, 'mode' | 'store' | 'timeZone'>
  /** The language of papers for customers. */
  readonly locale: () => Locale
  readonly columns: number
}

export type SignInSlip = ReturnType<typeof createSignInSlip>

/**
 * The code of a member's sign-in on paper. It goes to the printer as a test page does, past the queue of documents:
 * no row, no copy and no log of it is left, and the lane owes it to nobody.
 */
export function createSignInSlip({ waitingOn, printer, trouble, profile, locale, columns }: SignInSlipOptions) {
  return {
    /**
     * Prints what waits for the phone of this sale's collector, and answers what became of the paper. Throws
     * ProblemError `member-code-missing`, or `printer-unavailable` where the lane has no printer.
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
}
