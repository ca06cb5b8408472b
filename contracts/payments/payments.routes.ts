import { z } from 'zod'
import { PresentCoupon, PresentedCoupon } from '../catalog/manufacturer-coupons.ts'
import { SaleId } from '../core/ids.ts'
import { ShowChoice } from '../sales/input.ts'
import {
  CancelSale,
  PrintAnswer,
  ReceiptView,
  Redeem,
  ReprintPaper,
  SaleAnswer,
  SaleCommand,
  TakeTenderBack,
} from '../sales/sales.ts'
import {
  CommitReturn,
  QuoteReturn,
  QuoteUnrecorded,
  ReturnableSale,
  ReturnQuote,
  ReturnWithoutRecord,
  SaleReturn,
  UnrecordedQuote,
} from './returns.ts'
import { CardTransactions, ChargeCard, ResolveCardTransaction } from './tenders/card-terminal.ts'
import { AddTender } from './tenders/registry.ts'
import {
  CashOut,
  CashedOut,
  PresentVoucher,
  ReprintVoucher,
  SellGiftCard,
  Voucher,
  VoucherDocuments,
  VoucherId,
} from './vouchers.ts'
import { DeliveryAnswer, DeliveryList, EmailReceipt, Invoice, MakeInvoice } from './receipt-delivery.ts'
import { routes } from '../core/route.ts'

const ReturnAnswer = z.object({ return: SaleReturn })

