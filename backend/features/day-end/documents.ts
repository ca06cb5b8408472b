import type { ZReport } from '../../../contracts/api/day-end.ts'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { nameIn } from '../../../contracts/names.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { ReceiptDocument } from '../../../contracts/receipt.ts'
import { composeMovement, composeShift, composeZ } from '../../domain/day-end-papers.ts'
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
  return {
    ofMovement: (movement: MovementRow, locale: Locale): ReceiptDocument =>
      composeMovement({
        ...common,
        locale,
        cashierName: staffName(movement.staffId),
        at: movement.at,
        copy: 0,
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
    ofZ: (report: ZReport, copy: number, locale: Locale): ReceiptDocument =>
      composeZ({
        ...common,
        locale,
        cashierName: report.closedBy.name,
        at: Date.parse(report.at),
        copy,
        report,
        departmentName: (id) => {
          const names = profile.catalog.departments.find((department) => department.id === id)?.name
          return names ? nameIn(names, locale) : id
        },
      }),
  }
}
