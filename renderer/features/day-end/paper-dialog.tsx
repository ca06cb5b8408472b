import type { UseQueryResult } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ReceiptDocument } from '../../../contracts/receipt.ts'
import type { NamedFile } from '../../api/client.ts'
import { useWords } from '../../i18n/words.tsx'
import { useUnderWay } from '../../state/command-queue.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { ReceiptPaper } from '../receipt/receipt-paper.tsx'
import styles from './day-end.module.css'
import { SavePdf } from './save-pdf.tsx'

/** A report as its paper says it, and the ways to have it: as a file, and on paper. */
export function PaperDialog<Paper extends { readonly document: ReceiptDocument }>({
  title,
  paper,
  label,
  file,
  fileName,
  printWords,
  isPrintFocused = true,
  onPrint,
  onClose,
  children,
}: {
  readonly title: string
  readonly paper: UseQueryResult<Paper>
  /** The paper, as a screen reader says it. */
  readonly label: string
  readonly file: () => Promise<NamedFile>
  /** What was saved, as the notice says it. */
  readonly fileName: string
  readonly printWords: string
  readonly isPrintFocused?: boolean
  readonly onPrint: (paper: Paper) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  const { t } = useWords()
  const printing = useUnderWay('print')
  const { data } = paper
  return (
    <Dialog open onClose={onClose} title={title}>
      {children}
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
          isDisabled={printing || !data}
          onPress={() => {
            onClose()
            if (data) onPrint(data)
          }}
        >
          {printWords}
        </Button>
      </div>
    </Dialog>
  )
}
