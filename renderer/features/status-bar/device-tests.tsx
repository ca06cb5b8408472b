import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CreditCard, Printer, ScanBarcode, Stethoscope } from 'lucide-react'
import { useState } from 'react'
import type { InputRole, MaskedRead } from '../../../contracts/api/devices.ts'
import { storeApi } from '../../api/store-api.ts'
import type { Words } from '../../i18n/message-key.ts'
import { useWords } from '../../i18n/words.tsx'
import { report } from '../../state/notices.ts'
import type { DeviceFacts } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'

type Say = (t: Words) => string

const readSaying =
  (read: MaskedRead | null): Say =>
  (t) =>
    read === null ? t('devices.readNothing') : t(`devices.read.${read.kind}`, { shown: read.shown ?? '' })

/** Looks at one device now and, for a manager, tries what it is for. What came of it stands below in words. */
export function DeviceTests({ role, manager }: { readonly role: DeviceFacts['role']; readonly manager: boolean }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [result, setResult] = useState<Say | null>(null)
  const run = useMutation({
    mutationFn: (work: () => Promise<Say>) => work(),
    onMutate: () => {
      setResult(null)
    },
    onSuccess: (say) => {
      setResult(() => say)
    },
    onError: report,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['devices'] }),
        queries.invalidateQueries({ queryKey: ['device-details'] }),
      ]),
  })
  const check = async (): Promise<Say> => {
    const { devices } = await storeApi.checkDevices()
    const state = devices.find((device) => device.role === role)?.state ?? 'not-configured'
    return (words) => words(`devices.checked.${state}`)
  }
  const swipe = (input: InputRole) => async (): Promise<Say> => readSaying((await storeApi.testRead(input)).read)
  const page = async (): Promise<Say> => {
    const { state } = await storeApi.testPage()
    return (words) => words(`devices.page.${state}`)
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
