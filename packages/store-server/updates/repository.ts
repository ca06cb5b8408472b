import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Channel, Report } from '../../delivery/updates/formats.ts'
import { writeWhole } from '../../delivery/whole-file.ts'
import type { Tally } from '../../delivery/updates/choose.ts'

/** A halt that nobody has signed: it holds back the channel of this sequence until there is a newer one. */
export const HaltRequest = z.strictObject({
  version: z.string(),
  sequence: z.int(),
  running: z.int(),
  left: z.int(),
  at: z.iso.datetime(),
})
export type HaltRequest = z.infer<typeof HaltRequest>

/** Until a newer channel is signed. One that is not there, or came back from a copy, says nothing of the halt. */
export const holdsBack = ({ sequence }: HaltRequest, channel: Pick<Channel, 'sequence'> | null): boolean =>
  (channel?.sequence ?? 0) <= sequence

export interface HaltRequests {
  /** Whether other servers see them too. */
  readonly areShared: boolean
  newest(): Promise<HaltRequest | null>
  ask(request: HaltRequest): Promise<void>
  /** The newest is not needed any more. */
  forget(): Promise<void>
}

/** Those of one server, in a file of its data folder. */
export function createFileHaltRequests(data: string): HaltRequests {
  const file = join(data, 'halt-requested.json')
  return {
    areShared: false,
    async newest() {
      if (!existsSync(file)) return null
      try {
        return HaltRequest.parse(JSON.parse(readFileSync(file, 'utf8')))
      } catch {
        return null
      }
    },
    async ask(request) {
      writeWhole(file, `${JSON.stringify(request)}\n`)
    },
    async forget() {
      rmSync(file, { force: true })
    },
  }
}

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
