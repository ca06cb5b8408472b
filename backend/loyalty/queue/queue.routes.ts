import { z } from 'zod'
import { QueueSummary } from '../../../contracts/operations/diagnostics.ts'
import {
  CorrectEntry,
  CorrectionList,
  CreditMiles,
  GiveMiles,
  Queue,
  QueueDetail,
  QueueQuery,
  ResolveEntry,
  SettleNotice,
  TakeBack,
} from '../../../contracts/loyalty/queue.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { queueOf } from './queue.ts'
import { queueNewsOf } from './queue-facts.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: z.uuid() })
const byNumber = z.object({ id: z.coerce.number().int().min(1) })
const tags = ['queue']
const config = { access: 'manager' } as const
const response = { 200: QueueDetail }

/** What moves miles and is not final yet, what a manager must see, and what a manager can do about it. */
export const queueRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const queue = queueOf(ctx)
    const news = queueNewsOf(ctx)
    app.get(
      '/api/queue/summary',
      { schema: { tags, summary: 'How the queue stands, for the status bar', response: { 200: QueueSummary } } },
      () => news.summary(),
    )

    app.get(
      '/api/queue',
      {
        config,
        schema: {
          tags,
          summary: 'The queue and the exceptions, or everything of one sale',
          querystring: QueueQuery,
          response: { 200: Queue },
        },
      },
      (request) => queue.list(request.query),
    )
    app.get(
      '/api/queue/corrections',
      {
        config,
        schema: {
          tags,
          summary: 'What people ordered and settled, newest first',
          querystring: z.object({ before: z.coerce.number().int().min(1).optional() }),
          response: { 200: CorrectionList },
        },
      },
      (request) => queue.corrections(request.query.before),
    )
    app.post(
      '/api/queue/send-again',
      {
        config,
        schema: {
          tags,
          summary: 'Send again what may go again, a capped number, one after another',
          response: { 200: Queue },
        },
      },
      (request) => queue.sendAllAgain(signedIn(request).id),
    )
    app.get(
      '/api/queue/:id',
      { config, schema: { tags, summary: 'One entry with all that support asks for', params: byId, response } },
      (request) => queue.detail(request.params.id),
    )

    app.post(
      '/api/queue/:id/send-again',
      {
        config,
        schema: { tags, summary: 'Send an escalated call again: the same bytes and key', params: byId, response },
      },
      (request) => queue.sendAgain(request.params.id, signedIn(request).id),
    )
    app.post(
      '/api/queue/:id/credit',
      {
        config,
        schema: {
          tags,
          summary: 'Issue store credit for miles that paid nothing and can no longer go back',
          params: byId,
          body: CreditMiles,
          response,
        },
      },
      (request) => queue.credit(request.params.id, signedIn(request).id, request.body),
    )
    app.post(
      '/api/queue/:id/resolve',
      {
        config,
        schema: {
          tags,
          summary: 'Write down what was found; the entry leaves the list',
          params: byId,
          body: ResolveEntry,
          response,
        },
      },
      (request) => queue.resolve(request.params.id, signedIn(request).id, request.body),
    )
    app.post(
      '/api/queue/:id/correct',
      {
        config,
        schema: {
          tags,
          summary: 'Send a refused call as a new transaction; answers the new entry',
          params: byId,
          body: CorrectEntry,
          response,
        },
      },
      (request) => queue.correct(request.params.id, signedIn(request).id, request.body),
    )
    app.post(
      '/api/queue/:id/take-back',
      {
        config,
        schema: {
          tags,
          summary: 'Take miles back that were issued wrongly (REVERSE/EVENT); answers the new entry',
          params: byId,
          body: TakeBack,
          response,
        },
      },
      (request) => queue.takeBack(request.params.id, signedIn(request).id, request.body),
    )
    app.post(
      '/api/queue/:id/give',
      {
        config,
        schema: {
          tags,
          summary: 'Give miles that a sale should have earned (POST/EVENT); answers the new entry',
          params: byId,
          body: GiveMiles,
          response,
        },
      },
      (request) => queue.give(request.params.id, signedIn(request).id, request.body),
    )
    app.post(
      '/api/queue/notices/:id/settle',
      {
        config,
        schema: {
          tags,
          summary: 'Write down what was done about a standing notice; answers the queue without it',
          params: byNumber,
          body: SettleNotice,
          response: { 200: Queue },
        },
      },
      (request) => queue.settleNotice(request.params.id, signedIn(request).id, request.body),
    )
    app.post(
      '/api/queue/slips/:id/settle',
      {
        config,
        schema: {
          tags,
          summary: 'Write down how the difference of a card slip was given back; answers the queue without it',
          params: byNumber,
          body: SettleNotice,
          response: { 200: Queue },
        },
      },
      (request) => queue.settleSlip(request.params.id, signedIn(request).id, request.body),
    )
  }
