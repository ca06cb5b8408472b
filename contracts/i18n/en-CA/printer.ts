/** What to do about a printer, at the lane and in the installer’s tool alike. */
export const PRINTER_TODO = {
  'paper-out': 'Load paper.',
  'paper-low': 'Have a roll of paper ready.',
  'cover-open': 'Close the cover.',
  'cutter-error': 'The cutter is stuck: open the cover, free the paper, close it, switch the printer off and on.',
  'too-hot': 'The print head is too hot. Let it cool: the printer goes on by itself.',
  'printer-error': 'The printer reports an error: look at its lights, switch it off and on.',
  'printer-offline': 'The printer says that it is off line: press its feed or on-line button.',
} as const
