/**
 * What a device counts, in the order in which it is shown. Where UnifiedPOS has a name for it, it has that name (the
 * list is JposStatisticsConst of JavaPOS 1.12, in lower camel case).
 */
export const STATISTICS = [
  // Of a reader or a scanner.
  'reads',
  'refused',
  'unreadable',
  'stale',
  'bytes',
  'frames',
  'noiseBytes',
  'connections',
  'disconnections',
  // Of a printer.
  'receiptLinePrintedCount',
  'receiptCharacterPrintedCount',
  'barcodePrintedCount',
  'paperCutCount',
  'failedPaperCutCount',
  'receiptCoverOpenCount',
  'maximumTempReachedCount',
  'printerFaultCount',
  // Of a drawer whose switch is wired.
  'drawerGoodOpenCount',
  'drawerFailedOpenCount',
  // Of a line display.
  'onlineTransitionCount',
  // Of a printer or a line display.
  'communicationErrorCount',
] as const
