import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CreditCard, HardDrive, Printer, RefreshCw, ScanBarcode, Stethoscope } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { DeviceDetails, InputRole, MaskedRead } from '../../../contracts/operations/devices.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { type DeviceFacts, useEvents } from '../../core/state/events.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../core/ui/page.tsx'
import { Empty, Tag } from '../../core/ui/surface.tsx'
import { SupportFileButton } from './support-file.tsx'
import { useDeviceTexts } from '../status-bar/device-status.tsx'
import type { Translate } from '../../core/i18n/message-key.ts'
import { report } from '../../core/state/notices.ts'
import { DeviceDetailsOf } from './device-details.tsx'

export function DevicePage() {
  const { t } = useI18n()
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
        <span className={pageStyles['actions']}>
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
  const { t } = useI18n()
  const { name, state, signal, help, icon, detail } = useDeviceTexts(device.role, device)
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

type ResultText = (t: Translate) => string

const readText =
  (read: MaskedRead | null): ResultText =>
  (t) =>
    read === null ? t('devices.readNothing') : t(`devices.read.${read.kind}`, { shown: read.shown ?? '' })

export function DeviceTests({ role, manager }: { readonly role: DeviceFacts['role']; readonly manager: boolean }) {
  const { t } = useI18n()
  const queries = useQueryClient()
  const [result, setResult] = useState<ResultText | null>(null)
  const run = useMutation({
    mutationFn: (work: () => Promise<ResultText>) => work(),
    onMutate: () => {
      setResult(null)
    },
    onSuccess: (text) => {
      setResult(() => text)
    },
    onError: report,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['devices'] }),
        queries.invalidateQueries({ queryKey: ['device-details'] }),
      ]),
  })
  const check = async (): Promise<ResultText> => {
    const { devices } = await storeApi.checkDevices()
    const state = devices.find((device) => device.role === role)?.state ?? 'not-configured'
    return (texts) => texts(`devices.checked.${state}`)
  }
  const swipe = (input: InputRole) => async (): Promise<ResultText> => readText((await storeApi.testRead(input)).read)
  const page = async (): Promise<ResultText> => {
    const { state } = await storeApi.testPage()
    return (texts) => texts(`devices.page.${state}`)
  }
  return (
    <>
      <Button icon={<Stethoscope />} isDisabled={run.isPending} onPress={() => run.mutate(check)}>
        {t('devices.check')}
      </Button>
      {manager && role === 'card-reader' && (
        <Button icon={<CreditCard />} isDisabled={run.isPending} onPress={() => run.mutate(swipe(role))}>
          {t('devices.testSwipe')}
        </Button>
      )}
      {manager && role === 'scanner' && (
        <Button icon={<ScanBarcode />} isDisabled={run.isPending} onPress={() => run.mutate(swipe(role))}>
          {t('devices.testScan')}
        </Button>
      )}
      {manager && role === 'printer' && (
        <Button icon={<Printer />} isDisabled={run.isPending} onPress={() => run.mutate(page)}>
          {t('devices.testPage')}
        </Button>
      )}
      <p role="status">{run.isPending ? t('devices.working') : result?.(t)}</p>
    </>
  )
}
