/** Every section and numbered rule of the specifications that a check can cite, as the checks write it. */
export const SECTIONS: Readonly<Record<1 | 2 | 3, readonly string[]>> = {
  1: [
    '§1', '§2.1', '§2.2', '§2.3', '§2.4', '§3', '§4.1', '§4.2', '§4.3', '§4.4', '§5', '§6', '§7',
    ...['err-login-required', 'err-region', 'err-not-found', 'err-expired', 'err-not-live', 'err-exclusive'].map((code) => `§7 ${code}`), '§8', '§9',
  ],
  2: ['§1', '§2.1', '§2.2', '§2.3', '§3', '§4.1', '§4.2', '§5', '§6', '§7', '§8', '§9'],
  3: [
    '§1', '§2.1', '§2.2', '§2.3', '§2.4', '§3', '§4', '§4.1', '§4.2', ...[1, 2, 3, 4, 5].map((rule) => `§4.2 rule ${rule}`), '§4.3', '§4.4', '§4.5', ...[1, 2, 3, 4, 5, 6, 7].map((rule) => `§4.5 rule ${rule}`),
    '§5', '§6', '§7.1', ...['202', '203', '204', '205', '207', '208', '221', '224', '225', '230', '232', '234', '000'].map((code) => `§7.1 ${code}`),
    '§7.2', ...['0000', '0001', '0002', '0005', '0006', '0008', '0009', '0025', '0035', '0051', '0057', '0065', '0066', '0067', '0080', '0092', '0096'].map((code) => `§7.2 ${code}`), '§8', '§9',
  ],
}

/** Why a section has no check. A section that has one must not stand here. */
export const WITHOUT_CHECK: Readonly<Record<string, string>> = {
  '1 §6': 'events are not shown',
  '1 §9': 'versioning is not shown',
  '2 §6': 'events are not shown',
  '3 §4.2 rule 4': 'a duty of the caller: to try again at least twice after a 500, then to ask for support. That a retry with the same key is safe is §4.1',
  '3 §4.5 rule 3': 'a duty of the terminal: to show and print the confirmation number. That REDEEM gives one is §2.4',
  '3 §4.5 rule 4': 'a duty of the terminal: balances go on the receipt, never on the screen',
  '3 §4.5 rule 5': 'a duty of the terminal: the receipt keeps balances back under 0001. That 0001 is answered is §7.2',
  '3 §4.5 rule 7': 'a duty of the store: after the window a refund is a credit or a gift card, never cash. That the service says so is §7.2 0080',
  '3 §6': 'events are not shown',
}

export interface Decision { readonly section: string, readonly point: string, readonly decided: string, readonly checks: readonly string[] }

/** Where a specification lists something and does not say whether it must be so: decided here once, for every service alike. */
export const DECISIONS: readonly Decision[] = [
  { section: '2 §4.1, §4.2', point: 'headers that are listed without "required": Content-Type on every call, those without a body too', decided: 'required: it has one value for all. Without it, or with another: 400', checks: ['offer-state.find.content-type.missing', 'history.cards.content-type.missing', 'history.cards.content-type.other'] },
  { section: '2 §4.1, §4.2', point: 'Channel-Code', decided: 'required: "the response differs per channel", so that there is none without a channel. Which channels there are is not shown: any is taken', checks: ['offer-state.health.channel-code.missing', 'history.sponsors.channel-code.missing', 'history.health.channel-code.any'] },
  { section: '1 §4.1, 2 §4.1, §4.2', point: 'headers that choose a form of the answer: Accept-Language, Accept', decided: 'may be left out: English, JSON. A value that is not listed is refused: 400', checks: ['offers.language.missing', 'offer-state.health.language.missing', 'history.cards.language.other', 'offer-state.put.accept.missing', 'offer-state.put.accept.other'] },
  { section: '1 §4.1', point: 'Accept-Language on PUT', decided: '"not on PUT": it is not looked at', checks: ['offers.states.language'] },
  { section: '1 §4.1', point: 'Collector-Number without a token', decided: 'refused: "must be sent only with a machine-to-machine token"', checks: ['offers.public.collector-number'] },
  { section: '3 §4', point: 'Content-Type of the checkout calls', decided: 'required on all: 0035, or 400 with responseCode', checks: ['cash.echo.content-type.missing', 'issuance.record.content-type.missing'] },
  { section: '3 §4.5', point: '`cache-control: no-cache` of ECHO', decided: 'required: "ECHO headers also include" it', checks: ['cash.echo.no-cache'] },
  { section: '3 §8', point: 'the day of the $750', decided: 'the calendar day at the store that asks, over all sponsors', checks: ['cash.redeem.limit.midnight.store', 'cash.redeem.limit.midnight.otherStore'] },
  { section: '3 §2.4, §8', point: '`dailyOfferLimit`', decided: '"units per 24 hours": the 24 hours before the call', checks: ['cash.redeem.limit.24-hours'] },
  { section: '3 §2.1, §2.2', point: 'amounts and quantities below nothing', decided: 'refused: 400. Returned goods are told as they were sold, the call says the direction. An amount of zero is an amount; a quantity is one or more', checks: ['issuance.issue.amount.basketPreTaxAmount', 'issuance.issue.quantity.0', 'issuance.return.quantity.-1', 'issuance.issue.free'] },
  { section: '3 §2.3, §4.4', point: 'the sign of `milesAmount` in requests', decided: 'POST and POST/EVENT: one mile or more, else 400. REVERSE and REVERSE/EVENT: the miles to withdraw with either sign, zero is 400', checks: ['issuance.post.miles.-4', 'issuance.reverse.miles.0', 'issuance.reverse.miles.sign'] },
  { section: '3 §2.4', point: 'dollar amounts of the cash service', decided: 'below nothing: 0035, of zero to redeem too. A purchase of $0.00 may be inquired about', checks: ['cash.redeem.amount.zero', 'cash.redeem.amount.type', 'cash.inquire.purchase.-43.35', 'cash.inquire.purchase.0.00'] },
  { section: '3 §3', point: 'the zone of "3:00 AM the day after"', decided: 'the store\'s', checks: ['cash.reverse.window.store', 'cash.reverse.window.forward', 'cash.reverse.window.back'] },
  { section: '2 §2.3', point: '`next` of the last page', decided: 'left out, as everything that is empty', checks: ['history.page.last'] },
  { section: '2 §4.2', point: 'which date the range is over', decided: '`transactionDate`, both ends included', checks: ['history.range.edges', 'history.record.posting'] },
  { section: '2 §5', point: 'who may ask for a collector\'s history', decided: 'a partner for anybody, a member for themselves', checks: ['history.sponsors.member.other', 'history.cards.partner'] },
]
