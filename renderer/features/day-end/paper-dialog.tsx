import type { UseQueryResult } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PrintState, ReceiptDocument } from '../../../contracts/receipt.ts'
import type { NamedFile } from '../../api/files.ts'
import { useWords } from '../../i18n/words.tsx'
import { useUnderWay } from '../../state/command-queue.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { PrintOf, usePrintOf } from '../drawer/print-of.tsx'
import { ReceiptPaper } from '../receipt/receipt-paper.tsx'
import styles from './day-end.module.css'
import { SavePdf } from './save-pdf.tsx'

/** A report as its paper says it, and the ways to have it: as a file, and on paper. */
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
  /** What the print queue calls it, once that is known. */
  readonly paperId: string | undefined
  /** The paper, as a screen reader says it. */
  readonly label: string
  readonly file: () => Promise<NamedFile>
  /** What was saved, as the notice says it. */
  readonly fileName: string
  readonly isPrintFocused?: boolean
  readonly onPrint: (paper: Paper) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  const { t } = useWords()
  const printing = useUnderWay('print')
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
          className={styles['paper']}
          role="region"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long paper scrolls
          tabIndex={0}
          aria-label={label}
        >
          <ReceiptPaper document={data.document} />
        </div>
      )}
      <div className={styles['row']}>
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
