import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CreditCard, ScanBarcode, TriangleAlert, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Input, SearchField } from 'react-aria-components'
import type { CardFault, CentralCondition, Scenario, TrainingPanel } from '../../contracts/operations/training.ts'
import { showAnswer } from '../core/api/store-api.ts'
import { api } from '../core/api/terminal-api.ts'
import { trainingApi } from '../core/api/training-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { useEvents } from '../core/state/events.ts'
import { report } from '../core/state/notices.ts'
import { useShell } from '../core/state/window.ts'
import { Button, IconButton } from '../core/ui/button.tsx'
import {
  CardTerminal,
  Central,
  CustomerPhone,
  VirtualDevices,
  VirtualScale,
  VirtualViews,
  Toggle,
} from './virtual-devices.tsx'
import styles from './training-devices.module.css'

/**
 * Search text until another one is typed: the common prefix of the training catalog's barcodes. Items of another
 * catalog are found by typing.
 */
const WHOLE_SHELF = '0628'
const SHELF_SIZE = 50
const UNKNOWN_BARCODE = '0999999999993'

async function act(run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    report(error)
  }
}

/** Returns the last request while it is unanswered, and a function to send one; the answer is the panel's new state. */
function useRequest<Request>(
  send: (request: Request) => Promise<TrainingPanel>,
): readonly [Request | null, (request: Request) => Promise<void>] {
  const queries = useQueryClient()
  const [requested, setRequested] = useState<Request | null>(null)
  const request = async (next: Request): Promise<void> => {
    setRequested(next)
    await act(async () => {
      await showAnswer(queries, ['training'], await send(next))
    })
    setRequested(null)
  }
  return [requested, request]
}

/** Panel that operates the simulated devices: its actions reach the lane over the same wires as on a real lane. */
export default function TrainingDevices() {
  const { t } = useI18n()
  const place = useRef<HTMLElement>(null)
  // Moves the focus to the panel, so that after opening it by key the next Tab goes into it.
  useEffect(() => place.current?.focus(), [])
  const panel = useQuery({ queryKey: ['training'], queryFn: trainingApi.trainingPanel })
  const changes = useEvents((state) => state.trainingCount)
  const { refetch } = panel
  useEffect(() => {
    if (changes > 0) void refetch()
  }, [changes, refetch])
  const [playing, play] = useRequest<Scenario>(trainingApi.trainingPlay)
  const [asking, ask] = useRequest<CentralCondition>(trainingApi.trainingCentral)
  const [weighing, weigh] = useRequest<Parameters<typeof trainingApi.trainingScale>[0]>(trainingApi.trainingScale)
  const [terminalDoes, askTerminal] = useRequest<CardFault | 'present' | 'approve'>(trainingApi.trainingCardTerminal)
  return (
    <aside
      ref={place}
      tabIndex={-1}
      className={`flex column gap-4 rigid scroll round-l surface-1 pad-4 ringless ${styles['panel']}`}
      aria-label={t('trainingPanel.title')}
    >
      <header>
        <div>
          <h2>{t('trainingPanel.title')}</h2>
          <p>{t('trainingPanel.intro')}</p>
        </div>
        <IconButton label={t('app.close')} icon={<X />} onPress={() => useShell.setState({ trainingOpen: false })} />
      </header>
      {panel.isPending && <p role="status">{t('app.loading')}</p>}
      {panel.isError && <p role="alert">{t('trainingPanel.failed')}</p>}
      {panel.data?.phone && <CustomerPhone />}
      {panel.data && <VirtualViews panel={panel.data} />}
      <Cards cards={panel.data?.cards} />
      <Shelf />
      {panel.data?.central && (
        <Central condition={panel.data.central} asking={asking} ask={(condition) => void ask(condition)} />
      )}
      {panel.data?.scale && (
        <VirtualScale scale={panel.data.scale} busy={weighing !== null} ask={(change) => void weigh(change)} />
      )}
      {panel.data?.cardTerminal && (
        <CardTerminal
          terminal={panel.data.cardTerminal}
          busy={terminalDoes !== null}
          ask={(does) => void askTerminal(does)}
        />
      )}
      {panel.data && <VirtualDevices panel={panel.data} playing={playing} play={(scenario) => void play(scenario)} />}
    </aside>
  )
}

function Cards({ cards }: { readonly cards: TrainingPanel['cards'] | undefined }) {
  const { t, format } = useI18n()
  const [asScan, setAsScan] = useState(false)
  return (
    <section>
      <h3>{t('trainingPanel.cards')}</h3>
      <Toggle selected={asScan} onChange={setAsScan} label={t('trainingPanel.scanCard')} />
      {cards?.length === 0 && <p>{t('trainingPanel.noCards')}</p>}
      <ul>
        {cards?.map((card) => (
          <li key={card.id}>
            <Button
              wide
              icon={<CreditCard />}
              aria-label={t(
                asScan ? 'trainingPanel.scan' : 'trainingPanel.swipe',
                asScan ? { item: format.text(card.label) } : { card: format.text(card.label) },
              )}
              onPress={() => void act(() => trainingApi.trainingSwipe(card.id, asScan ? 'scan' : 'swipe'))}
            >
              {format.text(card.label)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Shelf() {
  const { t, format } = useI18n()
  const [text, setText] = useState('')
  const query = text.trim() === '' ? WHOLE_SHELF : text.trim()
  const shelf = useQuery({
    queryKey: ['shelf', query],
    queryFn: ({ signal }) => api.findItems(query, SHELF_SIZE, signal),
    staleTime: 60_000,
  })
  return (
    <section>
      <h3>{t('trainingPanel.items')}</h3>
      <SearchField aria-label={t('trainingPanel.itemsSearch')} value={text} onChange={setText}>
        <Input
          className={`full-width target text-s round-s surface-1 pad-0-3 ${styles['input']}`}
          placeholder={t('trainingPanel.itemsHint')}
        />
      </SearchField>
      {shelf.data?.items.length === 0 && <p role="status">{t('trainingPanel.itemsEmpty')}</p>}
      <ul>
        {text.trim() !== '' && (
          <li>
            <Button wide icon={<ScanBarcode />} onPress={() => void act(() => trainingApi.trainingScan(text.trim()))}>
              {t('trainingPanel.scanCode', { code: text.trim() })}
            </Button>
          </li>
        )}
        {shelf.data?.items.map((item) => (
          <li key={item.sku}>
            <Button
              wide
              icon={<ScanBarcode />}
              aria-label={t('trainingPanel.scan', { item: format.text(item.name) })}
              onPress={() => void act(() => trainingApi.trainingScan(item.barcode ?? item.sku))}
            >
              {format.text(item.name)}
            </Button>
          </li>
        ))}
        <li>
          <Button
            wide
            icon={<TriangleAlert />}
            onPress={() => void act(() => trainingApi.trainingScan(UNKNOWN_BARCODE))}
          >
            {t('trainingPanel.badBarcode')}
          </Button>
        </li>
      </ul>
    </section>
  )
}
