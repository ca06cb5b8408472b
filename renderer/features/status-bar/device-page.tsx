import { useQuery } from '@tanstack/react-query'
import { HardDrive, RefreshCw } from 'lucide-react'
import { useEffect } from 'react'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents, type DeviceFacts } from '../../stores/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { useDeviceWords } from './status-bar.tsx'

export function DevicePage() {
  const { t } = useWords()
  const pushed = useEvents((state) => state.devices)
  const devices = useQuery({ queryKey: ['devices'], queryFn: api.devices })
  const { refetch } = devices
  useEffect(() => { void refetch() }, [pushed, refetch])
  return (
    <>
      <PageHead title={t('devices.title')} intro={t('devices.intro')}>
        <Button icon={<RefreshCw />} isDisabled={devices.isFetching} onPress={() => void refetch()}>{t('store.refresh')}</Button>
      </PageHead>
      {devices.isPending && <p role="status">{t('app.loading')}</p>}
      {devices.isError && <LoadFailed error={devices.error} retry={() => void refetch()} />}
      {devices.data?.devices.length === 0 && <Empty icon={<HardDrive />} title={t('devices.emptyTitle')} text={t('devices.empty')} />}
      <ul className={pageStyles['cards']}>
        {devices.data?.devices.map((device) => <DeviceCard key={device.role} device={device} />)}
      </ul>
    </>
  )
}

function DeviceCard({ device }: { readonly device: DeviceFacts }) {
  const { t } = useWords()
  const { name, state, signal, help, icon, detail } = useDeviceWords(device.role, device)
  return (
    <li className={pageStyles['card']}>
      <h3>{icon}{name}</h3>
      <div><Tag tone={signal === 'ok' ? 'ok' : signal === 'problem' ? 'warn' : 'neutral'}>{state}</Tag></div>
      <p>{help}</p>
      {detail && <p className={pageStyles['mono']}><strong>{t('status.detail')}</strong> {detail}</p>}
    </li>
  )
}
