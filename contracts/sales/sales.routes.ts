import { z } from 'zod'
import { SaleId } from '../core/ids.ts'
import { AnswerAgeCheck } from './approvals.ts'
import { CopiedSale, HeldSales, HoldSale, ResumeSale } from './held-sales.ts'
import { CaptureInput, NextQuantity, TouchWindow } from './input.ts'
import {
  AddCoupon,
  ChangePrice,
  CorrectPrice,
  GiveDiscount,
  RemoveDiscount,
  SetBuyers,
  SetExemption,
  SetNote,
  UndoChange,
} from './sale-changes.ts'
import { EmptiesClasses } from '../catalog/charges.ts'
import { ChangeLine, CurrentSale, RingItem, RingScanned, SaleAnswer, TakeEmpties, VoidLine } from './sales.ts'
import { CurrentScale } from './weighing.ts'
import { routes } from '../core/route.ts'

const number = z.coerce.number().int().min(1)

export const salesContract = routes('sales', {
  'GET /sales/current': { summary: 'The open sale of this lane', answer: CurrentSale },
  'GET /sales/:id': { summary: 'One sale', params: { id: SaleId }, answer: SaleAnswer },
  'GET /scale': { summary: 'Reading of the scale of this lane', answer: CurrentScale },
  'POST /sales/current/lines': {
    summary: 'Ring an item; opens a sale if necessary',
    body: RingItem,
    answer: SaleAnswer,
  },
  'GET /empties': { summary: 'Empty containers that this store takes', answer: EmptiesClasses },
  'POST /sales/current/empties': {
    summary: 'Take back empty containers; opens a sale if necessary',
    body: TakeEmpties,
    answer: SaleAnswer,
  },
  'PUT /sales/:id/lines/:number': {
    summary: 'Change the quantity of a line',
    params: { id: SaleId, number },
    body: ChangeLine,
    answer: SaleAnswer,
  },
  'POST /sales/:id/lines/:number/void': {
    summary: 'Void a line',
    params: { id: SaleId, number },
    body: VoidLine,
    answer: SaleAnswer,
  },
  'POST /sales/:id/discounts': {
    summary: 'Give a discount on a line or on the sale',
    params: { id: SaleId },
    body: GiveDiscount,
    answer: SaleAnswer,
  },
  'POST /sales/:id/discounts/:number/remove': {
    summary: 'Remove a discount or a coupon',
    params: { id: SaleId, number },
    body: RemoveDiscount,
    answer: SaleAnswer,
  },
  'PUT /sales/:id/lines/:number/price': {
    summary: 'Change the price of a line',
    params: { id: SaleId, number },
    body: ChangePrice,
    answer: SaleAnswer,
  },
  'POST /sales/:id/lines/:number/shelf-price': {
    summary: 'Correct a line to the lower price on the shelf',
    params: { id: SaleId, number },
    body: CorrectPrice,
    answer: SaleAnswer,
  },
  'POST /sales/current/coupons': {
    summary: 'Apply a coupon to the open sale',
    body: AddCoupon,
    answer: SaleAnswer,
  },
  'PUT /sales/:id/exemption': {
    summary: 'Set or remove the tax exemption of the sale',
    params: { id: SaleId },
    body: SetExemption,
    answer: SaleAnswer,
  },
  'PUT /sales/:id/buyers': {
    summary: 'Apply or remove staff or seniors’ prices',
    params: { id: SaleId },
    body: SetBuyers,
    answer: SaleAnswer,
  },
  'PUT /sales/:id/note': {
    summary: 'Write a note on the sale or on a line',
    params: { id: SaleId },
    body: SetNote,
    answer: SaleAnswer,
  },
  'POST /sales/:id/undo': {
    summary: 'Undo the last change',
    params: { id: SaleId },
    body: UndoChange,
    answer: SaleAnswer,
  },
  'GET /sales/held': {
    summary: 'Held sales of all lanes of the store, the oldest first',
    answer: HeldSales,
  },
  'POST /sales/:id/hold': {
    summary: 'Put the open sale on hold',
    params: { id: SaleId },
    body: HoldSale,
    answer: SaleAnswer,
  },
  'POST /sales/:id/resume': {
    summary: 'Resume a held sale as the open sale of this lane',
    command: 'awaited',
    params: { id: SaleId },
    body: ResumeSale,
    answer: SaleAnswer,
  },
  'POST /sales/:id/copy': {
    summary: 'Ring the goods of a held sale that cannot be resumed now, at today’s prices',
    params: { id: SaleId },
    answer: CopiedSale,
  },
  'POST /sales/:id/age-check': {
    summary: 'Answer the age check of a sale; a refusal removes the items',
    params: { id: SaleId },
    body: AnswerAgeCheck,
    answer: SaleAnswer,
  },
  'POST /sales/current/lines/scanned': {
    summary: 'Ring the scanned item that waits for an approval',
    body: RingScanned,
    answer: SaleAnswer,
  },
  'POST /input/acting': {
    summary: 'Make this window the acting window, which shows requests to the person',
    access: 'window',
    byItself: true,
    command: 'awaited',
    body: TouchWindow,
  },
  'POST /input/claims': {
    summary: 'Send the next cards or items to this window, or to the sale again',
    byItself: true,
    command: 'awaited',
    body: CaptureInput,
  },
  'POST /input/quantity': {
    summary: 'Set the quantity of the next item that is rung',
    command: 'awaited',
    body: NextQuantity,
  },
})
