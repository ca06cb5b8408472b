/** The offers of the program as they stand to the open sale: the line below the basket, and all of them. */
export default {
  basketOffers: {
    title: 'Offers for this sale',
    line: 'Offers',
    lineNone: 'No offer earned yet',
    lineEarned: 'Earned: {awards}',
    lineCode: 'Apply the code for {award}',
    lineOptIn: '{count, plural, one {# offer waits} other {# offers wait}} for an opt-in',
    lineOptInMiles: '{count, plural, one {# offer waits} other {# offers wait}} for an opt-in (+{miles})',
    lineChanging: 'Opting in…',
    others: '{count, plural, other {+# more}}',
    optInShort: 'Opt in',
    moreCents: '{amount} more for {award}',
    morePieces: '{count, plural, one {One more item} other {# more items}} for {award}',
    loading: 'Checking offers…',
    failed: 'Offers not updated.',
    notDone: 'Not done: {award}. {why}',
    confirmed: 'Offers updated.',
    refused: {
      expired: 'Offer is over. Choose another one.',
      'not-live': 'Offer has not started. Try again on its first day.',
      region: 'Offer is not for this region. It cannot be used here.',
      exclusive: 'Offer is for chosen members. This member cannot use it.',
      'not-found': 'The program no longer has this offer. Choose another one.',
      other: 'Refused by the program. Try again, or the member does it in the program’s app.',
    },
  },
} as const
