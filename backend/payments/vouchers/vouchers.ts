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
import { hashOf, pay, prepare, present, presentHere, putBack } from './voucher-paying.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { salesOf } from '../../sales/sales.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { receiptsOf } from '../receipts/receipts.ts'
import { storeVouchersOf } from './store-vouchers.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { shownVouchersOf } from './shown.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { inputEventsOf } from '../../sales/input/dispatcher.ts'
import { storeVoucherRowsOf } from '../rows/store-vouchers.sql.ts'

/** Who looks at a list of vouchers. */
export type VoucherReader = Pick<Staff, 'id' | 'role'>

export type Vouchers = ReturnType<typeof vouchersOf>

const vouchersStateOf = perLane((ctx: Ctx) => {
  /** The gift cards of a sale begin to pay in the commit that completes it. */
  domainEventsOf(ctx).on('sale.completed', (tx, { parts: { sale, lines } }) => {
    for (const { lineNumber, codeHash, codeSealed } of voucherRowsOf(ctx).giftCards(sale.id)) {
      const line = lines.find(({ number, voided }) => number === lineNumber && voided === 0)
      if (!line) {
        leave(ctx, sale.id, lineNumber, codeSealed)
        continue
      }
      // A card that another sale has sold meanwhile gets a code of its own: the money that was taken must not be lost,
      // nor an approval of miles undone.
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
      leave(ctx, saleId, lineNumber, codeSealed)
  })
  return {
    /** The unsold card that was scanned last. */
    blank: null as { readonly code: string; readonly until: number } | null,
  }
})

const placeOfCard = (saleId: string, line: number): string => placeOf('sale_gift_card', 'code_sealed', saleId, line)

const codeOfCard = (ctx: Ctx, saleId: string, line: number, opaque: Buffer): string =>
  ctx.seal.open(opaque, placeOfCard(saleId, line)).toString()

const sealed = (ctx: Ctx, code: string, place: string): Buffer => ctx.seal.seal(Buffer.from(code), place)

const newId = (ctx: Ctx): VoucherId => VoucherId.parse(ctx.rng.uuid().replaceAll('-', '').toUpperCase())

/** As a list names it to this person: whoever did not issue it and may approve nothing has no use for its id. */
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
    else ctx.log.error({ err: error }, 'a voucher before the scanner could not be looked up')
  }
}

function refuseScan(ctx: Ctx, code: string, error: unknown): void {
  const state = vouchersStateOf(ctx)
  if (!(error instanceof ProblemError)) throw error
  // With the store away nobody knows whether it was sold: as a card to sell it is taken at its own button.
  if (error.code === 'voucher-unknown' || error.code === 'voucher-store-away')
    state.blank = { code, until: ctx.clock.now() + ctx.profile.limits.cardReadMs }
  if (error.code === 'voucher-unknown') ctx.publish({ type: 'gift-card-scanned', last4: lastFour(code) })
  else ctx.publish({ type: 'scan-refused', code: error.code, messages: error.words() })
}

/** Worth something from the commit that this is a part of; `code` and `hash` of a card that has one already. */
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

/** Its paper, while there is something left to pay with. */
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

/** The sale ends without it. Until then a void line may be taken back, so that no other lane gets its card. */
function leave(ctx: Ctx, saleId: string, line: number, codeSealed: Buffer | null): void {
  if (storeVouchersOf(ctx) === null || codeSealed === null) return
  const code = codeOfCard(ctx, saleId, line, codeSealed)
  ctx.transact.afterCommit(() => giveUp(ctx, code))
}

/** Any lane may sell it, unless another sale of this lane has it. */
function giveUp(ctx: Ctx, code: string): void {
  if (!voucherRowsOf(ctx).isBeingSold(ctx.lane.id, hashOf(ctx, code))) storeVouchersOf(ctx)?.forgo(code)
}

/** The code of a card that has one: typed, or of the card that was scanned last; null: a new code is printed. */
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

