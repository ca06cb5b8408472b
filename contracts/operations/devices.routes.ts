import { z } from 'zod'
import { DeviceDetailsList, SoundSettings, TestPageAnswer, TestRead, TestReadAnswer } from './devices.ts'
import { DeviceList, KeyedCollector, KeyedLine } from './diagnostics.ts'
import {
  TrainingCardTerminal,
  TrainingCentral,
  TrainingPanel,
  TrainingPhoneAct,
  TrainingPlay,
  TrainingScale,
  TrainingScan,
  TrainingSwipe,
} from './training.ts'
import { routes } from '../core/route.ts'

const Done = z.object({ done: z.literal(true) })

export const devicesContract = routes('devices', {
  'GET /devices': { summary: 'Health of the devices', access: 'window', answer: DeviceList },
  'GET /devices/details': {
    summary: 'Identity and statistics of each device since the start',
    access: 'manager',
    answer: DeviceDetailsList,
  },
  'POST /devices/check': { summary: 'Check all devices now', command: 'awaited', answer: DeviceList },
  'POST /devices/test-read': {
    summary: 'Wait for the next read of a device, for a test',
    access: 'manager',
    command: 'awaited',
    body: TestRead,
    answer: TestReadAnswer,
  },
  'POST /devices/test-page': {
    summary: 'Print a test page',
    access: 'manager',
    command: 'awaited',
    answer: TestPageAnswer,
  },
  // Access is `window`, because a staff badge and an enrolment sheet are scanned before a person is signed in.
  'POST /devices/keys': {
    summary: 'A line from a scanner that acts as a keyboard',
    access: 'window',
    body: KeyedLine,
    answer: Done,
  },
  'POST /devices/keyed-collector': {
    summary: 'A collector number that the cashier typed; returned as a card read, never as a number',
    body: KeyedCollector,
    answer: Done,
  },
  'GET /training/panel': { summary: 'Cards and state of the virtual devices', answer: TrainingPanel },
  'POST /training/swipe': {
    summary: 'Swipe a training card',
    command: 'awaited',
    body: TrainingSwipe,
    answer: Done,
  },
  'POST /training/scan': {
    summary: 'Scan a code',
    command: 'awaited',
    body: TrainingScan,
    answer: Done,
  },
  'POST /training/play': {
    summary: 'Play a scenario of the virtual devices',
    command: 'awaited',
    body: TrainingPlay,
    answer: TrainingPanel,
  },
  'POST /training/card-terminal': {
    summary: 'Set the next outcome of the card terminal, or present a card for the waiting payment',
    command: 'awaited',
    body: TrainingCardTerminal,
    answer: TrainingPanel,
  },
  'POST /training/scale': {
    summary: 'Put a load on the virtual scale, and set its fault',
    command: 'awaited',
    body: TrainingScale,
    answer: TrainingPanel,
  },
  'POST /training/phone': {
    summary: 'Let the customer’s phone sign in, or decline, with the waiting code',
    command: 'awaited',
    body: TrainingPhoneAct,
    answer: TrainingPanel,
  },
  'POST /training/central': {
    summary: 'Make the loyalty service slow, silent, wrong or unreachable',
    command: 'awaited',
    body: TrainingCentral,
    answer: TrainingPanel,
  },
  'GET /sounds': { summary: 'The volume of this lane', answer: SoundSettings },
  'PUT /sounds': { summary: 'Set the volume of this lane; 0 is off', body: SoundSettings, answer: SoundSettings },
})
