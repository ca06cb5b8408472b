export type {
  CardRead,
  Device,
  DeviceListener,
  DrawerPosition,
  Health,
  HealthState,
  InputDevice,
  InputStatistics,
  LineDisplay,
  Printer,
  PrinterEvent,
  PrintOutcome,
  PrintRequest,
  Scale,
  ScaleReading,
  Scan,
} from './device.ts'
export type { TerminalAddress } from './card-terminal/exchange.ts'
export { type NexoTerminalConfig, openNexoTerminal } from './card-terminal/nexo-terminal.ts'
export type {
  CardApproval,
  CardOutcome,
  CardPayment,
  CardReceiptLine,
  CardRefund,
  CardRequest,
  CardStatus,
  CardTerminal,
  TerminalTransaction,
} from './card-terminal/terminal.ts'
export { openLineDisplay } from './line-display.ts'
export { type CardReaderConfig, openCardReader } from './msr/card-reader.ts'
export { openPrinter, type PrinterOptions } from './printer/printer.ts'
export { receiptLines as layOut } from './printer/encode.ts'
export { openScale } from './scale/scale.ts'
export { keyboardScans } from './scanner/scanner.ts'
export { openScanner, type ScannerConfig } from './scanner/scanner.ts'
export type { MaskedBytes } from './serial/channel.ts'
export { troubleOf } from './device.ts'
export { openVirtualBench, ONE_TIME_SCENARIOS, type VirtualBench } from './virtual/bench.ts'
export { openVirtualCardTerminal, type VirtualCardTerminal } from './virtual/card-terminal.ts'
