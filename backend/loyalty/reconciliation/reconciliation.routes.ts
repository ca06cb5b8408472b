import { z } from 'zod'
import {
  BusinessDay,
  MarkSent,
  ReconciliationDays,
  ReconciliationExport,
  ReconciliationReport,
} from '../../../contracts/loyalty/reconciliation.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { reconciliationOf } from './reconciliation.ts'
import type { Ctx } from '../../core/context.ts'

const byDay = z.object({ day: BusinessDay })
const tags = ['reconciliation']

/** The report of the approvals that came on a retry, day by day. */
export const reconciliationRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const reconciliation = reconciliationOf(ctx)
    app.get(
      '/api/reconciliation/days',
      {
        schema: {
          tags,
          summary: 'Days with approvals of a retry, and which were exported',
          response: { 200: ReconciliationDays },
        },
        config: { access: 'manager' },
      },
      () => ({ days: reconciliation.days(), ledger: reconciliation.ledger() }),
    )

    app.get(
      '/api/reconciliation/days/:day',
      {
        schema: {
          tags,
          summary: 'The report of a day, to look at; marks nothing',
          params: byDay,
          response: { 200: ReconciliationReport },
        },
        config: { access: 'manager' },
      },
      (request) => reconciliation.preview(request.params.day),
    )

    app.get(
      '/api/reconciliation/days/:day/original',
      {
        schema: {
          tags,
          summary: 'The original of a day as it was made',
          params: byDay,
          response: { 200: ReconciliationExport },
        },
        config: { access: 'manager' },
      },
      (request) => reconciliation.original(request.params.day),
    )

    app.post(
      '/api/reconciliation/days/:day/sent',
      {
        schema: {
          tags,
          summary: 'Mark the original of a day as sent to the operator; answers the days',
          params: byDay,
          body: MarkSent,
          response: { 200: ReconciliationDays },
        },
        config: { access: 'manager' },
      },
      (request) => {
        reconciliation.markSent(request.params.day, signedIn(request).id, request.body)
        return { days: reconciliation.days(), ledger: reconciliation.ledger() }
      },
    )

    app.post(
      '/api/reconciliation/days/:day/exports',
      {
        schema: {
          tags,
          summary: 'Export a day that is over: the original the first time, then copies',
          params: byDay,
          response: { 200: ReconciliationExport },
        },
        config: { access: 'manager' },
      },
      (request) => reconciliation.export(request.params.day, signedIn(request).id),
    )
  }
