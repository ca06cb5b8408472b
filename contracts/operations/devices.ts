import { z } from 'zod'
import { PrinterConnection } from '../core/profile.ts'
import { DeviceHealth, DeviceStatistics } from './diagnostics.ts'

/** What a reader or a scanner read, as far as a screen may know it. */
export const ReadKind = z.enum([
  'program-card',
  'staff-badge',
  'foreign-card',
  'unreadable',
  'item',
  'receipt',
  'unknown',
])
/**
 * `shown`: an item's code, a receipt's number, the last four of a collector's number; null for anything that may be
 * somebody's secret.
 */
export const MaskedRead = z.object({ kind: ReadKind, shown: z.string().nullable(), at: z.string() })
export type MaskedRead = z.infer<typeof MaskedRead>

export const InputRole = DeviceHealth.shape.role.extract(['card-reader', 'scanner'])
export type InputRole = z.infer<typeof InputRole>

/** What a device is connected by, as the profile says it; a drawer hangs on the printer. */
export const DeviceConnection = z.discriminatedUnion('kind', [
  ...PrinterConnection.options,
  z.object({ kind: z.literal('printer') }),
])
export type DeviceConnection = z.infer<typeof DeviceConnection>

/** One device of the lane for whoever installs or mends it. */
export const DeviceDetails = z.object({
  role: DeviceHealth.shape.role,
  /** What UnifiedPOS calls such a device. */
  category: z.enum(['MSR', 'Scanner', 'POSPrinter', 'CashDrawer', 'LineDisplay', 'CardTerminal']),
  connection: DeviceConnection,
  /** What it is told in, and how wide, where it is told something: `esc-pos` and 42, `cd5220` and 20. */
  language: z.string().nullable(),
  columns: z.int().nullable(),
  /** What a printer says it is, as far as it says it; null where it says nothing, and of other devices. */
  identity: z
    .object({
      manufacturerName: z.string().nullable(),
      modelName: z.string().nullable(),
      firmwareRevision: z.string().nullable(),
      serialNumber: z.string().nullable(),
    })
    .nullable(),
  statistics: DeviceStatistics,
  /** Of a printer: what became of its jobs since the terminal started. */
  jobs: z.object({ confirmed: z.int(), sent: z.int(), unknown: z.int(), failed: z.int() }).nullable(),
  lastRead: MaskedRead.nullable(),
  /** The newest messages on the wire, oldest first, with every digit as # and every letter as a. */
  bytes: z.array(z.object({ at: z.string(), text: z.string() })),
})
export type DeviceDetails = z.infer<typeof DeviceDetails>
/** GET /api/devices/details */
export const DeviceDetailsList = z.object({ devices: z.array(DeviceDetails) })

/**
 * POST /api/devices/test-read: the next read of this device is for the test and for nothing else. null when none came
 * in time.
 */
export const TestRead = z.object({ role: InputRole })
export const TestReadAnswer = z.object({ read: MaskedRead.nullable() })
/** How long a test waits for somebody to present something, in milliseconds. */
export const TEST_READ_MS = 20_000

/** POST /api/devices/test-page: what became of it, and the printer's own reason in English. */
export const TestPageAnswer = z.object({
  state: z.enum(['confirmed', 'sent', 'unknown', 'failed']),
  detail: z.string().nullable(),
})

/** GET and PUT /api/sounds: how loud this lane is, from 0 (off) to 10. */
export const SoundSettings = z.object({ volume: z.int().min(0).max(10) })
export type SoundSettings = z.infer<typeof SoundSettings>
