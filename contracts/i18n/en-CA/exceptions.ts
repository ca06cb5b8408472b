import type { NoticeCode, ResponseCode } from '../../central/cash.ts'

/** Explanation of an exception, and what a manager can do. */
export interface ExceptionWords {
  readonly says: string
  readonly todo: string
}

/** Why a call remains on the manager's list, for any code. */
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
  | 'issuance-doubtful'
  | 'issuance-rejected'

/**
 * Texts of the manager's list: `code` by the services' own code, `state` when no code explains it; `notice` by a code
 * with which miles wait until a setting is corrected.
 */
export default {
  code: {
    '0000': { says: 'Approved.', todo: 'Nothing to do.' },
    '0001': { says: 'Approved. Member keeps balances private.', todo: 'Nothing to do.' },
    '0002': {
      says: 'Member account inactive.',
      todo: 'The member can contact the program. Note what was agreed.',
    },
    '0005': {
      says: 'Balances private: cannot redeem at checkout.',
      todo: 'No miles were taken. Cannot be sent again.',
    },
    '0006': {
      says: 'Account cannot redeem at checkout.',
      todo: 'No miles were taken. Cannot be sent again.',
    },
    '0008': {
      says: 'Timed out twice.',
      todo: 'Ask miles support about the outcome, with the trace ID.',
    },
    '0009': {
      says: 'Card required: not swiped or scanned.',
      todo: 'Redeem on a new sale with the card.',
    },
    '0025': {
      says: 'Member number not found.',
      todo: 'Check the number on the member’s card.',
    },
    '0035': {
      says: 'Request not understood.',
      todo: 'Call support with the trace ID: store settings may be wrong.',
    },
    '0051': { says: 'Not enough cash miles.', todo: 'No miles were taken.' },
    '0057': {
      says: 'Unknown confirmation number.',
      todo: 'Check the confirmation number with miles support before refunding anything.',
    },
    '0065': { says: 'Member’s daily limit reached.', todo: 'No miles were taken. Available again tomorrow.' },
    '0066': { says: 'Purchase too small to redeem.', todo: 'No miles were taken.' },
    '0067': { says: 'Redemption offer unavailable.', todo: 'Try again later.' },
    '0080': {
      says: 'Too late to return miles: window closed at 03:00 the next day.',
      todo: 'Give store credit or a gift card, never cash, and note it here.',
    },
    '0092': { says: 'Miles service was under maintenance.', todo: 'Wait: it is sent when the service is back.' },
    '0096': {
      says: 'Miles service failed twice.',
      todo: 'Ask miles support about the outcome, with the trace ID.',
    },
    '202': { says: 'Location code missing.', todo: 'Correct with this store’s location code.' },
    '203': {
      says: 'Unknown offer code.',
      todo: 'Get the right offer code from miles support. These miles were not issued.',
    },
    '204': {
      says: 'Offer ended.',
      todo: 'Ask miles support whether the offer applies to this sale.',
    },
    '205': {
      says: 'Location code inactive.',
      todo: 'Correct with an active location code.',
    },
    '207': {
      says: 'Not a multiple the offer allows.',
      todo: 'Check the offer rules with miles support.',
    },
    '208': {
      says: 'More miles than the offer allows.',
      todo: 'Check the offer rules with miles support.',
    },
    '221': {
      says: 'Unknown sponsor code.',
      todo: 'Have the installer check the store profile, then correct and send.',
    },
    '224': {
      says: 'Member account closed.',
      todo: 'If the member has another card, correct with that card.',
    },
    '225': {
      says: 'Sponsor code expired.',
      todo: 'Have the installer check the store profile, then correct and send.',
    },
    '230': {
      says: 'Unknown location code.',
      todo: 'Correct with this store’s location code.',
    },
    '232': {
      says: 'Member account deleted.',
      todo: 'If the member has another card, correct with that card.',
    },
    '234': {
      says: 'Member number not found.',
      todo: 'Swipe the member’s card again and correct with it.',
    },
    '000': {
      says: 'Miles held, no reason given.',
      todo: 'Wait: the miles service resolves it. Call miles support if it does not.',
    },
  } satisfies Record<ResponseCode, ExceptionWords>,
  state: {
    'redemption-escalated': {
      says: 'Redemption unknown: miles may have been taken. The customer paid another way.',
      todo: 'Call miles support with the trace ID. If miles were taken, they return them. Add a note.',
    },
    'secret-refused': {
      says: 'Lane secret or tokens refused. Nothing can be sent; earned miles wait.',
      todo: 'Have the installer reset the secret. If it is right, call miles support. Clears by itself.',
    },
    'reversal-unanswered': {
      says: 'Miles return not confirmed. The terminal keeps sending the same request.',
      todo:
        'Wait: the entry clears when the miles are returned, possible until {closes}. If it is still here an ' +
        'hour before, call miles support with the confirmation number. If other transactions go through, have ' +
        'the installer check the REVERSE path in the store profile.',
    },
    'reversal-expired': {
      says: 'Miles not applied to the sale, and too late to return them: the window closed at 03:00.',
      todo: 'When the customer brings the receipt, issue store credit here, never cash. Then resolve.',
    },
    'reversal-credited': {
      says: 'Too late to return the miles (closed at 03:00). Store credit was issued and printed.',
      todo: 'Give the store credit to the customer, nothing else. Then add a note here.',
    },
    'reversal-escalated': {
      says: 'The miles could not be returned.',
      todo: 'Call miles support. When they are ready, send again: miles are returned only once.',
    },
    'issuance-escalated': {
      says: 'Miles service failed three times. Miles may or may not be issued.',
      todo: 'Call miles support. When they are ready, send again: miles count only once.',
    },
    'issuance-refused': {
      says: 'Refused six times, no known reason.',
      todo: 'Call miles support with the trace ID. Then send again, or correct where offered.',
    },
    'issuance-unsent': {
      says: 'Not sent: the transaction it depends on has no clear answer.',
      todo: 'Resolve the earlier transaction first. Then send this one again.',
    },
    'issuance-nameless': {
      says: 'Not sent: the sale’s miles have no transaction ID.',
      todo: 'Find the sale here and take its miles back there, or call miles support. Add a note.',
    },
    'issuance-accepted': {
      says: 'Miles pending at the miles service. Not earned yet.',
      todo: 'Wait: the miles service resolves it. Sending again has no effect.',
    },
    'issuance-dead': {
      says: 'Refused for good by the miles service.',
      todo: 'Correct it and send as a new transaction, or add a note on why it stays.',
    },
    'issuance-doubtful': {
      says: 'Refused by the miles service, but an earlier try may have been recorded.',
      todo: 'Ask miles support whether it was recorded before you send a corrected copy.',
    },
    'issuance-rejected': {
      says: 'Some miles rejected by the miles service.',
      todo: 'Check the reason with miles support, then note what was agreed.',
    },
  } satisfies Record<Situation, ExceptionWords>,
  notice: {
    '202': {
      says: 'Location code missing from sales. Their miles are on hold.',
      todo: 'Have the installer set the location code. Ask miles support to release the miles.',
    },
    '203': {
      says: 'Unknown offer code. Its miles are held, then rejected.',
      todo: 'Have the installer correct the offer code. Agree with miles support on affected sales.',
    },
    '204': {
      says: 'Offer ended. Its miles are held, then rejected.',
      todo: 'Have the installer end the offer in the store profile, or ask miles support to extend it.',
    },
    '205': {
      says: 'Location code inactive. Miles are on hold.',
      todo: 'Ask miles support to activate it, or have the installer correct it in the profile.',
    },
    '207': {
      says: 'Miles not a multiple the offer allows. They are held, then rejected.',
      todo: 'Have the installer correct the offer rule in the store profile.',
    },
    '208': {
      says: 'More miles than the offer allows. They are held, then rejected.',
      todo: 'Have the installer correct the offer rule in the store profile.',
    },
    '225': {
      says: 'Sponsor code expired. Miles of all sales are on hold.',
      todo: 'Call miles support today to renew it. Then have the installer check the store profile.',
    },
    '230': {
      says: 'Unknown location code. Miles of its sales are on hold.',
      todo: 'Have the installer correct the location code. Ask miles support to release the miles.',
    },
    '000': {
      says: 'Miles held, no reason given.',
      todo: 'Wait: the miles service resolves it. If not, call miles support with the sale number.',
    },
  } satisfies Record<NoticeCode, ExceptionWords>,
}
