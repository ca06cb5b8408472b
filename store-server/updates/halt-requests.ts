import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Channel } from '../../delivery/updates/formats.ts'
import { writeWhole } from '../../delivery/whole-file.ts'

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
