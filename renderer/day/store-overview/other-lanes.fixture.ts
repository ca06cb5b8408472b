import type { ApprovalRequest } from '../../../contracts/sales/approvals.ts'
import type { WaitingChanges } from '../../../contracts/staff/settings.ts'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'

const made = { lane: '02', at: '2026-11-21T13:40:00.000Z', by: 'Sam Okafor' }

/** One change of each kind, made at lane 02. */
export const WAITING_CHANGES: WaitingChanges = {
  changes: [
    {
      ...made,
      kind: 'person',
      subject: 'marie',
      clock: 1,
      what: { of: 'person', name: 'Marie Gagnon', role: 'supervisor', before: 'cashier', pinFrom: '02' },
    },
    { ...made, kind: 'person-pin', subject: 'sam', clock: 2, what: { of: 'pin', name: 'Sam Okafor' } },
    { ...made, kind: 'person-badge', subject: 'sam', clock: 3, what: { of: 'badge', name: 'Sam Okafor' } },
    {
      ...made,
      kind: 'setting',
      subject: 'approvals.discountAbovePercent',
      clock: 4,
      what: { of: 'setting', name: 'approvals.discountAbovePercent', before: 10, after: [25] },
    },
  ],
}

const request: ApprovalRequest = {
  of: 'sale',
  action: 'price',
  covers: 'c'.repeat(43),
  reason: null,
  exemption: null,
  limitPercent: null,
  approvers: ['supervisor', 'manager'],
  saleId: SaleId.parse('N101010000001K7QZ'),
  items: [
    {
      number: 1,
      name: { 'en-CA': 'Gala apples (bag)', 'fr-CA': 'Pommes Gala (sac)' },
      quantityBefore: 3,
      quantityAfter: 3,
      regularCents: cents(20_97),
      beforeCents: cents(20_97),
      afterCents: cents(3),
    },
  ],
  total: { beforeCents: cents(23_45), afterCents: cents(2_51) },
}

/** The refusal of a sale on hold whose prices are not this lane's. */
export const HELD_SALE_DIFFERS = {
  status: 409,
  body: {
    code: 'held-sale-differs',
    messages: { 'en-CA': english['held-sale-differs'], 'fr-CA': french['held-sale-differs'] },
    correlationId: 'c',
    approval: request,
  },
}
