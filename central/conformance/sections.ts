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
