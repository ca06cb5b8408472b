import { z } from 'zod'
import { Bilingual } from '../locales.ts'

/** The training panel: the far ends of the virtual devices. Every route answers `training-only` elsewhere. */
export const TrainingPanel = z.object({
  cards: z.array(z.object({ id: z.string(), label: Bilingual })),
  paper: z.enum(['ok', 'out']),
})
export type TrainingPanel = z.infer<typeof TrainingPanel>
/** POST /api/training/swipe */
export const TrainingSwipe = z.object({ cardId: z.string().min(1).max(40), as: z.enum(['swipe', 'scan']).default('swipe') })
/** POST /api/training/scan */
export const TrainingScan = z.object({ code: z.string().min(1).max(80) })
/** POST /api/training/paper */
export const TrainingPaper = z.object({ paper: z.enum(['ok', 'out']) })
