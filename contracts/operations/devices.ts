import { z } from 'zod'
import { PrinterConnection } from '../core/profile.ts'
import { ScaleView } from '../sales/weighing.ts'
import { DeviceHealth, DeviceStatistics } from './diagnostics.ts'

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
 * Part of the read that may be shown: an item code, a receipt number, the last four of a collector number; null when
 * the read may be a secret.
 */
export const MaskedRead = z.object({ kind: ReadKind, shown: z.string().nullable(), at: z.string() })
export type MaskedRead = z.infer<typeof MaskedRead>

export const InputRole = DeviceHealth.shape.role.extract(['card-reader', 'scanner'])
export type InputRole = z.infer<typeof InputRole>

/** Connection of a device according to the profile; a drawer is connected to the printer. */
export const DeviceConnection = z.discriminatedUnion('kind', [
  ...PrinterConnection.options,
  z.object({ kind: z.literal('printer') }),
])
export type DeviceConnection = z.infer<typeof DeviceConnection>

export const DeviceDetails = z.object({
  role: DeviceHealth.shape.role,
  category: z.enum(['MSR', 'Scanner', 'POSPrinter', 'CashDrawer', 'LineDisplay', 'Scale', 'CardTerminal']),
  connection: DeviceConnection,
  /** Language of an output device and its width in characters: `esc-pos` and 42, `cd5220` and 20. */
  language: z.string().nullable(),
  columns: z.int().nullable(),
  /** Identity that a printer reports; null for a printer that reports none, and for other devices. */
  identity: z
    .object({
      manufacturerName: z.string().nullable(),
      modelName: z.string().nullable(),
      firmwareRevision: z.string().nullable(),
      serialNumber: z.string().nullable(),
    })
    .nullable(),
  statistics: DeviceStatistics,
  /** For printers only: print jobs by outcome since the terminal started. */
  jobs: z.object({ confirmed: z.int(), sent: z.int(), unknown: z.int(), failed: z.int() }).nullable(),
  lastRead: MaskedRead.nullable(),
  scale: ScaleView.optional().describe('current reading of a scale'),
  bytes: z.array(z.object({ at: z.string(), text: z.string() })),
})
export type DeviceDetails = z.infer<typeof DeviceDetails>
export const DeviceDetailsList = z.object({ devices: z.array(DeviceDetails) })

/**
 * Body of POST /api/devices/test-read. It returns the next read of this device, which has no other effect, or null when
 * none arrives within `TEST_READ_MS`.
 */
export const TestRead = z.object({ role: InputRole })
export const TestReadAnswer = z.object({ read: MaskedRead.nullable() })
/** Maximum wait for a read in a device test, in milliseconds. */
export const TEST_READ_MS = 20_000

/** Answer of POST /api/devices/test-page: whether the page was printed, and the printer's own reason in English. */
export const TestPageAnswer = z.object({
  state: z.enum(['confirmed', 'sent', 'unknown', 'failed']),
  detail: z.string().nullable(),
})

/** Body and answer of GET and PUT /api/sounds: volume of this lane, from 0 (off) to 10. */
export const SoundSettings = z.object({ volume: z.int().min(0).max(10) })
export type SoundSettings = z.infer<typeof SoundSettings>
