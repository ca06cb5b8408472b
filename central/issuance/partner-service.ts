import { randomUUID } from 'node:crypto'
import type { IssuanceErrorCode } from '../../contracts/central/issuance.ts'
import { present, type Answer } from '../http/answer.ts'
import type { CallContext } from '../http/call.ts'
import { badIssuance, issuanceError, rejected } from './answers.ts'
import type { Basket } from './earning.ts'
import type { Entry, IssuanceKind } from './repository.ts'
import type { GivenIssuance, PartnerBasketRequest, PartnerEventRequest } from './requests.ts'
import type { IssuanceDependencies } from './service.ts'
import { splitMiles } from './settlement.ts'

interface PartnerTransaction {
  readonly sponsorCode: string
  readonly collectorNumber: string
  readonly partnerId: string
  readonly given: readonly GivenIssuance[]
  readonly basket: Basket
  readonly echo: object
}

/** The partner-calculated half: the partner names the miles, the service checks the offers and moves them (specification 3 §4.4). */
export function createPartnerIssuanceService({ program, ledger, issuances }: IssuanceDependencies) {
  const offerError = (sponsorCode: string, code: string, now: number): IssuanceErrorCode | null => {
    const end = issuances.offerEnd(sponsorCode, code)
    if (end === undefined) return '203'
    return end <= now ? '204' : null
  }

  const move = (kind: IssuanceKind, sign: 1 | -1, transaction: PartnerTransaction, context: CallContext): Answer => {
    const { sponsorCode, collectorNumber, partnerId, given, basket, echo } = transaction
    const sponsor = program.findSponsor(sponsorCode)
    if (!sponsor) return rejected('221', echo as Record<string, unknown>)
    const collector = program.findCollector(collectorNumber)
    if (!collector) return rejected('234', echo as Record<string, unknown>)
    if (collector.state !== 'active') return rejected(collector.state === 'deleted' ? '232' : '224', echo as Record<string, unknown>)
    if (issuances.findByPartnerId(sponsorCode, kind, partnerId)) return badIssuance([{ path: 'checkoutTransactionId', message: 'was sent before; it must be unique' }])
    const errors = given.map((entry) => offerError(sponsorCode, entry.issuanceOfferCode, context.now))
    const firstError: IssuanceErrorCode | null = sponsor.state === 'expired' ? '225' : errors.find((error) => error !== null) ?? (collector.issuanceDelayed ? '000' : null)
    const entries = given.map((entry, index) => present({
      ...entry, milesAmount: sign * Math.abs(entry.milesAmount), confirmationNumber: randomUUID(), processedDateTime: new Date(context.now).toISOString(),
      status: firstError === null ? 'CONFIRMED' : 'PENDING', errors: errors[index] ? [issuanceError(errors[index])] : undefined,
    }) as unknown as Entry)
    const total = entries.reduce((sum, entry) => sum + entry.milesAmount, 0)
    const transactionId = randomUUID()
    const operationId = firstError !== null || total === 0 ? null : ledger.post({
      kind, at: context.now, collectorNumber, sponsorCode, reference: partnerId, idempotencyKey: context.idempotencyKey,
    }, splitMiles(total, collector.cashSharePercent), 'issued')
    issuances.add({
      transactionId, kind, at: context.now, sponsorCode, collectorNumber, checkoutTransactionId: partnerId, originalId: null,
      status: firstError === null ? 'CONFIRMED' : 'PENDING', basket, entries, idempotencyKey: context.idempotencyKey,
    }, operationId)
    const error = firstError === null ? {} : { responseCode: firstError, message: issuanceError(firstError).errorReason, errors: [issuanceError(firstError)] }
    return { status: firstError === null ? 200 : 202, body: present({ ...echo, issuances: entries, transactionId, ...error }), final: true }
  }

  const ofBasket = (request: PartnerBasketRequest): PartnerTransaction => {
    const { issuances: given, ...echo } = request
    return { sponsorCode: request.sponsorCode, collectorNumber: request.collectorNumber, partnerId: request.checkoutTransactionId, given, basket: { basketPreTaxAmount: request.basketPreTaxAmount }, echo }
  }
  const ofEvent = (request: PartnerEventRequest): PartnerTransaction => {
    const { issuances: given, ...echo } = request
    return { sponsorCode: request.sponsorCode, collectorNumber: request.collectorNumber, partnerId: request.clientTransactionId, given, basket: { basketPreTaxAmount: 0 }, echo }
  }

  return {
    post: (request: PartnerBasketRequest, context: CallContext): Answer => move('POST', 1, ofBasket(request), context),
    postEvent: (request: PartnerEventRequest, context: CallContext): Answer => move('POST/EVENT', 1, ofEvent(request), context),
    reverse: (request: PartnerBasketRequest, context: CallContext): Answer => move('PARTNER-REVERSE', -1, ofBasket(request), context),
    reverseEvent: (request: PartnerEventRequest, context: CallContext): Answer => move('REVERSE/EVENT', -1, ofEvent(request), context),
  }
}
