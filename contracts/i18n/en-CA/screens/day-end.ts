/** Drawers and the end of the day. */
export default {
  shifts: {
    kind: {
      'paid-in': 'Paid in',
      'paid-out': 'Paid out',
      drop: 'Drop to safe',
      pickup: 'Pickup',
      'no-sale': 'Open drawer, no sale',
    },
    slipNotPrinted: 'Slip not printed. The drawer may not have opened.',
  },
} as const
