import { join } from 'node:path'
import type { LaneSettings, Profile } from '../../../../contracts/core/profile.ts'
import { loadProfile } from '../../../../backend/core/profile/profile.ts'

export function trainingStore(): { profile: Profile; lane: LaneSettings } {
  const loaded = loadProfile(join(import.meta.dirname, '../../../../stores/training.yaml'))
  if ('errors' in loaded) throw new Error(JSON.stringify(loaded.errors))
  const { profile } = loaded
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  return { profile, lane }
}
