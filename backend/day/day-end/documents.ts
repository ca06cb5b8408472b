import type { Closing, XReport, ZReport } from '../../../contracts/day/day-end.ts'
import type { Shift } from '../../../contracts/day/shifts.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { composeClosing, composeMovement, composeShift, composeX, composeZ } from './day-end-papers.ts'
import { departmentNames } from '../../catalog/gift-card.ts'
import type { MovementRow } from '../../sales/drawer.sql.ts'
import type { FastifyReply } from 'fastify'
import { type Copy, columnsOfLane } from '../../core/paper/document.ts'
import { nameIn } from '../../../contracts/core/names.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export function createDayEndDocuments({ profile, lane, staffName }: Pick<Ctx, 'profile' | 'lane' | 'staffName'>) {
  // Called for each document, because a manager may change the receipt settings while the lane runs.
  const common = () => ({
    profile: { mode: profile.mode, store: profile.store, receipt: profile.receipt, timeZone: profile.timeZone },
    lane: lane.id,
    columns: columnsOfLane(lane),
  })
  const departmentNameIn =
    (locale: Locale) =>
    (id: string): string => {
      const names = departmentNames(profile.catalog).get(id)
      return names ? nameIn(names, locale) : id
    }
  return {
    ofMovement: (movement: MovementRow, locale: Locale, copy = 0): ReceiptDocument =>
      composeMovement({
        ...common(),
        locale,
        cashierName: staffName(movement.staffId),
        at: movement.at,
        copy,
        kind: movement.kind,
        amountCents: Math.abs(movement.amountCents),
        reason: movement.reason,
        approvedBy: movement.approvedBy === null ? null : staffName(movement.approvedBy),
      }),
    ofShift: (shift: Shift, locale: Locale, copy = 0): ReceiptDocument =>
      composeShift({
        ...common(),
        locale,
        cashierName: shift.closedBy ?? shift.openedBy,
        at: Date.parse(shift.closedAt ?? shift.openedAt),
        copy,
        shift,
      }),
    ofX: (report: XReport, staffId: string, locale: Locale): ReceiptDocument =>
      composeX({
        ...common(),
        locale,
        cashierName: staffName(staffId),
        at: Date.parse(report.at),
        copy: 0,
        report,
        departmentName: departmentNameIn(locale),
      }),
    ofZ: (report: ZReport, copy: Copy, locale: Locale): ReceiptDocument =>
      composeZ({
        ...common(),
        locale,
        cashierName: report.closedBy.name,
        at: Date.parse(report.at),
        copy,
        report,
        departmentName: departmentNameIn(locale),
      }),
    ofClosing: (report: Closing, copy: Copy, locale: Locale): ReceiptDocument =>
      composeClosing({
        ...common(),
        locale,
        cashierName: report.closedBy,
        at: Date.parse(report.at),
        copy,
        report,
        departmentName: departmentNameIn(locale),
      }),
  }
}

export const dayEndDocumentsOf = perLane(createDayEndDocuments)

export interface ReportFile {
  readonly fileName: string
  readonly bytes: Buffer
}

const PATH_CHARACTERS = /[^A-Za-z0-9-]/g

export const fileNamesOf =
  (store: Pick<Profile['store'], 'id'>, lane: Pick<LaneSettings, 'id'>) =>
  (kind: 'x-report' | 'z-report' | 'closing', which: string): string =>
    `${[kind, store.id, `lane-${lane.id}`, which].map((part) => part.replaceAll(PATH_CHARACTERS, '-')).join('_')}.pdf`

export const sendFile = (reply: FastifyReply, { fileName, bytes }: ReportFile): FastifyReply =>
  reply.type('application/pdf').header('content-disposition', `attachment; filename="${fileName}"`).send(bytes)
