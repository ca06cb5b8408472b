import { z } from 'zod'
import {
  StoreDayFile,
  StoreDayReport,
  StoreLanes,
  StoreReconciliationFile,
  StoreZPaper,
} from '../day/store-overview.ts'
import { BusinessDay } from '../loyalty/reconciliation.ts'
import { StoreQueue, StoreReconciliation, StoreReconciliationDays } from './overview.ts'
import { StoreState } from './status.ts'
import { routes } from '../core/route.ts'

const stream = z.string().regex(/^[0-9a-f]{32}$/)
const number = z.coerce.number().pipe(z.int().min(1))

export const storeContract = routes('store', {
  'GET /store/lanes': { summary: 'Every lane of the store', access: 'manager', answer: StoreLanes },
  'GET /store/days/today': { summary: 'The store’s day so far', access: 'manager', answer: StoreDayReport },
  'GET /store/days/:day': {
    summary: 'A day of all lanes',
    access: 'manager',
    params: { day: BusinessDay },
    answer: StoreDayReport,
  },
  // The command is `awaited` and has no stored answer, because it waits for the store server.
  'POST /store/days/:day/exports': {
    summary: 'The totals of a day as CSV',
    access: 'manager',
    command: 'awaited',
    params: { day: BusinessDay },
    answer: StoreDayFile,
  },
  'GET /store/z/:stream/:number': {
    summary: 'A Z of any lane as it was printed',
    access: 'manager',
    params: { stream, number },
    answer: StoreZPaper,
  },
  'GET /store/z/:stream/:number/report.pdf': {
    summary: 'A Z of any lane as a file, marked as a copy',
    access: 'manager',
    params: { stream, number },
    file: ['application/pdf'],
  },
  'GET /store/queue': { summary: 'Calls of all lanes that need a person', access: 'manager', answer: StoreQueue },
  'GET /store/reconciliation': {
    summary: 'Days of the store with approvals of a retry',
    access: 'manager',
    answer: StoreReconciliationDays,
  },
  'GET /store/reconciliation/:day': {
    summary: 'Preview of the store’s report of a day',
    access: 'manager',
    params: { day: BusinessDay },
    answer: StoreReconciliation,
  },
  'GET /store/reconciliation/:day/original': {
    summary: 'The store’s original of a day as it was made',
    access: 'manager',
    params: { day: BusinessDay },
    answer: StoreReconciliationFile,
  },
  // The command is `awaited`, because it waits for the store server, which makes the original report only once.
  'POST /store/reconciliation/:day/exports': {
    summary: 'Export a past day of the store: the original the first time, then copies',
    access: 'manager',
    command: 'awaited',
    params: { day: BusinessDay },
    answer: StoreReconciliationFile,
  },
  'GET /store': { summary: 'State of the lane’s connection to its store server', answer: StoreState },
})