/** The vouchers whose paper the end of this sale made, and where those documents are. */
const documentsOfSale = (ctx: Ctx, saleId: string, reader: VoucherReader): VoucherDocument[] =>
  voucherRowsOf(ctx)
    .documentsOfSale(saleId)
    .map((voucher) => ({ ...listedFor(reader, voucher), print: receiptsOf(ctx).printState(voucher.id) }))

/** A voucher before the scanner: the screens hear what it is, never its code. */
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

/** What a tender took is on the voucher again. Answers the balance. */
function giveBack(ctx: Ctx, tx: Tx, saleId: Sale['id'], voucherId: VoucherId, amountCents: number): number {
  const left = putBack(ctx, tx, saleId, voucherId, amountCents)
  // Store credit that paid an exchange at once never needed a paper: now it is all that the customer has.
  if (voucherRowsOf(ctx).byId(voucherId) && receiptsOf(ctx).printState(voucherId) === null)
    enqueueDocument(ctx, tx, voucherId)
  return left
}

/**
 * Asks the store whether a card with a number of its own may be sold here, as `Activations.begin` says. What it
 * answers is called when the command has ended: a card that was not rung is given up.
 */
async function prepareSale(ctx: Ctx, card: Pick<SellGiftCard, 'code' | 'scanned'>): Promise<(() => void) | undefined> {
  const shared = storeVouchersOf(ctx)
  const code = shared === null ? null : cardCode(ctx, card)
  if (code === null) return undefined
  await shared?.activate(code)
  return () => giveUp(ctx, code)
}

/** Rings a gift card. It is worth nothing until the sale is completed. */
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
 * A paper with the code on it pays: while one may be out already, and for whoever did not issue it, another is
 * somebody's word.
 */
function reprint(ctx: Ctx, id: VoucherId, who: Who): { print: ReceiptView['print'] } {
  const receipts = receiptsOf(ctx)
  const guard = guardOf(ctx)
  const here = voucherLedgerOf(ctx).find(id)
  const voucher = { ...here, balanceCents: worthOf(ctx).of(id) ?? here.balanceCents }
  const { kind, last4, balanceCents, cashierId } = voucher
  return ctx.transact((tx) => {
    if (balanceCents > 0 && (cashierId !== who.actorId || receipts.mayBeOut(id))) {
      const facts = { of: 'voucher', kind, last4, balanceCents: cents(balanceCents) } as const
      const word = guard.need('voucher-reprint', who, facts, id)
      guard.record(tx, 'voucher-reprinted', id, word, { last4, balanceCents })
    }
    return receipts.reprint(
      { kind: 'voucher', id },
      { actorId: who.actorId, composed: (copy, locale) => paperOf(ctx, voucher, copy, locale) },
    )
  })
}

/**
 * Store credit and gift cards: issued once, paid with until nothing is left, never overdrawn. A code is known by its
 * keyed hash, and opened for its paper alone.
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
    /** Asks what the store knows of it, for the paper that says what is left. */
    prepareReprint: worthOf(ctx).ask,
  }
})

/** So long what the store said is used for the paper that asked for it, which follows at once. */
const KEPT_MS = 5_000

/** What a voucher is worth wherever its value lies, for a paper that says so. */
export const worthOf = perLane((ctx: Ctx) => {
  const { clock } = ctx
  const rows = storeVoucherRowsOf(ctx)
  const ledger = voucherLedgerOf(ctx)
  const shared = storeVouchersOf(ctx)
  const known = new Map<VoucherId, { readonly cents: number; readonly until: number }>()
  return {
    /**
     * Asks the store. Throws ProblemError `voucher-store-away`, `voucher-restored` or `voucher-lanes-awaited` where it
     * alone would know.
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
      known.set(id, { cents: rows.here(id) + rows.onItsWay(id) + elsewhere, until: clock.now() + KEPT_MS })
    },
    /** As the store has just said, in cents; null where it was not asked. */
    of(id: VoucherId): number | null {
      const asked = known.get(id)
      known.delete(id)
      return asked && asked.until > clock.now() ? asked.cents : null
    },
  }
})
