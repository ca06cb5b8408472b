import type { FastifyBaseLogger } from 'fastify'
import PQueue from 'p-queue'
import type { Channel } from '../../delivery/updates/formats.ts'
import { changeChannel, readChannel, withRelease } from '../../delivery/updates/release-folder.ts'
import { stopsWave, tallySince, type Tally } from '../../delivery/updates/wave.ts'
import { holdsBack, type HaltRequest, type HaltRequests } from './halt-requests.ts'
import type { UpdateKeys } from './keys.ts'
import type { ReportRepository } from './repository.ts'

export interface HaltsOptions {
  /** What is published. */
  readonly folder: string
  readonly keys: UpdateKeys
  readonly now: () => Date
  readonly repository: Pick<ReportRepository, 'tally' | 'atHalt' | 'noteHalt'>
  readonly requests: HaltRequests
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

export type Halts = ReturnType<typeof createHalts>

/** Stops a wave: by a channel that says so where there is a key, else by giving no channel out until somebody signs. */
export function createHalts({ folder, keys, now, repository, requests, log }: HaltsOptions) {
  /** What is tallied, and halted by it, is one step: a report beside it halts nothing twice. */
  const looks = new PQueue({ concurrency: 1 })

  async function halt(version: string, tally: Tally, channel: Channel): Promise<void> {
    const facts = { version, ...tally }
    const request: HaltRequest = { ...facts, sequence: channel.sequence, at: now().toISOString() }
    if (keys.signer !== null) {
      changeChannel(folder, {
        signer: keys.signer,
        trusted: keys.trusted,
        now: now(),
        to: (before) => before && withRelease(before, version, { halted: true }),
      })
      log.warn(facts, 'too many lanes left this version: its wave is halted')
      if (requests.areShared) await requests.ask(request)
      return
    }
    await requests.ask(request)
    log.error(
      facts,
      'TOO MANY LANES LEFT THIS VERSION, and this server has no key to halt it. It gives the channel to nobody ' +
        `until you sign another: npm run updates -- halt ${version} --out ${folder}`,
    )
  }

  async function look(version: string): Promise<void> {
    const tally = await repository.tally(version)
    const channel = readChannel(folder, keys.trusted)
    const release = channel?.releases.find((one) => one.version === version)
    if (!channel || !release) return
    const request = await requests.newest()
    const isStopped = release.halted || (request !== null && holdsBack(request, channel))
    if (!isStopped) {
      if (!stopsWave(tallySince(tally, await repository.atHalt(version)))) return
      await halt(version, tally, channel)
    }
    // Until it goes on again: whoever lets it has seen these.
    await repository.noteHalt(version, tally)
  }

  return {
    /** What is published, as a trusted key has signed it; null: nothing yet. */
    channel: (): Channel | null => readChannel(folder, keys.trusted),

    /** After each report: whether the wave of this version goes on. */
    look: (version: string): Promise<void> => looks.add(() => look(version)),

    /** The version for whose sake the channel is held back; null: it is given out. */
    async heldBackFor(): Promise<string | null> {
      const request = await requests.newest()
      if (request === null) return null
      if (holdsBack(request, readChannel(folder, keys.trusted))) return request.version
      await requests.forget()
      return null
    },
  }
}
