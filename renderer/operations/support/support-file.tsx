import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronRight, Download, LifeBuoy } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { SupportPreview } from '../../../contracts/operations/support.ts'
import { SUPPORT_SECTIONS } from '../../../contracts/operations/support-values.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { saveBlob } from '../../core/ui/save-file.ts'
import { useSupportFacts } from './facts.ts'
import styles from './support.module.css'

export function SupportFileButton() {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button icon={<LifeBuoy />} onPress={() => setOpen(true)}>
        {t('support.open')}
      </Button>
      {open && <SupportFileDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function SupportFileDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useI18n()
  const prepare = useMutation({ mutationFn: storeApi.previewSupportFile })
  const { mutate } = prepare
  useEffect(() => {
    mutate()
  }, [mutate])
  return (
    <Dialog open onClose={onClose} title={t('support.title')} size="l">
      <p>{t('support.intro')}</p>
      {prepare.isPending && (
        <div role="status" className="row-3 wraps text-s">
          <p>{t('support.preparing')}</p>
          <progress aria-label={t('support.preparing')} />
        </div>
      )}
      {prepare.isError && <Refused error={prepare.error} again={() => mutate()} />}
      {prepare.data && <Preview preview={prepare.data} onSaved={onClose} />}
    </Dialog>
  )
}

function Refused({ error, again }: { readonly error: Error; readonly again: () => void }) {
  const { t } = useI18n()
  const name = error instanceof ApiProblem ? error.details.find(({ path }) => path === '/section')?.message : undefined
  const section = SUPPORT_SECTIONS.find((one) => one === name)
  return (
    <>
      <LoadFailed error={error} retry={again} />
      {section && <p>{t('support.refusedIn', { section: t(`support.section.${section}`) })}</p>}
    </>
  )
}

function Preview({ preview, onSaved }: { readonly preview: SupportPreview; readonly onSaved: () => void }) {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const facts = useSupportFacts(preview.file)
  const save = useMutation({
    mutationFn: async () => {
      const { number, fileName } = await storeApi.requestSupportFile(preview.id)
      saveBlob(fileName, await storeApi.supportFile(number))
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (i18n) => i18n.t('support.saved'))
      onSaved()
    },
    onError: report,
    onSettled: () => queries.invalidateQueries({ queryKey: ['audit'] }),
  })
  return (
    <>
      <section aria-label={t('support.sections')} className={`stack-2 single ${styles['sections']}`}>
        {SUPPORT_SECTIONS.map((section, index) => (
          <details className="framed" key={section} open={index === 0}>
            <summary className="row-3 between target">
              <h3 className="text-m">{t(`support.section.${section}`)}</h3>
              <span>{format.miles(facts[section].length)}</span>
              <ChevronRight aria-hidden="true" />
            </summary>
            {(section === 'errors' || section === 'log') && <p className="note">{t('support.english')}</p>}
            {facts[section].length === 0 && <p className="note">{t('support.none')}</p>}
            <dl className={`grid single text-s ${styles['facts']} selectable`}>
              {facts[section].map(([name, value], row) => (
                <div className="stack-3" key={`${name} ${row}`}>
                  <dt className="dim">{name}</dt>
                  <dd className="anywhere">{value}</dd>
                </div>
              ))}
            </dl>
          </details>
        ))}
      </section>
      <footer className={`row-3 wraps between surface-1 ${styles['foot']}`}>
        <p className="note anywhere selectable">
          {t('support.size', { name: preview.fileName, size: format.miles(Math.ceil(preview.bytes / 1_000)) })}
        </p>
        <Button look="primary" icon={<Download />} isDisabled={save.isPending} onPress={() => save.mutate()}>
          {t('support.save')}
        </Button>
      </footer>
    </>
  )
}
