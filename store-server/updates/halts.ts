import type { FastifyBaseLogger } from 'fastify'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Channel } from '../../delivery/updates/formats.ts'
import { changeChannel, readChannel, withRelease } from '../../delivery/updates/release-folder.ts'
import { stopsWave, tallySince, type Tally } from '../../delivery/updates/wave.ts'
import { writeWhole } from '../../delivery/whole-file.ts'
import type { UpdateKeys } from './keys.ts'
import type { ReportRepository } from './repository.ts'

/** A halt that this server cannot sign: it holds back the channel of this sequence until there is a newer one. */
const Request = z.strictObject({
  version: z.string(),
  sequence: z.int(),
  running: z.int(),
  left: z.int(),
  at: z.iso.datetime(),
})
const REQUEST_FILE = 'halt-requested.json'

export type HaltRequest = z.infer<typeof Request>

/** The halt that the server with this data folder cannot sign; null: there is none. */
export function readHaltRequest(data: string): HaltRequest | null {
  const file = join(data, REQUEST_FILE)
  if (!existsSync(file)) return null
  try {
    return Request.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Until a newer channel is signed. One that is not there, or came back from a copy, says nothing of the halt. */
export const holdsBack = ({ sequence }: HaltRequest, channel: Pick<Channel, 'sequence'> | null): boolean =>
  (channel?.sequence ?? 0) <= sequence

export interface HaltsOptions {
  /** What is published. */
  readonly folder: string
  /** The server’s own data. */
  readonly data: string
  readonly keys: UpdateKeys
  readonly now: () => Date
  readonly repository: Pick<ReportRepository, 'tally' | 'atHalt' | 'noteHalt'>
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

export type Halts = ReturnType<typeof createHalts>

/** Stops a wave: by a channel that says so where there is a key, else by giving no channel out until somebody signs. */
export function createHalts({ folder, data, keys, now, repository, log }: HaltsOptions) {
  const file = join(data, REQUEST_FILE)

  function halt(version: string, tally: Tally, channel: Channel): void {
    const facts = { version, ...tally }
    if (keys.signer !== null) {
      changeChannel(folder, {
        signer: keys.signer,
        trusted: keys.trusted,
        now: now(),
        to: (before) => before && withRelease(before, version, { halted: true }),
      })
      log.warn(facts, 'too many lanes left this version: its wave is halted')
      return
    }
    const request: HaltRequest = { ...facts, sequence: channel.sequence, at: now().toISOString() }
    writeWhole(file, `${JSON.stringify(request)}\n`)
    log.error(
      facts,
      'TOO MANY LANES LEFT THIS VERSION, and this server has no key to halt it. It gives the channel to nobody ' +
        `until you sign another: npm run updates -- halt ${version} --out ${folder}`,
    )
  }

  return {
    /** What is published, as a trusted key has signed it; null: nothing yet. */
    channel: (): Channel | null => readChannel(folder, keys.trusted),

    /** After each report: whether the wave of this version goes on. */
    look(version: string): void {
      const tally = repository.tally(version)
      const channel = readChannel(folder, keys.trusted)
      const release = channel?.releases.find((one) => one.version === version)
      if (!channel || !release) return
      const request = readHaltRequest(data)
      const isStopped = release.halted || (request !== null && holdsBack(request, channel))
      if (!isStopped) {
        if (!stopsWave(tallySince(tally, repository.atHalt(version)))) return
        halt(version, tally, channel)
      }
      // Until it goes on again: whoever lets it has seen these.
      repository.noteHalt(version, tally)
    },

    /** The version for whose sake the channel is held back; null: it is given out. */
    heldBackFor(): string | null {
      const request = readHaltRequest(data)
      if (request === null) return null
      if (holdsBack(request, readChannel(folder, keys.trusted))) return request.version
      rmSync(file, { force: true })
      return null
    },
  }
}
