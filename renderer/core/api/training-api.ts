import type { z } from 'zod'
import type {
  CentralCondition,
  Scenario,
  TrainingCardTerminal,
  TrainingPanel,
  TrainingPhone,
} from '../../../contracts/operations/training.ts'
import { get, post } from './client.ts'

/** What the panel of training asks for; no other screen does. */
export const trainingApi = {
  trainingPanel: () => get<TrainingPanel>('training/panel'),
  trainingSwipe: (cardId: string, as: 'swipe' | 'scan') => post<undefined>('training/swipe', { json: { cardId, as } }),
  trainingScan: (code: string) => post<undefined>('training/scan', { json: { code } }),
  trainingCardTerminal: (does: z.infer<typeof TrainingCardTerminal>['does']) =>
    post<TrainingPanel>('training/card-terminal', { json: { does } }),
  trainingPhone: (does: TrainingPhone) => post<TrainingPanel>('training/phone', { json: { does } }),
  trainingCentral: (condition: CentralCondition) => post<TrainingPanel>('training/central', { json: { condition } }),
  trainingPlay: (scenario: Scenario) => post<TrainingPanel>('training/play', { json: { scenario } }),
}
