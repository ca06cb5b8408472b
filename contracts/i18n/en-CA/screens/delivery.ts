/** Texts for receipts by e-mail and invoices. They are loaded later. */
export default {
  delivery: {
    consent: 'Ask the customer. The address is used once and deleted after sending.',
    address: 'E-mail address',
    addressWrong: 'Enter an address such as name@example.com.',
    language: 'Customer’s language',
    invoice: 'Invoice (optional; from $500 the buyer needs their name on it)',
    buyer: { name: 'Buyer’s name', terms: 'Terms of payment', about: 'Description' },
    nameMissing: 'Enter the buyer’s name, or empty the other fields.',
    send: 'Send',
    save: 'Save invoice (PDF)',
    unsent: 'Receipts by e-mail not sent',
    state: { waiting: 'Waiting', sent: 'Sent', failed: 'Not sent' },
    problem: {
      unreachable: 'The mail server does not answer. Check the network and the server’s address.',
      'sign-in': 'The mail server refuses the sign-in. Ask the installer to set the password again.',
      'not-secure': 'The mail server has no valid certificate. Ask the installer.',
      busy: 'The mail server is busy.',
      refused: 'The mail server refused the address. Ask the customer for it again.',
      restored: 'A backup was restored. It may have been sent before.',
    },
    again: 'Send again',
    clear: 'Clear',
    clearOf: 'Clear the e-mail of sale {id}',
    byItself: 'Sent by itself',
  },
} as const
