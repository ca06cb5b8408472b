import { z } from 'zod'
import { QueueSummary } from '../operations/diagnostics.ts'
import {
  CorrectEntry,
  CorrectionList,
  CreditMiles,
  GiveMiles,
  Queue,
  QueueDetail,
  QueueQuery,
  ResolveEntry,
  ResolveNotice,
  TakeBack,
} from './queue.ts'
import {
  BusinessDay,
  MarkSent,
  ReconciliationDays,
  ReconciliationExport,
  ReconciliationReport,
} from './reconciliation.ts'
import { routes } from '../core/route.ts'

const number = z.coerce.number().int().min(1)

export const queueContract = routes('queue', {
  'GET /queue/summary': { summary: 'State of the queue, for the status bar', answer: QueueSummary },
  'GET /queue': {
    summary: 'The queue and the exceptions, or everything of one sale',
    access: 'manager',
    query: QueueQuery,
    answer: Queue,
  },
  'GET /queue/corrections': {
    summary: 'Corrections and resolutions by people, newest first',
    access: 'manager',
    query: z.object({ before: number.optional() }),
    answer: CorrectionList,
  },
  'POST /queue/send-again': {
    summary: 'Send again all calls that may be sent again, up to a limit, one after another',
    access: 'manager',
    answer: Queue,
  },
  'GET /queue/:id': {
    summary: 'One entry with everything that support needs',
    access: 'manager',
    params: { id: z.uuid() },
    answer: QueueDetail,
  },
  'POST /queue/:id/send-again': {
    summary: 'Send an escalated call again: the same bytes and key',
    access: 'manager',
    params: { id: z.uuid() },
    answer: QueueDetail,
  },
  'POST /queue/:id/credit': {
    summary: 'Issue store credit for miles that paid nothing and can no longer be reversed',
    access: 'manager',
    params: { id: z.uuid() },
    body: CreditMiles,
    answer: QueueDetail,
  },
  'POST /queue/:id/resolve': {
    summary: 'Record the resolution; the entry leaves the list',
    access: 'manager',
    params: { id: z.uuid() },
    body: ResolveEntry,
    answer: QueueDetail,
  },
  'POST /queue/:id/correct': {
    summary: 'Send a refused call as a new transaction; answers the new entry',
    access: 'manager',
    params: { id: z.uuid() },
    body: CorrectEntry,
    answer: QueueDetail,
  },
  'POST /queue/:id/take-back': {
    summary: 'Take miles back that were issued wrongly (REVERSE/EVENT); answers the new entry',
    access: 'manager',
    params: { id: z.uuid() },
    body: TakeBack,
    answer: QueueDetail,
  },
  'POST /queue/:id/give': {
    summary: 'Give miles that a sale should have earned (POST/EVENT); answers the new entry',
    access: 'manager',
    params: { id: z.uuid() },
    body: GiveMiles,
    answer: QueueDetail,
  },
  'POST /queue/notices/:id/settle': {
    summary: 'Record what was done about a notice; answers the queue without it',
    access: 'manager',
    params: { id: number },
    body: ResolveNotice,
    answer: Queue,
  },
  'POST /queue/slips/:id/settle': {
    summary: 'Record how the difference of a card slip was given back; answers the queue without it',
    access: 'manager',
    params: { id: number },
    body: ResolveNotice,
    answer: Queue,
  },
})

export const reconciliationContract = routes('reconciliation', {
  'GET /reconciliation/days': {
    summary: 'Days with approvals of a retry, and which were exported',
    access: 'manager',
    answer: ReconciliationDays,
  },
  'GET /reconciliation/days/:day': {
    summary: 'Preview of the report of a day; marks nothing',
    access: 'manager',
    params: { day: BusinessDay },
    answer: ReconciliationReport,
  },
  'GET /reconciliation/days/:day/original': {
    summary: 'The original of a day as it was made',
    access: 'manager',
    params: { day: BusinessDay },
    answer: ReconciliationExport,
  },
  'POST /reconciliation/days/:day/sent': {
    summary: 'Mark the original of a day as sent to the operator; answers the days',
    access: 'manager',
    params: { day: BusinessDay },
    body: MarkSent,
    answer: ReconciliationDays,
  },
  'POST /reconciliation/days/:day/exports': {
    summary: 'Export a past day: the original the first time, then copies',
    access: 'manager',
    params: { day: BusinessDay },
    answer: ReconciliationExport,
  },
})
