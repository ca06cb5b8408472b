import { useQuery } from '@tanstack/react-query'
import { HardDrive, RefreshCw } from 'lucide-react'
import { useEffect } from 'react'
import type { DeviceDetails } from '../../../contracts/api/devices.ts'
import { storeApi } from '../../api/store-api.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents, type DeviceFacts } from '../../state/events.ts'
import { useTerminal } from '../../state/terminal.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { SupportFileButton } from '../support/support-file.tsx'
import { DeviceDetailsOf } from './device-details.tsx'
import { DeviceTests } from './device-tests.tsx'
import { useDeviceWords } from './device-status.tsx'

export function DevicePage() {
  const { t } = useWords()
  const pushed = useEvents((state) => state.devices)
  const devices = useQuery({ queryKey: ['devices'], queryFn: api.devices })
  const { refetch } = devices
  const manager = useTerminal((state) => state.terminal?.signedIn?.role === 'manager')
  const details = useQuery({ queryKey: ['device-details'], queryFn: storeApi.deviceDetails, enabled: manager })
  const { refetch: refetchDetails } = details
  useEffect(() => {
    void refetch()
    if (manager) void refetchDetails()
  }, [pushed, manager, refetch, refetchDetails])
  return (
    <>
      <PageHead title={t('devices.title')} intro={t('devices.intro')}>
        <span className={pageStyles['orders']}>
          <Button
            icon={<RefreshCw />}
            isDisabled={devices.isFetching}
            onPress={() => {
              void refetch()
              if (manager) void refetchDetails()
            }}
          >
            {t('store.refresh')}
          </Button>
          {manager && <SupportFileButton />}
        </span>
      </PageHead>
      {devices.isPending && <p role="status">{t('app.loading')}</p>}
      {devices.isError && <LoadFailed error={devices.error} retry={() => void refetch()} />}
      {devices.data?.devices.length === 0 && (
        <Empty icon={<HardDrive />} title={t('devices.emptyTitle')} text={t('devices.empty')} />
      )}
      <ul className={pageStyles['cards']}>
        {devices.data?.devices.map((device) => (
          <DeviceCard
            key={device.role}
            device={device}
            manager={manager}
            details={details.data?.devices.find(({ role }) => role === device.role)}
          />
        ))}
      </ul>
    </>
  )
}

function DeviceCard({
  device,
  manager,
  details,
}: {
  readonly device: DeviceFacts
  readonly manager: boolean
  readonly details: DeviceDetails | undefined
}) {
  const { t } = useWords()
  const { name, state, signal, help, icon, detail } = useDeviceWords(device.role, device)
  return (
    <li className={pageStyles['card']}>
      <h3>
        {icon}
        {name}
      </h3>
      <div>
        <Tag tone={signal === 'ok' ? 'ok' : signal === 'problem' ? 'warn' : 'neutral'}>{state}</Tag>
      </div>
      <p>{help}</p>
      {detail && (
        <p className={pageStyles['mono']}>
          <strong>{t('status.detail')}</strong> {detail}
        </p>
      )}
      {details && <DeviceDetailsOf device={details} />}
      {device.state !== 'not-configured' && device.role !== 'drawer' && (
        <DeviceTests role={device.role} manager={manager} />
      )}
    </li>
  )
}
