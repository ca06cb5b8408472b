/** The customer’s display. */
export default {
  customer: {
    label: 'Customer display',
    welcome: 'Welcome',
    welcomeHint: 'Your items will appear here.',
    total: 'Total',
    due: 'Left to pay',
    inCash: 'In cash {amount}',
    earn: 'Miles to earn',
    redeemed: 'Paid with miles',
    choice: 'You can pay {amount} with miles',
    choosing: '{amount} with miles?',
    redeeming: 'Paying {amount} with miles…',
    choiceMiles: '{miles} miles',
    thanks: 'Thank you!',
    change: 'Your change',
    earned: 'Miles earned',
    pending: 'Miles pending',
    offersTitle: 'Earn more today',
    closed: 'This lane is closed',
    items: 'Your items',
  },
} as const
