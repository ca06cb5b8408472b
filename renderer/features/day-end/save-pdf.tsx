import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { NamedFile } from '../../api/files.ts'
import { useWords } from '../../i18n/words.tsx'
import { clearProblems, notify, report } from '../../state/notices.ts'
import { Button, type ButtonSize } from '../../ui/button.tsx'
import { saveBlob } from '../../ui/save-file.ts'

/** A report of the day as a file, for the head office. */
export function SavePdf({
  size = 'm',
  load,
  name,
}: {
  readonly size?: ButtonSize
  readonly load: () => Promise<NamedFile>
  /** What was saved, as the notice says it. */
  readonly name: string
}) {
  const { t } = useWords()
  const save = useMutation({
    mutationFn: async () => {
      const loaded = await load()
      saveBlob(loaded.name, loaded.file)
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (words) => words.t('dayEnd.pdfSaved', { name }))
    },
    onError: report,
  })
  return (
    <Button size={size} icon={<Download />} isDisabled={save.isPending} onPress={() => save.mutate()}>
      {t('dayEnd.savePdf')}
    </Button>
  )
}
