import { navigate } from 'wouter/use-browser-location'
import { INTO_BASKET, useSale } from '../sales/sale.ts'
import { askMemberAgain, canRepeatInquiry } from '../loyalty/member/member-inquiry.ts'
import { removeMember } from '../sales/sale-commands.ts'
import { HELD_SALES_PATH, useHeldSales } from '../sales/held-sales.ts'
import { OPT_IN_ALL, optInToAll, useBasketOffers } from '../loyalty/offers/basket-offers.ts'
import { openHistory } from '../loyalty/member/member-history.ts'
import {
  beginMemberSession,
  cancelMemberSession,
  printMemberCode,
  sessionOf,
} from '../loyalty/member/member-session.ts'
import { useShell } from '../core/state/window.ts'
import { canClose, idle, onSale, redeeming, redemptionOutcome, type Action, type ActionContext } from './action.ts'

const isSigningIn = ({ state, memberSession }: ActionContext): boolean => {
  const session = sessionOf(state.current?.id, memberSession)
  return session !== null && session.state !== 'ended'
}

const hasSignedIn = ({ state, memberSession }: ActionContext): boolean =>
  sessionOf(state.current?.id, memberSession)?.state === 'signed-in'

export const CUSTOMER_ACTIONS = [
  {
    id: 'sale-hold',
    labelKey: 'actions.sale-hold',
    keys: ['F5'],
    after: INTO_BASKET,
    group: 'selling',
    when: (c) =>
      canClose(c) &&
      idle(c, 'hold') &&
      c.state.current?.tenders.length === 0 &&
      redemptionOutcome(c) !== 'approved' &&
      c.state.current.redemption?.state !== 'escalated',
    perform: () => useHeldSales.setState({ naming: true }),
  },
  {
    id: 'held-sales',
    labelKey: 'actions.held-sales',
    keys: ['Shift+F5'],
    group: 'selling',
    when: (c) => c.path !== HELD_SALES_PATH,
    perform: () => navigate(HELD_SALES_PATH),
  },
  {
    id: 'member-key',
    labelKey: 'actions.member-key',
    keys: ['Shift+F3'],
    group: 'selling',
    when: (c) =>
      onSale(c) &&
      idle(c, 'member') &&
      !redeeming(c) &&
      (c.state.current?.redemption == null || ['declined', 'reversed'].includes(c.state.current.redemption.state)),
    perform: () => useShell.setState({ keyingCollector: true }),
  },
  {
    id: 'member-ask',
    labelKey: 'actions.member-ask',
    keys: ['Ctrl+M'],
    group: 'selling',
    when: (c) => onSale(c) && idle(c, 'member') && !redeeming(c) && canRepeatInquiry(c.state.current),
    perform: askMemberAgain,
  },
  {
    id: 'member-sign-in',
    labelKey: 'actions.member-sign-in',
    keys: ['Ctrl+J'],
    group: 'selling',
    when: (c) =>
      onSale(c) &&
      c.memberSession.offered &&
      c.state.current?.member != null &&
      idle(c, 'member-session') &&
      !isSigningIn(c),
    perform: beginMemberSession,
  },
  {
    id: 'member-sign-in-cancel',
    labelKey: 'actions.member-sign-in-cancel',
    keys: ['Ctrl+J'],
    group: 'selling',
    when: (c) => onSale(c) && idle(c, 'member-session') && isSigningIn(c),
    perform: cancelMemberSession,
  },
  {
    id: 'member-sign-in-print',
    labelKey: 'actions.member-sign-in-print',
    keys: ['Ctrl+U'],
    group: 'selling',
    when: (c) =>
      onSale(c) && !c.memberSession.printing && sessionOf(c.state.current?.id, c.memberSession)?.state === 'waiting',
    perform: printMemberCode,
  },
  {
    id: 'basket-offers',
    labelKey: 'actions.basket-offers',
    keys: ['Ctrl+F'],
    group: 'selling',
    when: (c) => onSale(c) && c.state.current !== null && c.panel !== 'after',
    perform: () => useBasketOffers.setState({ open: true }),
  },
  {
    id: 'offers-opt-in',
    labelKey: 'actions.offers-opt-in',
    keys: ['Ctrl+Y'],
    group: 'selling',
    when: (c) => onSale(c) && c.state.current !== null && c.offersToOptIn > 0 && idle(c, OPT_IN_ALL),
    perform: optInToAll,
  },
  {
    id: 'member-history',
    labelKey: 'actions.member-history',
    keys: ['Ctrl+H'],
    group: 'selling',
    when: (c) => onSale(c) && c.memberHistory && hasSignedIn(c),
    perform: openHistory,
  },
  {
    id: 'earning',
    labelKey: 'actions.earning',
    keys: ['Shift+F6'],
    group: 'selling',
    when: (c) => onSale(c) && c.state.current?.member != null && c.state.current.milesPreview !== null,
    perform: () => useShell.setState({ earningOpen: true }),
  },
  {
    id: 'member-remove',
    labelKey: 'actions.member-remove',
    keys: ['Shift+F8'],
    group: 'selling',
    when: (c) =>
      onSale(c) &&
      c.state.current?.member != null &&
      c.state.current.redemption?.state !== 'approved' &&
      c.panel !== 'redemption' &&
      idle(c, 'member'),
    perform: () => removeMember(),
  },
  {
    id: 'sale-cancel',
    labelKey: 'actions.sale-cancel',
    keys: ['Shift+Delete'],
    yieldsToFields: true,
    after: INTO_BASKET,
    group: 'selling',
    when: (c) => onSale(c) && c.state.current !== null && idle(c, 'cancel') && idle(c, 'tender') && !redeeming(c),
    perform: () => useSale.setState({ confirmingCancel: true }),
  },
] as const satisfies readonly Action[]
