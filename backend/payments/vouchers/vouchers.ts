import {
  type ListedVoucher,
  type SellGiftCard,
  type VoucherDocument,
  VoucherId,
  type VoucherKind,
} from '../../../contracts/payments/vouchers.ts'
import type { Staff } from '../../../contracts/staff/session.ts'
import type { ReceiptView, Sale } from '../../../contracts/sales/sales.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import type { Tx } from '../../core/db/transact.ts'
import { giftCardLine } from '../../catalog/gift-card.ts'
import { lastFour, parseVoucherCode, voucherCodeOf } from '../../core/scan-codes.ts'
import { columnsOfLane } from '../../core/paper/document.ts'
import { composeVoucher } from '../receipts/voucher-receipt.ts'
import { ProblemError } from '../../core/problem.ts'
import { placeOf } from '../../core/integrity/seal.ts'
import { type Who, mayApprove, guardOf } from '../../sales/approvals/guard.ts'
import {
  type VoucherRow,
  type VoucherSource,
  placeOfCode,
  viewOf,
  voucherRowsOf,
  voucherLedgerOf,
} from '../rows/vouchers.sql.ts'
import { hashOf, pay, prepare, present, presentHere, restoreValue } from './voucher-paying.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { salesOf } from '../../sales/sales.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { receiptsOf } from '../receipts/receipts.ts'
import { storeVouchersOf } from './store-vouchers.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { shownVouchersOf } from './presented-vouchers.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { inputEventsOf } from '../../sales/input/dispatcher.ts'
import { storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'

export type VoucherReader = Pick<Staff, 'id' | 'role'>

export type Vouchers = ReturnType<typeof vouchersOf>

const vouchersStateOf = perLane((ctx: Ctx) => {
  domainEventsOf(ctx).on('sale.completed', (tx, { parts: { sale, lines } }) => {
    for (const { lineNumber, codeHash, codeSealed } of voucherRowsOf(ctx).giftCards(sale.id)) {
      const line = lines.find(({ number, voided }) => number === lineNumber && voided === 0)
      if (!line) {
        releaseUnsold(ctx, sale.id, lineNumber, codeSealed)
        continue
      }
      // A gift card that another sale has sold in the meantime gets a new code: a failure here would undo the payment,
      // or the approval of miles.
      const card =
        codeHash && codeSealed && !voucherRowsOf(ctx).isKnown(codeHash)
          ? { codeHash, code: codeOfCard(ctx, sale.id, lineNumber, codeSealed) }
          : undefined
      const { id } = issue(
        ctx,
        tx,
        'gift-card',
        line.unitPriceCents,
        { saleId: sale.id, saleLineNumber: lineNumber },
        card,
      )
      enqueueDocument(ctx, tx, id)
    }
  })

  domainEventsOf(ctx).on('sale.cancelled', (_tx, saleId) => {
    for (const { lineNumber, codeSealed } of voucherRowsOf(ctx).giftCards(saleId))
      releaseUnsold(ctx, saleId, lineNumber, codeSealed)
  })
  return {
    blank: null as { readonly code: string; readonly until: number } | null,
  }
})

const placeOfCard = (saleId: string, line: number): string => placeOf('sale_gift_card', 'code_sealed', saleId, line)

const codeOfCard = (ctx: Ctx, saleId: string, line: number, opaque: Buffer): string =>
  ctx.seal.open(opaque, placeOfCard(saleId, line)).toString()

const sealed = (ctx: Ctx, code: string, place: string): Buffer => ctx.seal.seal(Buffer.from(code), place)

const newId = (ctx: Ctx): VoucherId => VoucherId.parse(ctx.rng.uuid().replaceAll('-', '').toUpperCase())

/** Returns a voucher for a list. Its id is left out for a reader who neither issued the voucher nor may approve. */
const listedFor = (reader: VoucherReader, voucher: VoucherRow): ListedVoucher => ({
  ...viewOf(voucher),
  id: mayApprove(reader) || voucher.cashierId === reader.id ? voucher.id : null,
})

function paperOf(ctx: Ctx, voucher: VoucherRow, copy: number, locale: Locale): ReceiptDocument {
  return composeVoucher({
    profile: {
      mode: ctx.profile.mode,
      store: ctx.profile.store,
      receipt: ctx.profile.receipt,
      timeZone: ctx.profile.timeZone,
    },
    locale,
    lane: ctx.lane.id,
    copy,
    columns: columnsOfLane(ctx.lane),
    cashierName: ctx.staffName(voucher.cashierId),
    at: voucher.issuedAt,
    kind: voucher.kind,
    code: voucherLedgerOf(ctx).codeOf(voucher.id),
    balanceCents: cents(voucher.balanceCents),
    issuedFor: voucher.issuedFor,
    forReturn: voucher.forReturn === 1,
    isShared: storeVouchersOf(ctx) !== null,
  })
}

async function presentScan(ctx: Ctx, code: string): Promise<void> {
  try {
    ctx.publish({ type: 'voucher-presented', voucher: await present(ctx, code) })
  } catch (error) {
    if (error instanceof ProblemError) refuseScan(ctx, code, error)
    else ctx.log.error({ err: error }, 'could not look up a scanned voucher')
  }
}

function refuseScan(ctx: Ctx, code: string, error: unknown): void {
  const state = vouchersStateOf(ctx)
  if (!(error instanceof ProblemError)) throw error
  // The code may be that of an unsold gift card, also while the store server is offline. Keep it for the gift card
  // button.
  if (error.code === 'voucher-unknown' || error.code === 'voucher-store-away')
    state.blank = { code, until: ctx.clock.now() + ctx.profile.limits.cardReadMs }
  if (error.code === 'voucher-unknown') ctx.publish({ type: 'gift-card-scanned', last4: lastFour(code) })
  else ctx.publish({ type: 'scan-refused', code: error.code, messages: error.messages() })
}

/** Issues a voucher in this transaction. `card`: hash and code of a gift card that has its own code. */
function issue(
  ctx: Ctx,
  tx: Tx,
  kind: VoucherKind,
  amountCents: number,
  source: VoucherSource,
  card?: { codeHash: Buffer; code: string },
): VoucherRow {
  const repository = voucherRowsOf(ctx)
  const at = ctx.clock.now()
  const code = card?.code ?? voucherCodeOf(ctx.rng.uuid())
  const id = newId(ctx)
  repository.insert(tx, {
    id,
    kind,
    codeHash: card?.codeHash ?? hashOf(ctx, code),
    codeSealed: sealed(ctx, code, placeOfCode(id)),
    last4: lastFour(code),
    issuedAt: at,
  })
  repository.issued(tx, id, at, amountCents, source)
  storeVouchersOf(ctx)?.moved(id)
  return voucherLedgerOf(ctx).find(id)
}

function enqueueDocument(ctx: Ctx, tx: Tx, id: VoucherId): void {
  const voucher = voucherLedgerOf(ctx).find(id)
  if (voucher.balanceCents > 0)
    receiptsOf(ctx).enqueueDocument(
      tx,
      { kind: 'voucher', id },
      paperOf(ctx, voucher, 0, receiptLocaleOf(ctx)()),
      false,
    )
}

/** Releases a gift card once its sale has ended without it. During the sale, the void of its line could be undone. */
function releaseUnsold(ctx: Ctx, saleId: string, line: number, codeSealed: Buffer | null): void {
  if (storeVouchersOf(ctx) === null || codeSealed === null) return
  const code = codeOfCard(ctx, saleId, line, codeSealed)
  ctx.transact.afterCommit(() => releaseForOthers(ctx, code))
}

function releaseForOthers(ctx: Ctx, code: string): void {
  if (!voucherRowsOf(ctx).isBeingSold(ctx.lane.id, hashOf(ctx, code))) storeVouchersOf(ctx)?.releaseCard(code)
}

function cardCode(ctx: Ctx, { code: typed, scanned }: Pick<SellGiftCard, 'code' | 'scanned'>): string | null {
  const state = vouchersStateOf(ctx)
  const known = scanned ? (state.blank && state.blank.until > ctx.clock.now() ? state.blank.code : '') : typed
  const code = known === undefined ? null : parseVoucherCode(known)
  if (known !== undefined && code === null) throw new ProblemError('voucher-code-invalid')
  return code
}

function remember(ctx: Ctx, id: VoucherId, saleId: string): void {
  shownVouchersOf(ctx).put(id, saleId)
}

const ofReturn = (ctx: Ctx, returnId: string, reader: VoucherReader): ListedVoucher[] =>
  voucherRowsOf(ctx)
    .ofReturn(returnId)
    .map((voucher) => listedFor(reader, voucher))

const documentsOfSale = (ctx: Ctx, saleId: string, reader: VoucherReader): VoucherDocument[] =>
  voucherRowsOf(ctx)
    .documentsOfSale(saleId)
    .map((voucher) => ({ ...listedFor(reader, voucher), print: receiptsOf(ctx).printState(voucher.id) }))

/** Handles a scanned voucher: publishes its kind and balance, never its code. */
function scanned(ctx: Ctx, code: string): void {
  if (ctx.signedIn() === null) return
  if (storeVouchersOf(ctx) !== null) void presentScan(ctx, code)
  else
    try {
      ctx.publish({ type: 'voucher-presented', voucher: presentHere(ctx, code) })
    } catch (error) {
      refuseScan(ctx, code, error)
    }
}

function giveBack(ctx: Ctx, tx: Tx, saleId: Sale['id'], voucherId: VoucherId, amountCents: number): number {
  const left = restoreValue(ctx, tx, saleId, voucherId, amountCents)
  // Store credit that paid an exchange at once has no document. After the payment is given back, the customer needs
  // one.
  if (voucherRowsOf(ctx).byId(voucherId) && receiptsOf(ctx).printState(voucherId) === null)
    enqueueDocument(ctx, tx, voucherId)
  return left
}

/**
 * Reserves a gift card with its own number at the store server, as in `activate`. The returned function must run after
 * the command: it releases a card that was not rung.
 */
async function prepareSale(ctx: Ctx, card: Pick<SellGiftCard, 'code' | 'scanned'>): Promise<(() => void) | undefined> {
  const shared = storeVouchersOf(ctx)
  const code = shared === null ? null : cardCode(ctx, card)
  if (code === null) return undefined
  await shared?.activate(code)
  return () => releaseForOthers(ctx, code)
}

function sell(ctx: Ctx, { amountCents, ...card }: Omit<SellGiftCard, 'approval'>, who: Who): Sale {
  const sales = salesOf(ctx)
  const repository = voucherRowsOf(ctx)
  const saleRows = saleRowsOf(ctx)
  const guard = guardOf(ctx)
  const state = vouchersStateOf(ctx)
  const code = cardCode(ctx, card)
  const id = ctx.transact((tx) => {
    const sale = sales.openSale(tx)
    const before = sales.parts(sale.id)
    const hash = code === null ? null : hashOf(ctx, code)
    if (
      hash &&
      (repository.isKnown(hash) || repository.giftCards(sale.id).some(({ codeHash }) => codeHash?.equals(hash)))
    )
      throw new ProblemError('gift-card-used')
    sales.grow(sale.id, () => saleRows.insertLine(tx, sale.id, giftCardLine(amountCents)))
    const number = saleRows.lines(sale.id).at(-1)?.number ?? 0
    repository.insertGiftCard(
      tx,
      sale.id,
      number,
      hash,
      code === null ? null : sealed(ctx, code, placeOfCard(sale.id, number)),
    )
    guard.need('gift-card-sale', who, guard.changeOf(before, sales.parts(sale.id)))
    sales.changedBy(tx, sale.id, { kind: 'ring', before: { of: 'line', number, row: null } })
    return sale.id
  })
  state.blank = null
  return sales.publish(id, 'command')
}

/**
 * Prints the document of a voucher again, with which anyone could pay. For a voucher with value, requires approval if
 * the document may have been printed before, or if another person issued the voucher.
 */
function reprint(ctx: Ctx, id: VoucherId, who: Who): { print: ReceiptView['print'] } {
  const receipts = receiptsOf(ctx)
  const guard = guardOf(ctx)
  const here = voucherLedgerOf(ctx).find(id)
  const voucher = { ...here, balanceCents: worthOf(ctx).of(id) ?? here.balanceCents }
  const { kind, last4, balanceCents, cashierId } = voucher
  return ctx.transact((tx) => {
    if (balanceCents > 0 && (cashierId !== who.actorId || receipts.mayBePrinted(id))) {
      const facts = { of: 'voucher', kind, last4, balanceCents: cents(balanceCents) } as const
      const authorization = guard.need('voucher-reprint', who, facts, id)
      guard.record(tx, 'voucher-reprinted', id, authorization, { last4, balanceCents })
    }
    return receipts.reprint(
      { kind: 'voucher', id },
      { actorId: who.actorId, composed: (copy, locale) => paperOf(ctx, voucher, copy, locale) },
    )
  })
}

/**
 * Store credit and gift cards: issued once, never overdrawn. A voucher code is stored hashed and encrypted, and only
 * its printed document shows it.
 */
export const vouchersOf = perLane((ctx: Ctx) => {
  vouchersStateOf(ctx)
  inputEventsOf(ctx).on('voucher.presented', (code) => scanned(ctx, code))
  return {
    ...bound(ctx, {
      issue,
      enqueueDocument,
      remember,
      ofReturn,
      documentsOfSale,
      giveBack,
      prepareSale,
      sell,
      reprint,
      present,
      presentHere,
      pay,
      prepare,
    }),
    prepareReprint: worthOf(ctx).ask,
  }
})

/** Time in ms for which the requested value of a voucher is used for its reprint. */
const WORTH_VALID_MS = 5_000

export const worthOf = perLane((ctx: Ctx) => {
  const { clock } = ctx
  const rows = storeVoucherRowsOf(ctx)
  const ledger = voucherLedgerOf(ctx)
  const shared = storeVouchersOf(ctx)
  const known = new Map<VoucherId, { readonly cents: number; readonly until: number }>()
  return {
    /**
     * Requests the value of a voucher. Throws ProblemError `voucher-store-away`, `voucher-restored` or
     * `voucher-lanes-awaited` if only the store server knows it and cannot answer.
     */
    async ask(id: VoucherId): Promise<void> {
      if (shared === null || rows.byId(id) === null) return
      if (shared.isFrozen(id)) throw new ProblemError('voucher-restored')
      const found = await shared.find(ledger.codeOf(id))
      if (found?.kind !== 'known') {
        if (rows.hasMoved(id)) throw new ProblemError('voucher-store-away')
        return
      }
      if (found.awaits.length > 0) throw lanesAwaited('voucher-lanes-awaited', found.awaits)
      const elsewhere = found.at.reduce((sum, { cents }) => sum + cents, found.heldCents)
      known.set(id, { cents: rows.here(id) + rows.onItsWay(id) + elsewhere, until: clock.now() + WORTH_VALID_MS })
    },
    /** Returns the value of a voucher that was last requested, in cents, once; null without a requested value. */
    of(id: VoucherId): number | null {
      const asked = known.get(id)
      known.delete(id)
      return asked && asked.until > clock.now() ? asked.cents : null
    },
  }
})
