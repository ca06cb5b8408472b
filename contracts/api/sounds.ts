import { z } from 'zod'

/** GET and PUT /api/sounds: how loud this lane is, from 0 (off) to 10. */
export const SoundSettings = z.object({ volume: z.int().min(0).max(10) })
export type SoundSettings = z.infer<typeof SoundSettings>
