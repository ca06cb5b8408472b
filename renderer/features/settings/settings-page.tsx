import { useQuery, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Setting, SettingList } from '../../../contracts/api/settings.ts'
import { SETTING_GROUPS, SETTINGS, type SettingGroup } from '../../../contracts/setting-names.ts'
import { showAnswer } from '../../api/answers.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead } from '../../ui/page.tsx'
import { Views } from '../../ui/views.tsx'
import { SoundVolume } from '../sounds/sound-volume.tsx'
import { Differences } from './differences.tsx'
import { SettingDialog } from './setting-dialog.tsx'
import { SettingTable } from './setting-table.tsx'
import styles from './settings.module.css'

const SETTINGS_KEY = ['settings']
const VIEWS = [...SETTING_GROUPS, 'differences'] as const
type View = SettingGroup | 'differences'

/** What a manager sets at the lane, and what of it differs from the profile. */
export function SettingsPage() {
  const { t } = useWords()
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
        words={(one) => t(`settings.views.${one}`)}
        view={view}
        onChange={setView}
      />
      {list.isPending && <p role="status">{t('app.loading')}</p>}
      {list.isError && <LoadFailed error={list.error} retry={() => void refetch()} />}
      {list.data && view === 'differences' && <Differences settings={list.data.settings} />}
      {list.data && view !== 'differences' && (
        <>
          {view === 'sounds' && (
            <div className={styles['volume']}>
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
