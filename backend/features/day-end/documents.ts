import type { Closing, XReport, ZReport } from '../../../contracts/api/day-end.ts'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { nameIn } from '../../../contracts/names.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { ReceiptDocument } from '../../../contracts/receipt.ts'
import { composeClosing } from '../../domain/closing-paper.ts'
import { composeMovement, composeShift, composeX, composeZ } from '../../domain/day-end-papers.ts'
import { departmentNames } from '../../domain/department-names.ts'
import type { Copy } from '../../domain/receipt.ts'
import type { MovementRow } from '../shifts/repository.ts'

const PAPER_COLUMNS = 42

export type DayEndDocuments = ReturnType<typeof createDayEndDocuments>

/** The papers of drawers and of the day. */
export function createDayEndDocuments({
  profile,
  lane,
  staffName,
}: {
  readonly profile: Profile
  readonly lane: Lane
  readonly staffName: (id: string) => string
}) {
  const common = {
    profile: { mode: profile.mode, store: profile.store, receipt: profile.receipt, timeZone: profile.timeZone },
    lane: lane.id,
    columns: lane.devices.printer?.columns ?? PAPER_COLUMNS,
  }
  const departmentNameIn =
    (locale: Locale) =>
    (id: string): string => {
      const names = departmentNames(profile.catalog).get(id)
      return names ? nameIn(names, locale) : id
    }
  return {
    ofMovement: (movement: MovementRow, locale: Locale, copy = 0): ReceiptDocument =>
      composeMovement({
        ...common,
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
        ...common,
        locale,
        cashierName: shift.closedBy ?? shift.openedBy,
        at: Date.parse(shift.closedAt ?? shift.openedAt),
        copy,
        shift,
      }),
    /** So far, for whoever asks. */
    ofX: (report: XReport, staffId: string, locale: Locale): ReceiptDocument =>
      composeX({
        ...common,
        locale,
        cashierName: staffName(staffId),
        at: Date.parse(report.at),
        copy: 0,
        report,
        departmentName: departmentNameIn(locale),
      }),
    ofZ: (report: ZReport, copy: Copy, locale: Locale): ReceiptDocument =>
      composeZ({
        ...common,
        locale,
        cashierName: report.closedBy.name,
        at: Date.parse(report.at),
        copy,
        report,
        departmentName: departmentNameIn(locale),
      }),
    /** Says nothing of when it is asked for: of the same Zs it is the same paper. */
    ofClosing: (report: Closing, copy: Copy, locale: Locale): ReceiptDocument =>
      composeClosing({
        ...common,
        locale,
        cashierName: report.closedBy,
        at: Date.parse(report.at),
        copy,
        report,
        departmentName: departmentNameIn(locale),
      }),
  }
}
