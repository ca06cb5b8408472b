import { type VirtualBench, type VirtualCardTerminal, layOut, openVirtualBench } from '../../../hardware/index.ts'
import { VirtualRole } from '../../../contracts/operations/training.ts'
import type { LaneSettings, PrinterDevice } from '../../../contracts/core/profile.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { columnsOfLane, forScreen } from '../paper/document.ts'

export interface TrainingBench extends VirtualBench {
  readonly roles: readonly VirtualRole[]
  readonly recentDocuments: RecentDocuments
  readonly cardTerminal: VirtualCardTerminal | null
  readonly scaleUnit: 'kg' | 'lb'
}

/** Maximum number of printed documents to remember: a paused printer may print an earlier one late. */
const MAX_DOCUMENTS = 8

/**
 * Remembers the lines of printed documents that a screen may show: balances may appear only on paper (specification 3
 * §4.5 rule 4).
 */
export interface RecentDocuments {
  sent(document: ReceiptDocument): void
  linesOf(paper: string): string
}

function createRecentDocuments(columns: PrinterDevice['columns']): RecentDocuments {
  let vouched: ReadonlySet<string>[] = []
  // Whether a line of the decoded paper is a placeholder for a barcode or an image.
  const isMark = (line: string): boolean => /^\[[A-Za-z0-9 ]+: |^\[image /.test(line)
  return {
    sent(document) {
      const lines = layOut(forScreen(document), columns).flatMap((line) =>
        line.kind === 'text' ? [line.text.trim()] : [],
      )
      vouched = [...vouched, new Set(lines)].slice(-MAX_DOCUMENTS)
    },
    linesOf: (paper) =>
      paper
        .split('\n')
        .filter((line) => line.trim() === '' || isMark(line) || vouched.some((lines) => lines.has(line.trim())))
        .join('\n'),
  }
}

export async function openTrainingBench(
  devices: LaneSettings['devices'],
  paperFolder: string,
  cardTerminal: VirtualCardTerminal | null,
  onChange: () => void,
): Promise<TrainingBench | null> {
  const roles = VirtualRole.options.filter((role) => connectionOf(devices, role)?.kind === 'virtual')
  if (roles.length === 0) return null
  const { printer, scale } = devices
  const far = await openVirtualBench({
    paperFolder,
    onChange,
    ...(printer ? { printerLanguage: printer.language } : {}),
    ...(scale ? { scale } : {}),
  })
  return Object.assign(far, {
    roles,
    recentDocuments: createRecentDocuments(columnsOfLane({ devices })),
    cardTerminal,
    scaleUnit: scale?.unit ?? 'kg',
  })
}

const DEVICE_OF = {
  'card-reader': 'cardReader',
  scanner: 'scanner',
  printer: 'printer',
  'line-display': 'lineDisplay',
  scale: 'scale',
  'card-terminal': 'cardTerminal',
} as const

export const connectionOf = (devices: LaneSettings['devices'], role: keyof typeof DEVICE_OF) =>
  devices[DEVICE_OF[role]]?.connection
