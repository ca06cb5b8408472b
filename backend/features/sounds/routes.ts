import { SoundSettings } from '../../../contracts/api/sounds.ts'
import type { Lane } from '../../../contracts/profile.ts'
import type { Transact } from '../../db/transact.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { SoundsRepository } from './repository.ts'

/** Heard in a store, and not at the next lane. */
const DEFAULT_VOLUME = 6

export interface SoundsRoutesOptions {
  readonly repository: SoundsRepository
  readonly transact: Transact
  readonly lane: Pick<Lane, 'id'>
  readonly audit: Pick<AuditTrail, 'record'>
}

/** How loud this lane is; kept for the lane, whoever is signed in and however often the terminal starts. */
export const soundsRoutes =
  ({ repository, transact, lane, audit }: SoundsRoutesOptions): Routes =>
  (app) => {
    const settings = (): SoundSettings => ({ volume: repository.volumeOf(lane.id) ?? DEFAULT_VOLUME })
    app.get('/api/sounds', { schema: { summary: 'How loud this lane is', response: { 200: SoundSettings } } }, () =>
      settings(),
    )
    app.put(
      '/api/sounds',
      {
        schema: {
          summary: 'Make this lane louder or quieter; 0 is off',
          body: SoundSettings,
          response: { 200: SoundSettings },
        },
      },
      (request) => {
        const { volume: before } = settings()
        const { volume: after } = request.body
        transact((tx) => {
          if (before !== after)
            audit.record(tx, {
              kind: 'setting-changed',
              actorId: signedIn(request).id,
              detail: { setting: 'volume', before, after },
            })
          repository.setVolume(tx, lane.id, after)
        })
        return settings()
      },
    )
  }
