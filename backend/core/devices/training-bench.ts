import { type VirtualBench, type VirtualCardTerminal, layOut, openVirtualBench } from '../../../hardware/index.ts'
import { VirtualRole } from '../../../contracts/operations/training.ts'
import type { Lane } from '../../../contracts/core/profile.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { forScreen } from '../paper/document.ts'

/** What a lane of virtual devices has for the training panel. */
export interface TrainingBench extends VirtualBench {
  /** The devices of this lane whose far ends these are. */
  readonly roles: readonly VirtualRole[]
  readonly recentDocuments: RecentDocuments
  /** Null where the lane's card terminal is none of the simulated ones. */
  readonly cardTerminal: VirtualCardTerminal | null
}

/**
 * Documents that may still come out of a printer that was stopped: each keeps its lines until so many later ones were
 * sent.
 */
const DOCUMENTS_KEPT = 8

/** What the training panel may show of a virtual paper: balances stay on paper (specification 3 §4.5 rule 4). */
export interface RecentDocuments {
  /** A document goes to the printer. */
  sent(document: ReceiptDocument): void
  /** The lines of a paper that a screen may have; a line that nobody vouches for is left out. */
  linesOf(paper: string): string
}

function createRecentDocuments(columns: 42 | 48): RecentDocuments {
  let vouched: ReadonlySet<string>[] = []
  // How a decoder writes what is no text: a barcode, a picture.
  const isMark = (line: string): boolean => /^\[[A-Za-z0-9 ]+: |^\[image /.test(line)
  return {
    sent(document) {
      const lines = layOut(forScreen(document), columns).flatMap((line) =>
        line.kind === 'text' ? [line.text.trim()] : [],
      )
      vouched = [...vouched, new Set(lines)].slice(-DOCUMENTS_KEPT)
    },
    linesOf: (paper) =>
      paper
        .split('\n')
        .filter((line) => line.trim() === '' || isMark(line) || vouched.some((lines) => lines.has(line.trim())))
        .join('\n'),
  }
}

/** Null where no device of the lane is virtual. */
export async function openTrainingBench(
  devices: Lane['devices'],
  paperFolder: string,
  cardTerminal: VirtualCardTerminal | null,
  onChange: () => void,
): Promise<TrainingBench | null> {
  const roles = VirtualRole.options.filter((role) => connectionOf(devices, role)?.kind === 'virtual')
  if (roles.length === 0) return null
  const { printer } = devices
  const far = await openVirtualBench({
    paperFolder,
    onChange,
    ...(printer ? { printerLanguage: printer.language } : {}),
  })
  return Object.assign(far, { roles, recentDocuments: createRecentDocuments(printer?.columns ?? 42), cardTerminal })
}

const DEVICE_OF = {
  'card-reader': 'cardReader',
  scanner: 'scanner',
  printer: 'printer',
  'line-display': 'lineDisplay',
  'card-terminal': 'cardTerminal',
} as const

export const connectionOf = (devices: Lane['devices'], role: keyof typeof DEVICE_OF) =>
  devices[DEVICE_OF[role]]?.connection
