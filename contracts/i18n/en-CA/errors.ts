/** errors.<ProblemCode>: what happened and what to do, for the person at the lane. */
export default {
  'session-required': 'This window is no longer connected to the terminal. Close it and start Milepost again.',
  'launch-token-invalid':
    'This window was opened with a link that is used up or older than this terminal’s start. Use the window that is open, or the newest link that Milepost printed; or stop Milepost and start it again.',
  'launch-token-expired':
    'This window was opened with a link that waited too long. Where Milepost was started a new link has just been printed: open that one.',
  'sign-in-required': 'Sign in first.',
  'pin-wrong': 'That PIN is not right. Try again.',
  'pin-not-set': 'No PIN is set for you on this lane yet. Ask the installer to set one.',
  'pin-locked':
    'Too many wrong PINs. Wait until the time shown. To sign in sooner, another manager lifts the lock under Staff, or the installer sets a new PIN.',
  'pin-change-required': 'This PIN was set by somebody else. Choose your own to continue.',
  'pin-common': 'This PIN is easy to guess: the same digits, a row such as 1234, a date or a year. Choose another.',
  'pin-not-new': 'This is the PIN that you have. Choose another.',
  'approval-locked':
    'Too many wrong PINs were tried for what you asked. A supervisor can sign in and do it now; a manager can lift the lock under Staff.',
  'approver-locked':
    'Too many wrong PINs were tried in this person’s name. They can sign in and do it themselves; a manager lifts the lock under Staff.',
  'manager-required': 'Only a manager can do this. Ask a manager to sign in.',
  'approval-required': 'This needs the PIN of somebody who may approve it. Nothing was done yet.',
  'approver-not-allowed': 'This person may not approve. Ask a supervisor or a manager.',
  'host-refused': 'The terminal answers only on its own address. Start Milepost again.',
  'origin-refused': 'The terminal refuses calls from other pages. Start Milepost again.',
  'not-json': 'The terminal understands JSON only.',
  'body-too-large': 'That was too much data at once. Nothing was changed.',
  'key-missing': 'The program and its screen do not fit together. Close the window and open it again.',
  'key-reused': 'The program and its screen do not fit together. Close the window and open it again.',
  'body-invalid': 'That entry cannot be used. Check it and try again.',
  'not-found': 'That does not exist on this terminal.',
  'training-only': 'That exists in training mode only.',
  'training-centre-away': 'The training centre does not take orders. Close Milepost and start it again.',
  'sale-not-open': 'This sale is closed or on hold. Resume it, or start a new one.',
  'sale-stale': 'The sale has changed in the meantime. Look at it again, then repeat.',
  'sale-empty': 'There is nothing in this sale yet. Scan an item first.',
  'sale-held-by-redemption': 'Miles are being redeemed on this sale. Wait for the result.',
  'sale-below-tendered':
    'More has been paid already than the sale would be worth. Cancel the sale to give everything back.',
  'miles-pay-goods':
    'Miles paid for these goods, and miles do not pay for a gift card. Keep goods worth as much as the miles paid, or cancel the sale to give the miles back.',
  'sale-paid-on':
    'Something was paid on this sale already, or the outcome of its redemption is not known, so it cannot be put on hold. Finish it, or cancel it to give everything back.',
  'sale-not-held': 'That sale is not on hold any more. Look at the list again.',
  'sale-open-already': 'Another sale is open on this lane. Finish it or put it on hold, then resume this one.',
  'scan-gone': 'Nothing waits to be approved any more. Scan the item again.',
  'item-unknown': 'This item is not in the catalog. Search by name, or ask a manager.',
  'line-unknown': 'That line is not in the sale any more.',
  'quantity-invalid': 'Enter a quantity from 1 to 999.',
  'price-required': 'The price of this item must be entered. Ring it again and enter the price.',
  'price-out-of-bounds':
    'That price is outside what is allowed for this item. Check the price tag, then enter it again.',
  'price-same': 'That is the price already. Nothing was changed.',
  'discount-takes-nothing': 'There is nothing left to take off here. Nothing was changed.',
  'discount-exceeds':
    'That is more than there is to take off; gift cards are never reduced. Nothing was changed: enter a smaller amount.',
  'discount-unknown': 'That discount is not on the sale any more.',
  'coupon-unknown': 'This store has no such coupon. Check the code, or go on without it.',
  'coupon-not-yet': 'This coupon is not valid yet. Go on without it.',
  'coupon-expired': 'This coupon has expired. Go on without it.',
  'coupon-used': 'This coupon is on the sale already. Each counts once a sale.',
  'coupon-not-applicable':
    'Nothing in this sale goes with the coupon, or the sale is too small for it. Ring the items first.',
  'nothing-to-undo': 'There is nothing to undo: the last change cannot be taken back, or something has happened since.',
  'card-read-expired': 'That card read is too old. Swipe or scan the card again.',
  'collector-invalid': 'The program does not know this collector number. The sale can go on without it.',
  'collector-inactive': 'This collector account is not active. The sale can go on without it.',
  'collector-number-wrong':
    'That is not a collector number: it has eleven digits, and the first is an 8. Check it against the card and type it again.',
  'member-missing': 'Swipe or scan the collector card first.',
  'member-tied':
    'Miles were redeemed on this sale, so its collector can no longer be changed. Finish this sale, or cancel it to give the miles back.',
  'inquiry-pending':
    'The program is still being asked about this card. Redeem when it has answered; the sale goes on meanwhile.',
  'redemption-not-allowed': 'Miles cannot be redeemed on this sale.',
  'redemption-units-invalid': 'That is more than can be redeemed on this sale. Choose fewer units.',
  'redemption-in-flight': 'A redemption is already on its way. Wait for the result.',
  'tender-amount-invalid': 'Enter an amount greater than zero; cash in steps of five cents.',
  'tender-unknown': 'This payment was given back already. Look at the payments of the sale.',
  'tender-exceeds-due': 'That is more than what is due. Enter the amount due or less.',
  'reference-is-card': 'That is a card number. Never enter one here: type the approval number of the slip.',
  'nothing-due': 'Nothing is due on this sale.',
  'still-due': 'Something is still due on this sale. Take the payment first.',
  'sale-not-completed': 'This sale was not completed, so nothing of it can come back.',
  'return-nothing': 'These goods are not part of that sale. Choose the lines that come back.',
  'return-exceeds-sold': 'That is more than is left of a line. Look at what was returned already, and choose fewer.',
  'return-changed': 'What would go back has changed, and nothing was given back. Look at the new amounts, then repeat.',
  'return-not-covered':
    'That is more than was paid for this sale. Nothing was given back. Ask a manager to take the goods without a record.',
  'return-card-reference':
    'A part goes back to the card. Refund it on the card terminal first, then enter the approval number of the slip.',
  'voucher-code-invalid': 'That is no code of a store credit or gift card. Scan the paper, or type the letters again.',
  'voucher-unknown':
    'This lane did not issue that store credit or gift card, and nothing was taken off it. Take it to the lane named on its paper, or take another payment.',
  'voucher-empty': 'Nothing is left on this store credit or gift card. Take another payment.',
  'voucher-not-presented':
    'This store credit or gift card was not shown for this sale, or too long ago. Scan it again.',
  'voucher-balance': 'That is more than is left on it. Take what is left, and the rest another way.',
  'gift-card-used': 'This gift card was sold before. Take a new one.',
  'gift-card-price': 'A gift card is worth what is paid for it. Void the line and ring a card of another amount.',
  'gift-card-single': 'Each gift card has its own line. Ring another one.',
  'gift-card-kept': 'A gift card cannot be returned: it is paid with. Choose the other goods.',
  'gift-receipt-empty':
    'Nothing of this sale can be brought back, so a gift receipt would be empty. A gift card has a paper of its own.',
  'receipt-missing': 'There is no receipt for this sale yet.',
  'day-not-over':
    'This day is not over yet, so approvals may still come. Export it tomorrow; until then look at the preview.',
  'queue-entry-changed': 'That cannot be done with this entry as it stands now. Look at it again.',
  'miles-not-issued': 'That is more than what is left of the miles that this call issued. Enter fewer miles.',
  'offer-unknown': 'The store’s profile has no such offer. Choose one of the list.',
  'note-holds-number': 'This text holds a card number. Never write one down: the last four digits are enough.',
  'centre-unreachable': 'The program’s services cannot be reached. The sale can go on; miles will be issued later.',
  'centre-outage': 'The program’s services are down for maintenance. The sale can go on; miles will be issued later.',
  'centre-refused': 'The program’s services refused the request. Ask a manager to run an echo check.',
  'printer-unavailable': 'The printer does not answer. Check its paper, cover and cable, then print again.',
  'storage-failed':
    'The terminal cannot write to its disk and has stopped taking money. Call a manager; free disk space or replace the disk, then start Milepost again.',
  'database-changed':
    'The database of this terminal was changed by something else, and it has stopped taking money. Call a manager; keep the data folder and call support.',
  internal:
    'Something went wrong inside the terminal. Nothing was changed. Try again; if it repeats, call support with the number shown.',
} as const
