import type { NoEarningReason } from '../../../contracts/sales/sales.ts'
import { knownCode } from '../../core/central/response-codes.ts'

/**
 * Why no miles can come to a collector. The issuance service decides, by the codes that it refuses an account with
 * (specification 3 §7.1: 224 closed, 232 deleted, 234 not found; status 400, so the same request never succeeds).
 * An INQUIRE that was answered 0002 or 0025 (§7.2) speaks of the same account: it promises nothing, but it is not the
 * issuance service. So ISSUE still goes out, and what it says is what holds.
 */
export function earningRefusedByInquire(responseCode: string | null): NoEarningReason | null {
  switch (knownCode(responseCode ?? '')) {
    case '0002':
      return 'account-inactive'
    case '0025':
      return 'collector-invalid'
    default:
      return null
  }
}

/** From the code of a CALCULATE or ISSUE with status 400; null where the code is not about the collector. */
export function earningRefusedByIssuance(code: string | null): NoEarningReason | null {
  switch (code) {
    case '224':
      return 'account-closed'
    case '232':
      return 'account-deleted'
    case '234':
      return 'collector-invalid'
    default:
      return null
  }
}