export const paymentsContract = routes('payments', {
  'POST /sales/:id/redemption': {
    summary: 'Redeem miles; answers when the outcome is known',
    command: 'awaited',
    params: { id: SaleId },
    body: Redeem,
    answer: SaleAnswer,
  },
  'POST /sales/:id/tenders': {
    summary: 'Add a payment that is typed or shown; the tender that reaches the total completes the sale',
    params: { id: SaleId },
    body: AddTender,
    answer: SaleAnswer,
  },
  'POST /manufacturer-coupons/present': {
    summary: 'Show what a manufacturer’s coupon pays of the open sale; changes nothing',
    command: 'reading',
    body: PresentCoupon,
    answer: z.object({ coupon: PresentedCoupon }),
  },
  'POST /sales/:id/tenders/:number/take-back': {
    summary: 'Give one payment back; the sale stays open, and miles are reversed',
    params: { id: SaleId, number: z.coerce.number().int().min(1) },
    body: TakeTenderBack,
    answer: SaleAnswer,
  },
  'POST /sales/:id/payout': {
    summary: 'Pay the negative total of a sale out in cash, and complete it',
    params: { id: SaleId },
    body: SaleCommand,
    answer: SaleAnswer,
  },
  'POST /sales/:id/complete': {
    summary: 'Complete a sale that costs nothing',
    params: { id: SaleId },
    body: SaleCommand,
    answer: SaleAnswer,
  },
  'POST /sales/:id/cancel': {
    summary: 'Cancel the sale; an approved redemption is reversed',
    params: { id: SaleId },
    body: CancelSale,
    answer: SaleAnswer,
  },
  'POST /sales/:id/card-payment': {
    summary: 'Send an amount to the card terminal; the outcome is sent as events',
    params: { id: SaleId },
    body: ChargeCard,
    answer: SaleAnswer,
  },
  'POST /sales/:id/card-payment/cancel': {
    summary: 'Ask the card terminal to stop the running payment',
    params: { id: SaleId },
    answer: SaleAnswer,
  },
  'GET /card-transactions': {
    summary: 'Card payments and refunds that a person must look at',
    access: 'manager',
    answer: CardTransactions,
  },
  'POST /card-transactions/:reference/resolve': {
    summary: 'The terminal’s own report of a transaction',
    access: 'manager',
    params: { reference: z.string().regex(/^[A-Z0-9]{1,10}$/) },
    body: ResolveCardTransaction,
    answer: CardTransactions,
  },
  'POST /vouchers/present': {
    summary: 'Show a voucher to pay with it',
    command: 'awaited',
    body: PresentVoucher,
    answer: z.object({ voucher: Voucher }),
  },
  'POST /vouchers/:id/reprint': {
    summary: 'Print the paper of a voucher again',
    params: { id: VoucherId },
    body: ReprintVoucher,
    answer: PrintAnswer,
  },
  'POST /vouchers/:id/cash-out': {
    summary: 'Pay out the small balance of a gift card in cash',
    params: { id: VoucherId },
    body: CashOut,
    answer: CashedOut,
  },
  'GET /sales/:id/vouchers': {
    summary: 'Vouchers that were issued at the end of this sale',
    params: { id: SaleId },
    answer: VoucherDocuments,
  },
  'POST /sales/current/gift-cards': {
    summary: 'Ring a gift card; opens a sale if necessary',
    body: SellGiftCard,
    answer: SaleAnswer,
  },
  'PUT /sales/:id/choice-shown': {
    summary: 'Show the units of the cashier’s stepper on the customer display; null when it was left',
    command: 'awaited',
    params: { id: SaleId },
    body: ShowChoice,
    answer: ShowChoice,
  },
  'GET /sales/:id/receipt': {
    summary: 'The receipt, without blocks that are for paper only',
    params: { id: SaleId },
    answer: ReceiptView,
  },
  'GET /sales/:id/receipt.svg': {
    summary: 'The receipt as an image, without blocks that are for paper only',
    params: { id: SaleId },
    file: ['image/svg+xml'],
  },
  'GET /sales/:id/receipt.png': {
    summary: 'The receipt as a PNG image, without blocks that are for paper only',
    params: { id: SaleId },
    file: ['image/png'],
  },
  'GET /sales/:id/receipt.pdf': {
    summary: 'The receipt as a PDF file, without blocks that are for paper only',
    params: { id: SaleId },
    file: ['application/pdf'],
  },
  'POST /sales/:id/gift-receipt': {
    summary: 'Print a gift receipt, without prices',
    params: { id: SaleId },
    answer: PrintAnswer,
  },
  'POST /sales/:id/reprint': {
    summary: 'Print the receipt again',
    params: { id: SaleId },
    body: ReprintPaper,
    answer: PrintAnswer,
  },
  'POST /sales/:id/email': {
    summary: 'Send the receipt by e-mail; the address is deleted after sending',
    params: { id: SaleId },
    body: EmailReceipt,
    answer: DeliveryAnswer,
  },
  'POST /sales/:id/invoice': {
    summary: 'The invoice of a sale as a PDF file for Letter paper',
    access: 'manager',
    command: 'reading',
    params: { id: SaleId },
    body: MakeInvoice,
    answer: Invoice,
  },
  'GET /receipt-deliveries': {
    summary: 'E-mails that wait, and those that could not be sent and no manager has seen',
    access: 'manager',
    answer: DeliveryList,
  },
  'POST /receipt-deliveries/:id/seen': {
    summary: 'Removes an e-mail that could not be sent from the list',
    access: 'manager',
    params: { id: z.uuid() },
    answer: DeliveryList,
  },
  'GET /sales/:id/returnable': {
    summary: 'Goods of a completed sale that can still be returned',
    params: { id: SaleId },
    answer: ReturnableSale,
  },
  'POST /returns/quote': {
    summary: 'Calculate the refunds of a return; changes nothing',
    command: 'reading',
    body: QuoteReturn,
    answer: ReturnQuote,
  },
  'POST /returns': {
    summary: 'Return goods of a sale',
    body: CommitReturn,
    answer: ReturnAnswer,
  },
  'POST /returns/without-record/quote': {
    summary: 'Calculate today’s value of goods of an unknown sale',
    command: 'reading',
    body: QuoteUnrecorded,
    answer: UnrecordedQuote,
  },
  'POST /returns/without-record': {
    summary: 'Return goods of an unknown sale, for store credit',
    body: ReturnWithoutRecord,
    answer: ReturnAnswer,
  },
  'GET /returns/:id': { summary: 'One return', params: { id: SaleId }, answer: ReturnAnswer },
  'GET /returns/:id/receipt': { summary: 'The slip of a return', params: { id: SaleId }, answer: ReceiptView },
  'POST /returns/:id/reprint': {
    summary: 'Print the slip of a return again',
    params: { id: SaleId },
    body: ReprintPaper,
    answer: PrintAnswer,
  },
})
