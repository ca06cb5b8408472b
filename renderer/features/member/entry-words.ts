import type { MessageKey } from '../../i18n/message-key.ts'

/** How a card came to the lane, in a cashier's words and not in those of the wire. */
export const ENTRY_WORDS = {
  SWIPE: 'member.swiped',
  SCAN: 'member.scanned',
  KEYED: 'member.keyed',
  PREREGISTERED: 'member.PREREGISTERED',
} as const satisfies Record<string, MessageKey>
