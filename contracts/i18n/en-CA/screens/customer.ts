/** The customer’s display. */
export default {
  customer: {
    label: 'Customer display',
    welcome: 'Welcome',
    welcomeHint: 'Your items will appear here.',
    total: 'Total',
    due: 'Balance due',
    inCash: 'Cash {amount}',
    earn: 'Miles to earn',
    redeemed: 'Paid with miles',
    choice: 'Pay {amount} with miles',
    choosing: '{amount} with miles?',
    redeeming: 'Paying {amount} with miles…',
    choiceMiles: '{miles} miles',
    thanks: 'Thank you!',
    change: 'Your change',
    earned: 'Miles earned',
    pending: 'Miles pending',
    offersTitle: 'Earn more today',
    closed: 'Lane closed',
    items: 'Your items',
  },
} as const
