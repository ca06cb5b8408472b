import type { Format } from '../core/i18n/format.ts'
import {
  BEFORE_PAYING,
  hasCashToPayOut,
  isCharging,
  isPayment,
  PAYMENT_KEYS,
  PAYMENTS,
  nextCustomer,
  setStage,
  useSale,
} from '../sales/sale.ts'
import { notifyInquiryPending } from '../loyalty/member/member-inquiry.ts'
import { charge, completeFree, payOut, redeem, stopCharge, dismissOutcome, pay } from '../sales/sale-commands.ts'
import { notify } from '../core/state/notices.ts'
import { canClose, idle, onSale, redeeming, redemptionOutcome, type Action, type ActionContext } from './action.ts'

const canPay = (context: ActionContext): boolean =>
  canClose(context) && (context.state.current?.totals.dueCents ?? 0) > 0

const hasTerminal = ({ payments }: ActionContext): boolean => payments.includes('card-terminal')

const canRedeem = (context: ActionContext): boolean =>
  canPay(context) &&
  context.panel !== 'redemption' &&
  context.state.current?.redemptionChoice != null &&
  idle(context, 'redemption')

/**
 * Whether a coupon or voucher is shown that pays when it is confirmed. A key that pays at once would complete the sale
 * without it.
 */
const isConfirming = ({ panel, state }: ActionContext): boolean =>
  (panel === 'manufacturer-coupon' && state.manufacturerCoupon !== null) ||
  (panel === 'voucher' && state.voucher !== null)

const notifyConfirmFirst = (): void => notify('warning', ({ t }) => t('tender.confirmFirst'))

/** Whether the program has not yet answered what this collector card may redeem; the redeem key then shows a notice. */
const isAsking = ({ state }: ActionContext): boolean => state.current?.member?.state === 'pending'

const chosenUnits = (context: ActionContext): number => {
  const choice = context.state.current?.redemptionChoice
  return context.state.units ?? choice?.defaultUnits ?? 0
}

const unitsAmount = (context: ActionContext, format: Format, units: number): Record<string, string> => ({
  amount: format.money(units * (context.state.current?.redemptionChoice?.unitCents ?? 0)),
})

const changeUnits =
  (step: 1 | -1) =>
  (context: ActionContext): void => {
    const choice = context.state.current?.redemptionChoice
    if (choice) useSale.setState({ units: Math.min(Math.max(chosenUnits(context) + step, 1), choice.maxUnits) })
  }

