import type { Report } from '../../delivery/updates/formats.ts'
import type { Tally } from '../../delivery/updates/wave.ts'
import type { HaltRequest } from './halt-requests.ts'

/** What lanes reported. A method that was answered is on the disk. */
export interface ReportRepository {
  /** Keeps what a lane said last of a version. False: it has said something later. */
  keep(report: Report, receivedAt: Date): Promise<boolean>
  tally(version: string): Promise<Tally>
  /** What stood when the version was last halted; null: it never was. */
  atHalt(version: string): Promise<Tally | null>
  noteHalt(version: string, tally: Tally): Promise<void>
  /** How many lanes have said something of the version, but for this one. */
  others(report: Pick<Report, 'version' | 'store' | 'lane'>): Promise<number>
}

export interface KeptReports {
  /** Every lane’s last word on every version. */
  readonly reports: readonly Report[]
  /** What stood of a version when it was last halted. */
  readonly halts: ReadonlyMap<string, Tally>
  /** What the server waits for: it gives the channel to nobody meanwhile. */
  readonly request: HaltRequest | null
}
