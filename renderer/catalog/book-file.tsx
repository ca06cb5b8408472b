import { useMutation } from '@tanstack/react-query'
import { FileDown, FileUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { FileTrigger } from 'react-aria-components'
import type { ExportedFile, ReadCounts, RefusedFile } from '../../contracts/catalog/files.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { clearProblems, notify } from '../core/state/notices.ts'
import { Button } from '../core/ui/button.tsx'
import { LoadFailed } from '../core/ui/page.tsx'
import { saveFile } from '../core/ui/save-file.ts'
import { ConfirmDialog } from './fields.tsx'
import { KINDS_OF_FILE, RefusedRows } from './import-section.tsx'

/** Calls that export, read and save the file of one book: charges, coupons, manufacturers' coupons or promotions. */
interface BookCalls<Read extends ReadCounts> {
  readonly download: () => Promise<ExportedFile>
  readonly read: (file: File) => Promise<RefusedFile | Read>
  readonly save: (read: Read) => Promise<unknown>
}

/**
 * Buttons that export and import the file of one book, and a note below. An import reads a file, shows its wrong rows
 * or its changes, and saves the changes after a confirmation. `children`: further buttons.
 */
export function BookFile<Read extends ReadCounts>({
  calls,
  intro,
  effect,
  onDone,
  children,
}: {
  readonly calls: BookCalls<Read>
  readonly intro: string
  /** Text about the effect of the changes on open sales; by default that they keep what was rung. */
  readonly effect?: string
  readonly onDone: () => void
  readonly children: ReactNode
}) {
  const { t } = useI18n()
  const read = useMutation({ mutationFn: calls.read, onMutate: clearProblems })
  const found = read.data
  const fileName = read.variables?.name ?? ''
  return (
    <>
      <div className="row-3 wraps">
        {children}
        <FileTrigger
          acceptedFileTypes={KINDS_OF_FILE}
          onSelect={(files) => {
            const file = files?.item(0)
            if (file) read.mutate(file)
          }}
        >
          <Button icon={<FileUp />} isDisabled={read.isPending}>
            {t('catalog.file.import')}
          </Button>
        </FileTrigger>
        <ExportButton download={calls.download} />
      </div>
      <p className="note">
        {intro} {t('catalog.file.hint')}
      </p>
      {read.isError && <LoadFailed error={read.error} retry={() => read.reset()} />}
      {found?.kind === 'refused' && <RefusedRows refused={{ ...found, fileName }} />}
      {found?.kind === 'read' && (
        <ApplyDialog
          read={found}
          file={fileName}
          effect={effect ?? t('catalog.file.kept')}
          save={calls.save}
          onClose={() => read.reset()}
          onDone={onDone}
        />
      )}
    </>
  )
}

function ExportButton({ download }: Pick<BookCalls<never>, 'download'>) {
  const { t } = useI18n()
  const load = useMutation({
    mutationFn: download,
    onSuccess: ({ csv, fileName }) => saveFile(fileName, 'text/csv', csv),
  })
  return (
    <>
      <Button icon={<FileDown />} isDisabled={load.isPending} onPress={() => load.mutate()}>
        {t('catalog.file.export')}
      </Button>
      {load.isError && <LoadFailed error={load.error} retry={() => load.mutate()} />}
    </>
  )
}

function ApplyDialog<Read extends ReadCounts>({
  read,
  file,
  effect,
  save: saveRead,
  onClose,
  onDone,
}: {
  readonly read: Read
  readonly file: string
  readonly effect: string
  readonly save: (read: Read) => Promise<unknown>
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const { t } = useI18n()
  const hasChanges = read.added + read.changed > 0
  const save = useMutation({
    mutationFn: async () => (hasChanges ? saveRead(read) : null),
    onSuccess: () => {
      onClose()
      onDone()
      if (hasChanges) notify('success', (i18n) => i18n.t('catalog.file.imported'))
    },
  })
  return (
    <ConfirmDialog
      title={t('catalog.file.applyTitle', { file })}
      confirm={t(hasChanges ? 'catalog.file.apply' : 'catalog.file.nothingToApply')}
      look="primary"
      busy={save.isPending}
      error={save.error}
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      <ul>
        {(['added', 'changed', 'same'] as const).map((kind) => (
          <li key={kind}>{t(`catalog.file.${kind}`, { count: read[kind] })}</li>
        ))}
      </ul>
      <p className="prose">{effect}</p>
    </ConfirmDialog>
  )
}
