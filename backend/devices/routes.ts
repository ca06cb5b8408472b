import { DeviceList, DeviceStatisticsList, KeyedCollector, KeyedLine } from '../../contracts/api/diagnostics.ts'
import { TrainingPanel, TrainingPaper, TrainingScan, TrainingSwipe } from '../../contracts/api/training.ts'
import { z } from 'zod'
import { CollectorNumber } from '../../contracts/ids.ts'
import type { Profile } from '../../contracts/profile.ts'
import type { Routes } from '../http/app.ts'
import { ProblemError } from '../http/problem.ts'
import type { DeviceHub } from './hub.ts'

const Done = z.object({ done: z.literal(true) })
const done = { done: true as const }

/** Health of every device, and in training mode the far ends of the virtual ones. */
export const deviceRoutes = ({ hub, profile }: { hub: DeviceHub; profile: Profile }): Routes => (app) => {
  app.get('/api/devices', { config: { access: 'window' }, schema: { summary: 'Health of the devices', response: { 200: DeviceList } } }, () => ({ devices: hub.health() }))

  app.get('/api/devices/statistics', { schema: { summary: 'What the readers and scanners have done since the start', response: { 200: DeviceStatisticsList } } }, () => ({ devices: hub.statistics() }))
  app.post('/api/devices/check', { schema: { summary: 'Look at the readers and scanners now', response: { 200: DeviceList } } }, async () => ({ devices: await hub.check() }))

  app.post('/api/devices/keys', { schema: { summary: 'A line from a scanner that types', body: KeyedLine, response: { 200: Done } } }, (request) => {
    hub.typed(request.body.text)
    return done
  })

  app.post('/api/devices/keyed-collector', { schema: { summary: "A collector's number that the cashier typed; comes back as a card read, never as a number", body: KeyedCollector, response: { 200: Done } } }, (request) => {
    const number = CollectorNumber.safeParse(request.body.number.replaceAll(/[\s\p{Pd}]/gu, ''))
    // The problem repeats nothing of what was typed: it may be a payment card's number.
    if (!number.success) throw new ProblemError('collector-number-wrong')
    hub.keyed(number.data)
    return done
  })

  function bench() {
    if (profile.mode !== 'training' || !hub.bench) throw new ProblemError('training-only')
    return hub.bench
  }
  const panel = (): z.infer<typeof TrainingPanel> => ({ cards: (profile.training?.cards ?? []).map(({ id, label }) => ({ id, label })), paper: bench().paper })

  app.get('/api/training/panel', { schema: { summary: 'Cards and state of the virtual devices', response: { 200: TrainingPanel } } }, () => panel())
  app.post('/api/training/swipe', { schema: { summary: 'Swipe a training card', body: TrainingSwipe, response: { 200: Done } } }, (request) => {
    const far = bench()
    const card = profile.training?.cards.find((candidate) => candidate.id === request.body.cardId)
    if (!card) throw new ProblemError('not-found')
    if (request.body.as === 'swipe') far.swipe(card.number)
    else far.scan(card.number)
    return done
  })
  app.post('/api/training/scan', { schema: { summary: 'Scan a code', body: TrainingScan, response: { 200: Done } } }, (request) => {
    bench().scan(request.body.code)
    return done
  })
  app.post('/api/training/paper', { schema: { summary: 'Load or take away the paper', body: TrainingPaper, response: { 200: TrainingPanel } } }, (request) => {
    bench().setPaper(request.body.paper)
    return panel()
  })
}
