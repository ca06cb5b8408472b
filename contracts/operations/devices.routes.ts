import { z } from 'zod'
import { DeviceDetailsList, SoundSettings, TestPageAnswer, TestRead, TestReadAnswer } from './devices.ts'
import { DeviceList, KeyedCollector, KeyedLine } from './diagnostics.ts'
import {
  TrainingCardTerminal,
  TrainingCentral,
  TrainingPanel,
  TrainingPhoneAct,
  TrainingPlay,
  TrainingScan,
  TrainingSwipe,
} from './training.ts'
import { routes } from '../core/route.ts'

const Done = z.object({ done: z.literal(true) })

export const devicesContract = routes('devices', {
  'GET /devices': { summary: 'Health of the devices', access: 'window', answer: DeviceList },
  'GET /devices/details': {
    summary: 'What each device is and did since the start',
    access: 'manager',
    answer: DeviceDetailsList,
  },
  'POST /devices/check': { summary: 'Look at every device now', command: 'awaited', answer: DeviceList },
  'POST /devices/test-read': {
    summary: 'Wait for the next read of a device, for a test',
    access: 'manager',
    command: 'awaited',
    body: TestRead,
    answer: TestReadAnswer,
  },
  'POST /devices/test-page': {
    summary: 'Print a page that is no receipt',
    access: 'manager',
    command: 'awaited',
    answer: TestPageAnswer,
  },
  // For a window, because a badge is read before a person is signed in. Other scans are ignored then.
  'POST /devices/keys': {
    summary: 'A line from a scanner that types',
    access: 'window',
    body: KeyedLine,
    answer: Done,
  },
  'POST /devices/keyed-collector': {
    summary: "A collector's number that the cashier typed; comes back as a card read, never as a number",
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
    summary: 'Let something happen to the virtual devices',
    command: 'awaited',
    body: TrainingPlay,
    answer: TrainingPanel,
  },
  'POST /training/card-terminal': {
    summary: 'What the card terminal does next, or a card for the payment that waits',
    command: 'awaited',
    body: TrainingCardTerminal,
    answer: TrainingPanel,
  },
  'POST /training/phone': {
    summary: 'Let the customer’s phone sign in, or decline, with the code that waits',
    command: 'awaited',
    body: TrainingPhoneAct,
    answer: TrainingPanel,
  },
  'POST /training/central': {
    summary: 'Let the loyalty service be slow, silent, wrong or away',
    command: 'awaited',
    body: TrainingCentral,
    answer: TrainingPanel,
  },
  'GET /sounds': { summary: 'How loud this lane is', answer: SoundSettings },
  'PUT /sounds': { summary: 'Make this lane louder or quieter; 0 is off', body: SoundSettings, answer: SoundSettings },
})
