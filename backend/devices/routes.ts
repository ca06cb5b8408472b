import { DeviceList, DeviceStatisticsList, KeyedLine } from '../../contracts/api/diagnostics.ts'
import { TrainingPanel, TrainingPlay, TrainingScan, TrainingSwipe } from '../../contracts/api/training.ts'
import { z } from 'zod'
import type { Profile } from '../../contracts/profile.ts'
import type { Routes } from '../http/app.ts'
import { ProblemError } from '../http/problem.ts'
import type { DeviceHub } from './hub.ts'
import { trainingPanel } from './training-panel.ts'

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

  function bench() {
    if (profile.mode !== 'training' || !hub.bench) throw new ProblemError('training-only')
    return hub.bench
  }
  app.get('/api/training/panel', { schema: { summary: 'Cards and state of the virtual devices', response: { 200: TrainingPanel } } }, () => trainingPanel(bench(), profile))
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
  app.post('/api/training/play', { schema: { summary: 'Let something happen to the virtual devices', body: TrainingPlay, response: { 200: TrainingPanel } } }, async (request) => {
    await bench().play(request.body.scenario)
    return trainingPanel(bench(), profile)
  })
}
