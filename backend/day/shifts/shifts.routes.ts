import { z } from 'zod'
import { ReceiptView, ReprintPaper } from '../../../contracts/sales/sales.ts'
import {
  CashMovement,
  CloseShift,
  CountShift,
  CurrentShift,
  MoveCash,
  OpenShift,
  Shift,
  ShiftId,
  ShiftList,
} from '../../../contracts/day/shifts.ts'
import type { Routes } from '../../core/http/app.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'
import { shiftsOf } from './shifts.ts'
import type { Ctx } from '../../core/context.ts'

const byId = z.object({ id: z.coerce.number().pipe(ShiftId) })
const answer = { 200: z.object({ shift: Shift }) }
const tags = ['shifts']
const PAGE = 50

/** The custody of the drawers. No answer says what a drawer should hold before its count is committed. */
export const shiftsRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const shifts = shiftsOf(ctx)
    app.get(
      '/api/shifts/current',
      { schema: { tags, summary: 'The drawer of whoever is signed in', response: { 200: CurrentShift } } },
      (request) => shifts.current(signedIn(request)),
    )
    app.get(
      '/api/shifts',
      {
        schema: {
          tags,
          summary: 'Shifts, newest first',
          querystring: z.object({ before: z.coerce.number().pipe(ShiftId).optional() }),
          response: { 200: ShiftList },
        },
        config: { access: 'manager' },
      },
      (request) => shifts.list(request.query.before ?? Number.MAX_SAFE_INTEGER, PAGE),
    )
    app.post(
      '/api/shifts',
      { schema: { tags, summary: 'Open a drawer with a counted float', body: OpenShift, response: answer } },
      (request) => ({ shift: shifts.open(request.body.float, whoOf(request)) }),
    )
    app.post(
      '/api/shifts/current/movements',
      {
        schema: {
          tags,
          summary: 'Move cash beside sales, or open the drawer',
          body: MoveCash,
          response: { 200: z.object({ movement: CashMovement }) },
        },
      },
      (request) => ({ movement: shifts.move(request.body, whoOf(request)) }),
    )
    app.post(
      '/api/cash-movements/:id/reprint',
      {
        schema: {
          tags,
          summary: 'Print the slip of a cash movement that did not come out',
          params: z.object({ id: z.coerce.number().pipe(z.int().min(1)) }),
          body: ReprintPaper,
          response: { 200: z.object({ print: ReceiptView.shape.print }) },
        },
      },
      (request) => shifts.reprintMovement(request.params.id, whoOf(request)),
    )
    app.post(
      '/api/shifts/:id/counts',
      { schema: { tags, summary: 'Commit a blind count', params: byId, body: CountShift, response: answer } },
      (request) => ({ shift: shifts.count(request.params.id, signedIn(request), request.body) }),
    )
    app.post(
      '/api/shifts/:id/reprint',
      {
        schema: {
          tags,
          summary: 'Print the slip of a closed shift again',
          params: byId,
          response: { 200: z.object({ print: ReceiptView.shape.print }) },
        },
        config: { access: 'manager' },
      },
      (request) => shifts.reprint(request.params.id, signedIn(request).id),
    )
    app.post(
      '/api/shifts/:id/close',
      { schema: { tags, summary: 'Close a counted shift', params: byId, body: CloseShift, response: answer } },
      (request) => ({ shift: shifts.close(request.params.id, request.body, whoOf(request)) }),
    )
  }
