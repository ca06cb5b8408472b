import { z } from 'zod'
import type { ReconciliationRow } from '../../../contracts/api/reconciliation.ts'
import { Redemption } from '../../../contracts/api/sales.ts'
import { RedeemRequest } from '../../../contracts/central/cash.ts'
import { maskCollectorNumber, SaleId } from '../../../contracts/ids.ts'
import { Miles } from '../../../contracts/miles.ts'
import { Cents } from '../../../contracts/money.ts'
import { jsonOf } from '../../central/json.ts'
import { isoOf } from '../../clock.ts'
import { last4 } from '../../domain/masking.ts'
import type { Journal } from '../../outbox/journal.ts'
import type { ApprovalRow } from './repository.ts'

/** What the journal's entry of an approval holds (backend/loyalty/redeem.ts, `approve`). */
export const Approval = z.object({
  units: z.int(),
  amountCents: Cents,
  miles: Miles,
  confirmationNumber: z.string(),
  transDateTime: z.string(),
  responseCode: z.string(),
})

/** The amounts come from the journal's entry and the rest from the sealed bytes: neither ever changes. */
export function approvalRow(
  { operationId, saleId, lane, state, approvedAt, detail }: ApprovalRow,
  journal: Pick<Journal, 'call'>,
): ReconciliationRow {
  const approval = Approval.parse(JSON.parse(detail))
  const call = journal.call(operationId, 'redeem')
  const request = RedeemRequest.parse(jsonOf(call.request))
  return {
    operationId,
    saleId: SaleId.parse(saleId),
    lane,
    storeId: request.storeId,
    sponsorCode: request.sponsorCode,
    deviceId: request.deviceId,
    traceId: call.traceId,
    idempotencyKey: call.idempotencyKey ?? '',
    confirmationNumber: approval.confirmationNumber,
    dateTime: call.dateTime,
    transDateTime: approval.transDateTime,
    approvedAt: isoOf(approvedAt),
    collector: maskCollectorNumber(last4(request.collectorNumber)),
    units: approval.units,
    amountCents: approval.amountCents,
    miles: approval.miles,
    responseCode: approval.responseCode,
    state: Redemption.shape.state.parse(state),
  }
}
