export const PRINTER_TODO = {
  'paper-out': 'Load paper.',
  'paper-low': 'Have a new roll ready.',
  'cover-open': 'Close the cover.',
  'cutter-error': 'Cutter jammed: open cover, clear paper, close, restart printer.',
  'too-hot': 'Print head too hot. Let it cool; printing resumes automatically.',
  'printer-error': 'Printer error: check its lights, then restart the printer.',
  'printer-offline': 'Printer offline: press its feed or online button.',
} as const
