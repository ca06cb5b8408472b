import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Equal, RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Setting, SettingList } from '../../../contracts/staff/settings.ts'
import { SETTINGS, SETTING_GROUPS, type SettingGroup } from '../../../contracts/staff/setting-names.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, Views, pageStyles } from '../../core/ui/page.tsx'
import { SettingDialog } from './setting-dialog.tsx'
import { SettingTable, useSettingTexts } from './setting-table.tsx'
import styles from './settings.module.css'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { saveFile } from '../../core/ui/save-file.ts'
import { Empty } from '../../core/ui/surface.tsx'
import { SoundVolume } from '../../operations/sounds/sound-volume.tsx'

const SETTINGS_KEY = ['settings']
const VIEWS = [...SETTING_GROUPS, 'differences'] as const
type View = SettingGroup | 'differences'

export function SettingsPage() {
  const { t } = useI18n()
  const queries = useQueryClient()
  const [view, setView] = useState<View>('receipts')
  const [editing, setEditing] = useState<Setting['name'] | null>(null)
  const list = useQuery({ queryKey: SETTINGS_KEY, queryFn: storeApi.settings, gcTime: 0 })
  const { refetch } = list
  const changes = useEvents((state) => state.settingsCount)
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: SETTINGS_KEY })
  }, [changes, queries])
  const edited = list.data?.settings.find(({ name }) => name === editing)
  return (
    <>
      <PageHead title={t('settings.title')} intro={t('settings.intro')}>
        <Button icon={<RefreshCw />} isDisabled={list.isFetching} onPress={() => void refetch()}>
          {t('store.refresh')}
        </Button>
      </PageHead>
      <Views
        label={t('settings.view')}
        views={VIEWS}
        texts={(one) => t(`settings.views.${one}`)}
        view={view}
        onChange={setView}
      />
      {list.isPending && <p role="status">{t('app.loading')}</p>}
      {list.isError && <LoadFailed error={list.error} retry={() => void refetch()} />}
      {list.data && view === 'differences' && <Differences settings={list.data.settings} />}
      {list.data && view !== 'differences' && (
        <>
          {view === 'sounds' && (
            <div className="below-4">
              <SoundVolume />
            </div>
          )}
          <SettingTable
            label={t(`settings.views.${view}`)}
            settings={list.data.settings.filter(({ name }) => SETTINGS[name].group === view)}
            onEdit={({ name }) => setEditing(name)}
          />
        </>
      )}
      {edited && (
        <SettingDialog
          key={edited.name}
          setting={edited}
          onClose={() => setEditing(null)}
          onChanged={(changed: SettingList) => void showAnswer(queries, SETTINGS_KEY, changed)}
        />
      )}
    </>
  )
}

const FORMATS = { csv: 'text/csv', json: 'application/json' } as const
const TEXTS = { csv: 'settings.differences.exportCsv', json: 'settings.differences.exportJson' } as const

export function Differences({ settings }: { readonly settings: readonly Setting[] }) {
  const { t, format } = useI18n()
  const { nameOf, valueOf } = useSettingTexts()
  const differing = settings.filter(({ differs, planned }) => differs || planned.length > 0)
  if (differing.length === 0)
    return (
      <div className="nothing">
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
                <th scope="row" className="prose">
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
  const { t } = useI18n()
  const make = useMutation({
    mutationFn: async (format: keyof typeof FORMATS) => {
      const { fileName, text } = await storeApi.exportSettings(format)
      saveFile(fileName, FORMATS[format], text)
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (i18n) => i18n.t('settings.differences.exported'))
    },
    onError: report,
  })
  return (
    <footer className={`wrap-3 above-3 ${styles['foot']}`}>
      {(['csv', 'json'] as const).map((format) => (
        <Button key={format} icon={<Download />} isDisabled={make.isPending} onPress={() => make.mutate(format)}>
          {t(TEXTS[format])}
        </Button>
      ))}
    </footer>
  )
}
