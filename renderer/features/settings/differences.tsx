import { useMutation } from '@tanstack/react-query'
import { Download, Equal } from 'lucide-react'
import type { Setting } from '../../../contracts/api/settings.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { clearProblems, notify, report } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Empty } from '../../ui/surface.tsx'
import { useSettingWords } from './setting-words.ts'
import styles from './settings.module.css'

const FORMATS = { csv: 'text/csv', json: 'application/json' } as const
const WORDS = { csv: 'settings.differences.exportCsv', json: 'settings.differences.exportJson' } as const

/** What is another than the profile says, or is going to be; on the screen and as a file. */
export function Differences({ settings }: { readonly settings: readonly Setting[] }) {
  const { t, format } = useWords()
  const { nameOf, valueOf } = useSettingWords()
  const differing = settings.filter(({ differs, planned }) => differs || planned.length > 0)
  if (differing.length === 0)
    return (
      <div className={styles['nothing']}>
        <Empty icon={<Equal />} title={t('settings.differences.emptyTitle')} text={t('settings.differences.empty')} />
      </div>
    )
  return (
    <>
      <TableWrap>
        <table
          className={`${pageStyles['table']} ${styles['table']} selectable`}
          aria-label={t('settings.views.differences')}
        >
          <thead>
            <tr>
              <th scope="col">{t('settings.setting')}</th>
              <th scope="col">{t('settings.differences.profile')}</th>
              <th scope="col">{t('settings.differences.lane')}</th>
              <th scope="col">{t('settings.differences.since')}</th>
              <th scope="col">{t('settings.differences.coming')}</th>
            </tr>
          </thead>
          <tbody>
            {differing.map(({ name, profile, value, differs, change, planned }) => (
              <tr key={name}>
                <th scope="row" className="words">
                  {nameOf(name)}
                </th>
                <td className={styles['value']}>{valueOf(name, profile)}</td>
                <td className={styles['value']}>{valueOf(name, value)}</td>
                <td>
                  {differs && change && (
                    <>
                      {format.dateTime(change.from)}
                      <small>{change.by}</small>
                    </>
                  )}
                </td>
                <td className={styles['value']}>
                  {planned.map((one) => (
                    <small key={one.id}>
                      {t('settings.plannedFrom', { time: format.dateTime(one.from), value: valueOf(name, one.value) })}
                    </small>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
      <Exports />
    </>
  )
}

function Exports() {
  const { t } = useWords()
  const make = useMutation({
    mutationFn: async (format: keyof typeof FORMATS) => {
      const { fileName, text } = await storeApi.exportSettings(format)
      saveFile(fileName, FORMATS[format], text)
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (words) => words.t('settings.differences.exported'))
    },
    onError: report,
  })
  return (
    <footer className={styles['foot']}>
      {(['csv', 'json'] as const).map((format) => (
        <Button key={format} icon={<Download />} isDisabled={make.isPending} onPress={() => make.mutate(format)}>
          {t(WORDS[format])}
        </Button>
      ))}
    </footer>
  )
}
