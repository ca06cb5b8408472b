import type { NoticeCode, ResponseCode } from '../../central/codes.ts'

/** What happened, and what a manager can do about it. */
export interface ExceptionWords {
  readonly says: string
  readonly todo: string
}

/** Why a call of a kind stays on the manager's list, whatever code it ended with. */
export type Situation =
  | 'secret-refused'
  | 'redemption-escalated'
  | 'reversal-unanswered'
  | 'reversal-expired'
  | 'reversal-credited'
  | 'reversal-escalated'
  | 'issuance-escalated'
  | 'issuance-refused'
  | 'issuance-unsent'
  | 'issuance-nameless'
  | 'issuance-accepted'
  | 'issuance-dead'
  | 'issuance-rejected'

/**
 * For the manager's list: `code` by the services' own code, `state` where no code says more; `notice` by a code that
 * keeps miles waiting until somebody mends a setting.
 */
export default {
  code: {
    '0000': { says: 'Approved.', todo: 'Nothing.' },
    '0001': { says: 'Approved. The collector keeps balances private.', todo: 'Nothing.' },
    '0002': {
      says: 'The collector’s account is not active.',
      todo: 'The collector can ask the program why. Write down what was agreed.',
    },
    '0005': {
      says: 'The collector keeps balances private and cannot redeem at the checkout.',
      todo: 'Nothing was taken. Nothing can be sent again.',
    },
    '0006': {
      says: 'The collector’s account does not redeem at the checkout.',
      todo: 'Nothing was taken. Nothing can be sent again.',
    },
    '0008': {
      says: 'The program’s switch timed out, also on the second try.',
      todo: 'Ask the program’s support, by the trace id, what became of it.',
    },
    '0009': {
      says: 'The program asks for the card itself: it was not swiped or scanned.',
      todo: 'Redeem again on a new sale with the card.',
    },
    '0025': {
      says: 'The program does not know this collector number.',
      todo: 'Check the number with the collector, and the card.',
    },
    '0035': {
      says: 'The program could not read the request.',
      todo: 'Call support with the trace id: the store’s settings may be wrong.',
    },
    '0051': { says: 'There are not enough cash miles in the account.', todo: 'Nothing was taken.' },
    '0057': {
      says: 'The program does not know this confirmation number.',
      todo: 'Check the confirmation number with the program’s support before anything is given back.',
    },
    '0065': { says: 'The collector’s daily limit is reached.', todo: 'Nothing was taken. It opens again tomorrow.' },
    '0066': { says: 'The purchase is too small to redeem.', todo: 'Nothing was taken.' },
    '0067': { says: 'The redemption offer is not available right now.', todo: 'Try later.' },
    '0080': {
      says: 'The reversal came after 03:00 of the day after: its window is closed.',
      todo: 'Give the customer store credit or a gift card, never cash, and write it down here.',
    },
    '0092': { says: 'The program was down for maintenance.', todo: 'Wait: it is sent when the program is back.' },
    '0096': {
      says: 'The program’s server failed, also on the second try.',
      todo: 'Ask the program’s support, by the trace id, what became of it.',
    },
    '202': { says: 'The store’s location code was not sent.', todo: 'Correct it with this store’s location code.' },
    '203': {
      says: 'The program does not know the offer code of these miles.',
      todo: 'Ask the program for the right offer code. Miles under it were not issued.',
    },
    '204': {
      says: 'The offer of these miles has ended.',
      todo: 'Ask the program whether the offer still holds for this sale.',
    },
    '205': {
      says: 'The store’s location code is not active.',
      todo: 'Correct it with a location code that is active.',
    },
    '207': {
      says: 'These miles are no multiple of what the offer allows.',
      todo: 'Check the rules of the offer with the program.',
    },
    '208': {
      says: 'These miles are more than the offer allows.',
      todo: 'Check the rules of the offer with the program.',
    },
    '221': {
      says: 'The program does not know the store’s sponsor code.',
      todo: 'Have the installer check the store’s profile, then correct and send.',
    },
    '224': {
      says: 'The collector’s account is closed.',
      todo: 'If the collector has another card, correct it with that card.',
    },
    '225': {
      says: 'The store’s sponsor code has expired.',
      todo: 'Have the installer check the store’s profile, then correct and send.',
    },
    '230': {
      says: 'The program does not know the store’s location code.',
      todo: 'Correct it with this store’s location code.',
    },
    '232': {
      says: 'The collector’s account was deleted.',
      todo: 'If the collector has another card, correct it with that card.',
    },
    '234': {
      says: 'The program does not know this collector number.',
      todo: 'Have the collector’s card swiped again, and correct it with that card.',
    },
    '000': {
      says: 'The program put the miles aside for a reason that it does not tell.',
      todo: 'Wait: the program settles it. Ask its support if the miles stay out.',
    },
  } satisfies Record<ResponseCode, ExceptionWords>,
  state: {
    'redemption-escalated': {
      says: 'Nobody knows whether the miles were taken. The customer was told that they were not, and paid in another way.',
      todo: 'Ask the program’s support, with the trace id below, whether miles were taken; if so, they give them back. Then write down what was found.',
    },
    'secret-refused': {
      says: 'The program refuses this lane’s client secret or its tokens. Nothing can be sent; miles earned wait.',
      todo: 'Have the installer set the secret again on this lane; if it is right, call the program’s support. This notice goes by itself as soon as it is accepted.',
    },
    'reversal-unanswered': {
      says: 'The program has not confirmed that the miles are back. The terminal goes on asking by itself, with the identical request.',
      todo: 'Wait: the entry leaves the list when the miles are back. They can be given back until {closes}. Call the program’s support with the confirmation number if it is still here an hour before. If other calls go through meanwhile, have the installer check the path of REVERSE in the store’s profile.',
    },
    'reversal-expired': {
      says: 'Too late to give the miles back: the window closed at 03:00 of the day after. They paid nothing here.',
      todo: 'When the customer comes back with the receipt, issue store credit here, never cash. Then resolve this with a note.',
    },
    'reversal-credited': {
      says: 'Too late to give the miles back: the window closed at 03:00 of the day after. Store credit was issued in their place, and its paper sent to the printer.',
      todo: 'See that the customer gets the store credit, and give nothing else for it. Then write it down here.',
    },
    'reversal-escalated': {
      says: 'The miles could not be given back.',
      todo: 'Ask the program’s support. When they say that they are ready, send it again: the miles come back once, however often it is sent.',
    },
    'issuance-escalated': {
      says: 'The program failed three times on this call. The miles may have arrived or not.',
      todo: 'Ask the program’s support. When they say that they are ready, send it again: the miles count once, however often it is sent.',
    },
    'issuance-refused': {
      says: 'The program refused this call six times and gave no known reason.',
      todo: 'Ask the program’s support, with the trace id below. Then send it again, or correct it where that is offered.',
    },
    'issuance-unsent': {
      says: 'This call was not sent: what it takes back has no clear answer.',
      todo: 'Settle the call before it first. Then send this one again.',
    },
    'issuance-nameless': {
      says: 'This call was not sent: the program’s answer to the sale has no transaction id that it could name.',
      todo: 'Find the sale in this list, open the call that gave its miles, and take them back there; where that is not offered, ask the program’s support. Then write it down here.',
    },
    'issuance-accepted': {
      says: 'The program took this call and keeps its miles waiting. They are not earned yet.',
      todo: 'Wait: the program settles it. Sending it again has no effect.',
    },
    'issuance-dead': {
      says: 'The program refused this call for good.',
      todo: 'Correct what is wrong and send it as a new transaction, or write down why it stays as it is.',
    },
    'issuance-rejected': {
      says: 'The program took the call and rejected miles of it.',
      todo: 'Look at the reason with the program, then write down what was agreed.',
    },
  } satisfies Record<Situation, ExceptionWords>,
  notice: {
    '202': {
      says: 'Sales reach the program without the store’s location code. Their miles wait.',
      todo: 'Have the installer enter the location code in the store’s profile. Ask the program’s support to settle the miles that wait.',
    },
    '203': {
      says: 'The program does not know an offer code of the store. Miles under it wait, then are rejected.',
      todo: 'Have the installer correct the offer code in the store’s profile. Agree with the program on the sales that it cost.',
    },
    '204': {
      says: 'An offer of the store has ended at the program. Miles under it wait, then are rejected.',
      todo: 'Have the installer end the offer in the store’s profile, or ask the program to extend it.',
    },
    '205': {
      says: 'The store’s location code is not active at the program. Miles of its sales wait.',
      todo: 'Ask the program to activate it, or have the installer correct the location code in the store’s profile.',
    },
    '207': {
      says: 'Miles under an offer of the store are no multiple of what the program allows. They wait, then are rejected.',
      todo: 'Have the installer correct the rule of the offer in the store’s profile.',
    },
    '208': {
      says: 'Miles under an offer of the store are more than the program allows. They wait, then are rejected.',
      todo: 'Have the installer correct the rule of the offer in the store’s profile.',
    },
    '225': {
      says: 'The store’s sponsor code has expired at the program. Miles of all its sales wait.',
      todo: 'Call the program today: the sponsor code must be renewed. Then have the installer check the store’s profile.',
    },
    '230': {
      says: 'The program does not know the store’s location code. Miles of its sales wait.',
      todo: 'Have the installer correct the location code in the store’s profile. Ask the program’s support to settle the miles that wait.',
    },
    '000': {
      says: 'The program put miles aside for a reason that it does not tell.',
      todo: 'Wait: the program settles it. If the miles stay out, ask its support with the sale number.',
    },
  } satisfies Record<NoticeCode, ExceptionWords>,
}
