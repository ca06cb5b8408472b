import type { Closing, ClosingList, ClosingPaper, ClosingSpan } from '../../../contracts/api/day-end.ts'
import type { Locale } from '../../../contracts/locales.ts'
import { cents } from '../../../contracts/money.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { PrintState } from '../../../contracts/receipt.ts'
import type { Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import { dayOfZ, runsOf, totalsOfZs } from '../../domain/closings.ts'
import { closingOf, closingPaper } from '../../domain/paper-names.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Receipts } from '../receipts/service.ts'
import type { ShiftsRepository } from '../shifts/repository.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { DayEndDocuments } from './documents.ts'
import { fileNamesOf, type ReportFile } from './report-file.ts'
import type { DayEndRepository } from './repository.ts'

export interface ClosingsOptions {
  readonly repository: Pick<DayEndRepository, 'openings' | 'figures' | 'byNumbers'>
  readonly shifts: Pick<ShiftsRepository, 'withoutZ'>
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly receipts: Pick<Receipts, 'enqueueDocument' | 'reprint' | 'printState' | 'localeOf' | 'reportPdf'>
  readonly documents: Pick<DayEndDocuments, 'ofClosing'>
  readonly clock: Clock
  readonly profile: Pick<Profile, 'store' | 'timeZone'>
  readonly lane: Pick<Lane, 'id'>
  readonly locale: () => Locale
}

export type Closings = ReturnType<typeof createClosings>

const LENGTH: Readonly<Record<ClosingSpan, number>> = { day: '2026-11-24'.length, month: '2026-11'.length }

/** Daily and monthly closings of the lane: sums of its Zs, which are written once. Nothing of them is stored. */
export function createClosings({ repository, shifts, clock, profile, ...options }: ClosingsOptions) {
  const { receipts, documents } = options
  const dayOf = (openedAt: number): string => dayOfZ(openedAt, profile.timeZone)
  const fileNameOf = fileNamesOf(profile.store, options.lane)

  /** Of each period the numbers of its Zs, ascending. */
  function periods(span: ClosingSpan): Map<string, number[]> {
    const found = Map.groupBy(repository.openings(), ({ openedAt }) => dayOf(openedAt).slice(0, LENGTH[span]))
    return new Map([...found].map(([period, zs]) => [period, zs.map(({ number }) => number)]))
  }

  /** The first day to which a Z can still come: today, or that of a drawer which no Z has taken in yet. */
  function firstUnfinishedDay(): string {
    const days = [clock.now(), ...shifts.withoutZ().map(({ openedAt }) => openedAt)].map(dayOf)
    return days.reduce((first, day) => (day < first ? day : first))
  }

  const endsBefore = (period: string, day: string): boolean => period < day.slice(0, period.length)

  /** Up to one of its Zs, or to its last. Throws ProblemError `not-found` for a period without a Z. */
  function get(period: string, lastZ = Number.MAX_SAFE_INTEGER): Closing {
    const all = periods(period.length === LENGTH.day ? 'day' : 'month').get(period) ?? []
    const numbers = all.filter((number) => number <= lastZ)
    const reports = repository.byNumbers(numbers).map(({ report }) => report)
    const last = reports.at(-1)
    if (!last) throw new ProblemError('not-found')
    const drawers = reports.flatMap((report) => report.shifts)
    return {
      period,
      isOver: endsBefore(period, firstUnfinishedDay()),
      from: drawers.reduce((earliest, { openedAt }) => (openedAt < earliest ? openedAt : earliest), last.at),
      at: last.at,
      closedBy: last.closedBy.name,
      zs: runsOf(numbers),
      shifts: drawers.length,
      countedCents: sum(drawers.map(({ countedCents }) => countedCents)),
      differenceCents: sum(drawers.map(({ differenceCents }) => differenceCents)),
      totals: totalsOfZs(reports),
      grandTotals: last.grandTotals,
    }
  }

  function printedSoFar(period: string, lastZ: number): Closing | null {
    const closing = { ...get(period, lastZ), isOver: false }
    return receipts.printState(paperIdOf(closing)) === null ? null : closing
  }

  /** The language of its first paper, or in which one would be printed now. */
  const localeOf = (id: string): Locale => (receipts.printState(id) === null ? options.locale() : receipts.localeOf(id))

  return {
    /** Newest first, those before a period. */
    list(span: ClosingSpan, before: string | null, limit: number): ClosingList {
      const found = [...periods(span)]
        .filter(([period]) => before === null || period < before)
        .toSorted(([one], [other]) => (one < other ? 1 : -1))
      const page = found.slice(0, limit)
      const figures = new Map(repository.figures(page.flatMap(([, zs]) => zs)).map((one) => [one.number, one]))
      const unfinished = firstUnfinishedDay()
      return {
        closings: page.map(([period, numbers]) => {
          const zs = numbers.flatMap((number) => figures.get(number) ?? [])
          return {
            period,
            isOver: endsBefore(period, unfinished),
            zs: runsOf(numbers),
            sales: zs.reduce((total, { sales }) => total + sales, 0),
            totalCents: sum(zs.map(({ totalCents }) => totalCents)),
            returnedCents: sum(zs.map(({ returnedCents }) => returnedCents)),
            differenceCents: sum(zs.map(({ differenceCents }) => differenceCents)),
          }
        }),
        more: found.length > limit,
      }
    },

    get: (period: string): Closing => get(period),

    /** As it would be printed, or was. */
    paper(period: string): ClosingPaper {
      const closing = get(period)
      const id = paperIdOf(closing)
      return {
        id,
        print: receipts.printState(id),
        document: documents.ofClosing(closing, 0, localeOf(id)),
      }
    },

    /** As a file, in the language of its paper. Once it is over, it says that it is a copy, as a Z does. */
    async file(period: string): Promise<ReportFile> {
      const closing = get(period)
      const document = documents.ofClosing(closing, closing.isOver ? 'file' : 0, localeOf(paperIdOf(closing)))
      return {
        fileName: fileNameOf('closing', closing.isOver ? period : `${period}-Z${lastOf(closing)}`),
        bytes: await receipts.reportPdf(document, { madeAt: Date.parse(closing.at), copy: closing.isOver }),
      }
    },

    /**
     * Of a period, or of a paper that was asked for before. The first is the original; each after it is a copy that
     * says so.
     */
    print(asked: string, staffId: string): { print: PrintState } {
      const { period, soFar } = closingOf(asked)
      const closing = (soFar === null ? null : printedSoFar(period, soFar)) ?? get(period)
      const paper = { kind: 'closing', id: paperIdOf(closing) } as const
      if (receipts.printState(paper.id) !== null)
        return receipts.reprint(paper, {
          actorId: staffId,
          composed: (copy, locale) => documents.ofClosing(closing, copy, locale),
        })
      options.transact((tx) => {
        receipts.enqueueDocument(tx, paper, documents.ofClosing(closing, 0, options.locale()), false)
        options.audit.record(tx, { kind: 'closing-printed', actorId: staffId, subject: paper.id })
      })
      return { print: 'queued' }
    },
  }
}

const lastOf = ({ zs }: Closing): number => zs.at(-1)?.last ?? 0

const paperIdOf = (closing: Closing): string => closingPaper(closing.period, lastOf(closing), closing.isOver)

const sum = (amounts: readonly number[]) => cents(amounts.reduce((total, amount) => total + amount, 0))
