import type { z } from 'zod'
import type {
  CentralCondition,
  Scenario,
  TrainingCardTerminal,
  TrainingScale,
  TrainingPhone,
} from '../../../contracts/operations/training.ts'
import { get, send } from './client.ts'
import { route } from './routes.ts'

export const trainingApi = {
  trainingPanel: () => get(route['GET /training/panel']),
  trainingSwipe: (cardId: string, as: 'swipe' | 'scan') =>
    send(route['POST /training/swipe'], { json: { cardId, as } }),
  trainingScan: (code: string) => send(route['POST /training/scan'], { json: { code } }),
  trainingCardTerminal: (does: z.infer<typeof TrainingCardTerminal>['does']) =>
    send(route['POST /training/card-terminal'], { json: { does } }),
  trainingScale: (change: z.input<typeof TrainingScale>) => send(route['POST /training/scale'], { json: change }),
  trainingPhone: (does: TrainingPhone) => send(route['POST /training/phone'], { json: { does } }),
  trainingCentral: (condition: CentralCondition) => send(route['POST /training/central'], { json: { condition } }),
  trainingPlay: (scenario: Scenario) => send(route['POST /training/play'], { json: { scenario } }),
}
