import { useMutation } from '@tanstack/react-query'
import { FileUp, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import type { CatalogState } from '../../../contracts/api/catalog-manager.ts'
import { catalogApi } from '../../api/catalog-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { clearProblems, notify } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import styles from './catalog.module.css'
import { ConfirmDialog } from './fields.tsx'
import { ImportPreview } from './import-preview.tsx'
import { Progress } from './progress.tsx'
import { RefusedRows } from './refused-rows.tsx'
import { useRescuedFocus } from './rescued-focus.ts'
import { StoreImport } from './store-import.tsx'
import { useCatalog } from './use-catalog.ts'

const KINDS_OF_FILE = ['.csv', '.txt', '.tsv', 'text/csv']

/** What is sold now, the import that is under way or waits, and the way back to the one before. */
export function ImportSection() {
  const { t } = useWords()
  const state = useCatalog('state', catalogApi.state)
  const [undoing, setUndoing] = useState(false)
  const send = useMutation({ mutationFn: catalogApi.upload, onSuccess: () => state.refetch(), onMutate: clearProblems })
  const { data } = state
  const place = useRescuedFocus(`${send.status} ${data?.import?.phase ?? ''}`)
  if (state.isPending) return <p role="status">{t('app.loading')}</p>
  if (!data) return <LoadFailed error={state.error ?? new Error()} retry={() => void state.refetch()} />
  const working = send.isPending || data.import?.phase === 'working'
  return (
    <div ref={place} tabIndex={-1} className={styles['panel']}>
      <Origin origin={data.current} />
      <StoreImport ofStore={data.ofStore} />
      <div className={styles['orders']}>
        <FileTrigger
          acceptedFileTypes={KINDS_OF_FILE}
          onSelect={(files) => {
            const file = files?.item(0)
            if (file) send.mutate(file)
          }}
        >
          <Button look={data.import?.phase === 'ready' ? 'plain' : 'primary'} icon={<FileUp />} isDisabled={working}>
            {t('catalog.import.choose')}
          </Button>
        </FileTrigger>
        {data.previous && (
          <Button icon={<RotateCcw />} isDisabled={working} onPress={() => setUndoing(true)}>
            {t('catalog.import.undo')}
          </Button>
        )}
        <p className={styles['hint']}>{t('catalog.import.chooseHint')}</p>
      </div>
      {send.isError && <LoadFailed error={send.error} retry={() => send.reset()} />}
      {send.isPending ? (
        <Progress label={t('catalog.import.sending', { file: send.variables.name })} />
      ) : (
        <Waiting shown={data.import} onDone={() => void state.refetch()} />
      )}
      {undoing && data.previous && (
        <UndoDialog
          state={data}
          previous={data.previous}
          onClose={() => setUndoing(false)}
          onDone={() => void state.refetch()}
        />
      )}
    </div>
  )
}

function Waiting({ shown, onDone }: { readonly shown: CatalogState['import']; readonly onDone: () => void }) {
  const { t } = useWords()
  if (shown === null) return null
  switch (shown.phase) {
    case 'working':
      return <Progress label={t(`catalog.import.${shown.step}`, { file: shown.fileName })} percent={shown.percent} />
    case 'refused':
      return <RefusedRows refused={shown} />
    case 'failed':
      return (
        <div role="alert" className={styles['bad']}>
          <h3>{t('catalog.import.failedTitle')}</h3>
          <p>{t('catalog.import.failed', { file: shown.fileName })}</p>
        </div>
      )
    case 'ready':
      return <ImportPreview key={shown.id} ready={shown} onDone={onDone} />
  }
}

function Origin({ origin }: { readonly origin: CatalogState['current'] }) {
  const { t, format } = useWords()
  const time = format.dateTime(origin.at)
  return (
    <section className={styles['origin']} aria-label={t('catalog.import.current')}>
      <h3>{t('catalog.import.nowSold', { count: origin.items })}</h3>
      <p className="words">{t(`catalog.import.from.${origin.origin}`, { file: origin.fileName })}</p>
      <p>
        {origin.by === null ? t('catalog.import.at', { time }) : t('catalog.import.atBy', { time, name: origin.by })}
      </p>
      <p>{t('catalog.import.changes', { count: origin.changes })}</p>
      <ImportedElsewhere origin={origin} />
    </section>
  )
}

function ImportedElsewhere({ origin: { elsewhere, lost = 0 } }: { readonly origin: CatalogState['current'] }) {
  const { t } = useWords()
  if (elsewhere === undefined) return null
  const { lane, by } = elsewhere
  return (
    <>
      <p>{by === null ? t('catalog.store.byProfile', { lane }) : t('catalog.store.importedAt', { lane, name: by })}</p>
      {lost > 0 && <p>{t('catalog.store.lost', { count: lost })}</p>}
    </>
  )
}

function UndoDialog({
  state,
  previous,
  onClose,
  onDone,
}: {
  readonly state: CatalogState
  readonly previous: CatalogState['current']
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const { t, format } = useWords()
  const undo = useMutation({
    mutationFn: catalogApi.undo,
    onSuccess: () => {
      onClose()
      onDone()
      notify('success', (words) => words.t('catalog.import.undone'))
    },
  })
  return (
    <ConfirmDialog
      title={t('catalog.import.undoTitle')}
      confirm={t('catalog.import.undo')}
      busy={undo.isPending}
      error={undo.error}
      onConfirm={() => undo.mutate()}
      onClose={onClose}
    >
      <p className="words">
        {t('catalog.import.undoText', { file: previous.fileName, time: format.dateTime(previous.at) })}
      </p>
      {state.current.changes > 0 && (
        <p>
          <strong>{t('catalog.import.undoEdits', { count: state.current.changes })}</strong>
        </p>
      )}
    </ConfirmDialog>
  )
}
