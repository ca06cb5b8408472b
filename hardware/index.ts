/** The only public entry of the device drivers. */
export type { CardRead, Device, DeviceListener, DrawerPosition, Health, HealthState, InputDevice, InputStatistics, LineDisplay, Printer, PrinterEvent, PrintOutcome, PrintRequest, Scan, VirtualBench } from './device.ts'
export { openLineDisplay } from './display/line-display.ts'
export { type CardReaderConfig, openCardReader } from './msr/card-reader.ts'
export { openPrinter, type PrinterOptions } from './printer/printer.ts'
export { keyboardScans } from './scanner/keyboard.ts'
export { openScanner, type ScannerConfig } from './scanner/scanner.ts'
export { openVirtualBench, type OpenVirtualBench, type Scenario, type VirtualBenchOptions } from './virtual/bench.ts'
