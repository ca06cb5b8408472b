/** The collector of a sale, and the offers of the program. */
import { CENTRE } from '../centre.ts'

export default {
  member: {
    title: 'Collector',
    none: 'No collector yet',
    noneHint: 'Swipe or scan the card at any moment, also before the first item.',
    number: '•••• ••• {last4}',
    numberSpoken: 'Collector number ending in {last4}',
    pending: 'Asking the program…',
    pendingHint: 'Keep scanning. The answer comes by itself, within twenty seconds.',
    askingFirst: 'Wait for the program’s answer about this card, then redeem.',
    askAgain: 'Ask again',
    available: 'Available to redeem',
    availableValue: '{amount}',
    availableMiles: '{miles} cash {count, plural, one {mile} other {miles}}',
    private: 'Keeps balances private',
    redemptionOpen:
      'The outcome of this sale’s redemption is not known, so miles cannot be redeemed again on it. Take cash or a card.',
    swiped: 'Swiped',
    scanned: 'Scanned',
    keyed: 'Keyed',
    PREREGISTERED: 'Registered',
    specialOffer: 'Special offer',
    announce: 'Collector ending in {last4}.',
    announceAvailable: '{amount} available to redeem.',
    saysReason: 'The program says: {message}',
    reason: {
      suppressed: 'This account keeps balances private and cannot redeem at the till.',
      'not-allowed': 'This account does not redeem at the till. Miles are earned as usual.',
      'account-inactive':
        'This account is not active: it neither redeems nor earns. The collector can ask the program why.',
      'account-closed':
        'The program says that this account is closed: it neither redeems nor earns. The collector can ask the program to open it again.',
      'account-deleted':
        'The program says that this account was deleted: it neither redeems nor earns. The collector can ask the program for a new card.',
      'collector-invalid':
        'The program does not know this card: it neither redeems nor earns. Check the card, or go on without it.',
      'insufficient-miles': 'Not enough cash miles to redeem today. Miles are earned as usual.',
      'daily-limit': 'The daily redemption limit is reached. It opens again tomorrow.',
      'nothing-offered': 'The program offers no redemption for this card now. Miles are earned as usual.',
      'temporarily-unavailable': 'Redemption is not available right now. Miles are earned as usual.',
      keyed: 'Miles can be redeemed only with the card: swipe or scan it.',
      'centre-unreachable': `${CENTRE.what.offline} ${CENTRE.todo.offline}`,
      'centre-secret-refused': `${CENTRE.what['secret-refused']} ${CENTRE.todo['secret-refused']}`,
      'centre-outage': `${CENTRE.what.outage} ${CENTRE.todo.outage}`,
      'centre-refused': 'The program refused the request. Go on without redeeming and tell a manager.',
      'basket-too-small': 'This basket is too small to redeem.',
      'gift-card': 'Miles do not pay for a gift card.',
    },
  },
  offers: {
    title: 'Offers in your region',
    intro: 'What collectors can earn with now.',
    count: '{count, plural, =0 {No offers} one {# offer} other {# offers}}',
    stale: 'The offer service does not answer. This list is from {time}.',
    fetched: 'Updated {time}',
    emptyTitle: 'No offers to show',
    empty: 'The region has no current offers, or the list was not fetched yet.',
    ends: 'Until {date}',
    legal: 'Conditions',
    loading: 'Loading offers…',
  },
} as const