export const PAYING_ACTIONS = [
  {
    id: 'redeem',
    labelKey: 'actions.redeem',
    plainKey: 'actions.redeem-plain',
    values: (c, f) => unitsAmount(c, f, c.state.current?.redemptionChoice?.defaultUnits ?? 0),
    keys: ['F4'],
    after: BEFORE_PAYING,
    group: 'paying',
    when: (c) => (canRedeem(c) && c.panel !== 'redeem') || (canPay(c) && isAsking(c)),
    perform: (c) => {
      if (isConfirming(c)) return notifyConfirmFirst()
      return isAsking(c) ? notifyInquiryPending() : redeem(c.state.current?.redemptionChoice?.defaultUnits ?? 0)
    },
  },
  {
    id: 'redeem-other',
    labelKey: 'actions.redeem-other',
    keys: ['Shift+F4'],
    group: 'paying',
    when: (c) => canRedeem(c) && c.panel !== 'redeem',
    perform: () => setStage('redeem'),
  },
  {
    id: 'units-more',
    labelKey: 'redeem.more',
    keys: ['ArrowUp', '+'],
    yieldsToFields: true,
    repeats: true,
    group: 'paying',
    when: (c) =>
      onSale(c) && c.panel === 'redeem' && chosenUnits(c) < (c.state.current?.redemptionChoice?.maxUnits ?? 0),
    perform: changeUnits(1),
  },
  {
    id: 'units-fewer',
    labelKey: 'redeem.fewer',
    keys: ['ArrowDown', '-'],
    yieldsToFields: true,
    repeats: true,
    group: 'paying',
    when: (c) => onSale(c) && c.panel === 'redeem' && chosenUnits(c) > 1,
    perform: changeUnits(-1),
  },
  {
    id: 'redeem-confirm',
    labelKey: 'actions.redeem-confirm',
    plainKey: 'actions.redeem-plain',
    values: (c, f) => unitsAmount(c, f, chosenUnits(c)),
    keys: ['Enter', 'F4'],
    after: BEFORE_PAYING,
    group: 'paying',
    when: (c) => canRedeem(c) && c.panel === 'redeem',
    perform: (c) => redeem(chosenUnits(c)),
  },
  {
    id: 'redemption-continue',
    labelKey: 'actions.redemption-continue',
    keys: ['Enter', 'Escape'],
    group: 'paying',
    when: (c) => onSale(c) && c.panel === 'redemption' && redemptionOutcome(c) === 'approved',
    perform: dismissOutcome,
  },
  {
    id: 'redemption-dismiss',
    labelKey: 'actions.redemption-dismiss',
    keys: ['Enter', 'Escape'],
    group: 'paying',
    when: (c) =>
      onSale(c) &&
      c.panel === 'redemption' &&
      (redemptionOutcome(c) === 'failed' || redemptionOutcome(c) === 'reversal'),
    perform: dismissOutcome,
  },
  ...PAYMENTS.map(
    (kind) =>
      ({
        id: kind,
        labelKey: `tender.pay.${kind}`,
        keys: [PAYMENT_KEYS[kind]],
        payments: [kind],
        group: 'paying',
        when: (c) => canPay(c) && c.payments.includes(kind) && c.panel !== kind && !(kind === 'card' && hasTerminal(c)),
        perform: (c) => {
          if (kind === 'card-terminal' && isConfirming(c)) return notifyConfirmFirst()
          dismissOutcome()
          setStage(kind)
          // One key sends the whole amount due to the card terminal. After a cancel there, another amount can be sent.
          if (kind === 'card-terminal') return charge(c.state.current?.totals.dueCents ?? 0)
        },
      }) satisfies Action,
  ),
  {
    id: 'card-slip',
    labelKey: 'actions.card-slip',
    keys: ['Ctrl+F8'],
    payments: ['card', 'card-terminal'],
    group: 'paying',
    when: (c) => canPay(c) && c.payments.includes('card') && hasTerminal(c) && c.panel !== 'card',
    perform: () => {
      dismissOutcome()
      setStage('card')
    },
  },
  {
    id: 'card-part',
    labelKey: 'actions.card-part',
    keys: ['Ctrl+F6'],
    payments: ['card-terminal'],
    group: 'paying',
    when: (c) => canPay(c) && hasTerminal(c) && c.panel !== 'card-terminal',
    perform: () => {
      dismissOutcome()
      setStage('card-terminal')
    },
  },
  {
    id: 'card-stop',
    labelKey: 'actions.card-stop',
    keys: ['Escape'],
    payments: ['card-terminal'],
    group: 'paying',
    when: (c) => onSale(c) && isCharging(c.state.current?.cardPayment),
    perform: stopCharge,
  },
  {
    id: 'tender-back',
    labelKey: 'actions.tender-back',
    keys: ['Ctrl+B'],
    group: 'paying',
    when: (c) =>
      canClose(c) &&
      (c.panel === 'ring' || c.panel === 'quick' || c.panel === 'redemption') &&
      c.state.current !== null &&
      c.state.current.tenders.length > 0 &&
      idle(c, 'cancel'),
    perform: (c) => useSale.setState({ givingBack: c.state.current?.tenders.at(-1)?.number ?? null }),
  },
  {
    id: 'gift-card',
    labelKey: 'actions.gift-card',
    keys: ['Ctrl+G'],
    group: 'selling',
    when: (c) => onSale(c) && !redeeming(c) && (c.panel === 'ring' || isPayment(c.panel)) && idle(c, 'gift-card'),
    perform: () => setStage('gift-card'),
  },
  {
    id: 'cash-exact',
    labelKey: 'actions.cash-exact',
    plainKey: 'actions.cash-exact-plain',
    values: (c, f) => ({ amount: f.money(c.state.current?.totals.cashDueCents ?? 0) }),
    keys: ['F9'],
    after: BEFORE_PAYING,
    payments: ['cash'],
    group: 'paying',
    when: (c) => canPay(c) && c.payments.includes('cash') && c.panel !== 'gift-card',
    perform: (c) =>
      isConfirming(c)
        ? notifyConfirmFirst()
        : pay({ kind: 'cash', tenderedCents: c.state.current?.totals.cashDueCents ?? 0 }),
  },
  {
    id: 'complete-free',
    labelKey: 'actions.complete-free',
    keys: ['F9'],
    after: BEFORE_PAYING,
    group: 'paying',
    when: (c) => canClose(c) && c.state.current?.totals.dueCents === 0,
    perform: completeFree,
  },
  {
    id: 'pay-out',
    labelKey: 'actions.pay-out',
    values: (c, f) => ({ amount: f.money(0 - (c.state.current?.totals.cashDueCents ?? 0)) }),
    plainKey: 'actions.pay-out-plain',
    keys: ['F9'],
    after: BEFORE_PAYING,
    group: 'paying',
    when: (c) => canClose(c) && (c.state.current?.totals.dueCents ?? 0) < 0 && c.state.current?.tenders.length === 0,
    perform: payOut,
  },
  {
    id: 'next-customer',
    labelKey: 'actions.next-customer',
    keys: ['Enter'],
    group: 'paying',
    when: (c) =>
      onSale(c) &&
      c.state.closed !== null &&
      c.panel === 'after' &&
      (c.state.closedSeen || !hasCashToPayOut(c.state.closed)),
    perform: nextCustomer,
  },
] as const satisfies readonly Action[]
