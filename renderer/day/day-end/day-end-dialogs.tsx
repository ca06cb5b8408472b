import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarCheck2, CircleCheckBig, Download, Printer } from 'lucide-react'
import type { ZReportList } from '../../../contracts/day/day-end.ts'
import { storeApi, type NamedFile } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useHeldSales } from '../../sales/held-sales.ts'
import { Button, type ButtonSize } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { SHIFTS } from '../drawer/shifts.ts'
import styles from './day-end.module.css'
import { reprint, zPaper } from '../../payments/receipt/documents.ts'
import drawerStyles from '../drawer/drawer.module.css'
import type { ReactNode } from 'react'
import type { PrintState, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { useInFlight } from '../../core/state/command-queue.ts'
import { PrintOf, usePrintOf } from '../drawer/movements.tsx'
import { ReceiptPaper } from '../../payments/receipt/receipt-paper.tsx'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { saveBlob } from '../../core/ui/save-file.ts'

export function CloseDayDialog({
  day: { next, waiting },
  onClose,
  onMade,
}: {
  readonly day: ZReportList
  readonly onClose: () => void
  readonly onMade: (number: number) => void
}) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const held = useHeldSales((state) => state.sales.length)
  const close = useMutation({
    mutationFn: storeApi.closeDay,
    onSuccess: ({ report }) => {
      void queries.invalidateQueries({ queryKey: [SHIFTS] })
      onMade(report.number)
    },
  })
  return (
    <Dialog open onClose={onClose} role="alertdialog" title={t('dayEnd.confirmTitle')}>
      <p>
        {t('dayEnd.confirmText', { number: String(next), count: waiting.closed })} {t('dayEnd.confirmFinal')}
      </p>
      {waiting.open > 0 && <p>{t('dayEnd.confirmOpen', { count: waiting.open })}</p>}
      {held > 0 && <p>{t('held.statusHelp', { count: held })}</p>}
      {close.isError && <LoadFailed error={close.error} retry={() => close.mutate()} />}
      <div className="stack-3 foot">
        <Button size="l" autoFocus isDisabled={close.isPending} onPress={onClose}>
          {t('dayEnd.confirmKeep')}
        </Button>
        <Button
          size="l"
          look="primary"
          icon={<CalendarCheck2 />}
          isDisabled={close.isPending}
          onPress={() => close.mutate()}
        >
          {t(close.isPending ? 'shifts.sending' : 'dayEnd.confirm')}
        </Button>
      </div>
    </Dialog>
  )
}

/** The closing of a day or month as it is printed. A second print is marked as a copy. */
export function ClosingDialog({ period, onClose }: { readonly period: string; readonly onClose: () => void }) {
  const { t, format } = useI18n()
  // Until its first print, the closing is in the language of the screen.
  const paper = useQuery({
    queryKey: [SHIFTS, 'closing', period, format.locale],
    queryFn: () => storeApi.closingPaper(period),
  })
  const name = t('dayEnd.closing.paper', { period: format.date(period) })
  return (
    <PaperDialog
      title={format.date(period)}
      paper={paper}
      paperId={paper.data?.id}
      label={name}
      file={() => storeApi.closingPdf(period)}
      fileName={name}
      onPrint={({ id }) => void reprint(id, 'closing')}
      onClose={onClose}
    />
  )
}

/** A Z report as it is printed. It never changes; a second print is marked as a copy. */
export function ZDialog({
  number,
  made,
  onClose,
}: {
  readonly number: number
  /** Whether the Z report was made just now and is being printed. */
  readonly made: boolean
  readonly onClose: () => void
}) {
  const { t } = useI18n()
  const paper = useQuery({ queryKey: ['z-receipt', number], queryFn: () => storeApi.zReceipt(number) })
  const texts = { number: String(number) }
  const name = t('dayEnd.z', texts)
  return (
    <PaperDialog
      title={name}
      paper={paper}
      paperId={zPaper(number)}
      label={t('dayEnd.paper', texts)}
      file={() => storeApi.zPdf(number)}
      fileName={name}
      isPrintFocused={!made}
      onPrint={() => void reprint(zPaper(number), 'z-report')}
      onClose={onClose}
    >
      {made && (
        <p className={`row-3 tone-ok text-xl weight-700 round-m pad-3-4 ${drawerStyles['verdict']}`} role="status">
          <CircleCheckBig aria-hidden="true" />
          {t('dayEnd.made', texts)}
        </p>
      )}
    </PaperDialog>
  )
}

export function PaperDialog<Paper extends { readonly document: ReceiptDocument; readonly print: PrintState | null }>({
  title,
  paper,
  paperId,
  label,
  file,
  fileName,
  isPrintFocused = true,
  onPrint,
  onClose,
  children,
}: {
  readonly title: string
  readonly paper: UseQueryResult<Paper>
  readonly paperId: string | undefined
  readonly label: string
  readonly file: () => Promise<NamedFile>
  readonly fileName: string
  readonly isPrintFocused?: boolean
  readonly onPrint: (paper: Paper) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  const { t } = useI18n()
  const printing = useInFlight('print')
  const { data } = paper
  const print = usePrintOf(paperId, data?.print ?? null)
  return (
    <Dialog open onClose={onClose} title={title}>
      {children}
      {data && <PrintOf print={print} />}
      {paper.isPending && <p role="status">{t('app.loading')}</p>}
      {paper.isError && <LoadFailed error={paper.error} retry={() => void paper.refetch()} />}
      {data && (
        <div
          className={`scroll round-m surface-3 pad-3 ${styles['paper']}`}
          role="region"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long paper scrolls
          tabIndex={0}
          aria-label={label}
        >
          <ReceiptPaper document={data.document} />
        </div>
      )}
      <div className={`wrap-3 ${styles['row']}`}>
        <Button size="l" onPress={onClose}>
          {t('app.close')}
        </Button>
        <SavePdf size="l" load={file} name={fileName} />
        <Button
          size="l"
          look="primary"
          autoFocus={isPrintFocused}
          icon={<Printer />}
          isDisabled={printing || print === 'queued' || !data}
          onPress={() => {
            onClose()
            if (data) onPrint(data)
          }}
        >
          {t(print === null || print === 'failed' ? 'dayEnd.closing.print' : 'dayEnd.reprint')}
        </Button>
      </div>
    </Dialog>
  )
}

export function SavePdf({
  size = 'm',
  load,
  name,
}: {
  readonly size?: ButtonSize
  readonly load: () => Promise<NamedFile>
  readonly name: string
}) {
  const { t } = useI18n()
  const save = useMutation({
    mutationFn: async () => {
      const loaded = await load()
      saveBlob(loaded.name, loaded.file)
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (i18n) => i18n.t('dayEnd.pdfSaved', { name }))
    },
    onError: report,
  })
  return (
    <Button size={size} icon={<Download />} isDisabled={save.isPending} onPress={() => save.mutate()}>
      {t('dayEnd.savePdf')}
    </Button>
  )
}
