import { useMutation } from '@tanstack/react-query'
import { FileUp, RotateCcw } from 'lucide-react'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { FileTrigger, Label, ProgressBar } from 'react-aria-components'
import type { CatalogImport, CatalogState } from '../../contracts/catalog/catalog.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { clearProblems, notify } from '../core/state/notices.ts'
import { Button } from '../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import styles from './catalog.module.css'
import { ConfirmDialog } from './fields.tsx'
import { ImportPreview } from './import-preview.tsx'
import { useCatalog } from './item-finder.tsx'
import type { z } from 'zod'

export const KINDS_OF_FILE = ['.csv', '.txt', '.tsv', 'text/csv']

export function ImportSection() {
  const { t } = useI18n()
  const state = useCatalog('state', catalogApi.state)
  const [undoing, setUndoing] = useState(false)
  const send = useMutation({ mutationFn: catalogApi.upload, onSuccess: () => state.refetch(), onMutate: clearProblems })
  const { data } = state
  const place = useRescuedFocus(`${send.status} ${data?.import?.phase ?? ''}`)
  if (state.isPending) return <p role="status">{t('app.loading')}</p>
  if (!data) return <LoadFailed error={state.error ?? new Error()} retry={() => void state.refetch()} />
  const working = send.isPending || data.import?.phase === 'working'
  return (
    <div ref={place} tabIndex={-1} className="stack-4 single ringless">
      <Origin origin={data.current} />
      <StoreImport ofStore={data.ofStore} />
      <div className="row-3 wraps">
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
        <p className="note">{t('catalog.import.chooseHint')}</p>
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
  const { t } = useI18n()
  if (shown === null) return null
  switch (shown.phase) {
    case 'working':
      return <Progress label={t(`catalog.import.${shown.step}`, { file: shown.fileName })} percent={shown.percent} />
    case 'refused':
      return <RefusedRows refused={shown} />
    case 'failed':
      return (
        <div role="alert" className="stack-1 tone-danger anywhere round-m pad-4">
          <h3>{t('catalog.import.failedTitle')}</h3>
          <p>{t('catalog.import.failed', { file: shown.fileName })}</p>
        </div>
      )
    case 'ready':
      return <ImportPreview key={shown.id} ready={shown} onDone={onDone} />
  }
}

function Origin({ origin }: { readonly origin: CatalogState['current'] }) {
  const { t, format } = useI18n()
  const time = format.dateTime(origin.at)
  return (
    <section className={`wrap baseline note ${styles['origin']}`} aria-label={t('catalog.import.current')}>
      <h3 className="text-l ink">{t('catalog.import.nowSold', { count: origin.items })}</h3>
      <p className="prose">{t(`catalog.import.from.${origin.origin}`, { file: origin.fileName })}</p>
      <p>
        {origin.by === null ? t('catalog.import.at', { time }) : t('catalog.import.atBy', { time, name: origin.by })}
      </p>
      <p>{t('catalog.import.changes', { count: origin.changes })}</p>
      <ImportedElsewhere origin={origin} />
    </section>
  )
}

function ImportedElsewhere({ origin: { elsewhere, lost = 0 } }: { readonly origin: CatalogState['current'] }) {
  const { t } = useI18n()
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
  const { t, format } = useI18n()
  const undo = useMutation({
    mutationFn: catalogApi.undo,
    onSuccess: () => {
      onClose()
      onDone()
      notify('success', (i18n) => i18n.t('catalog.import.undone'))
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
      <p className="prose">
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

type Refused = Extract<z.infer<typeof CatalogImport>, { phase: 'refused' }>

export function RefusedRows({ refused }: { readonly refused: Pick<Refused, 'rows' | 'refused' | 'fileName'> }) {
  const { t, format } = useI18n()
  return (
    <section className="stack-4 single ringless" aria-label={t('catalog.import.refusedTitle')}>
      <div role="alert" className="stack-1 tone-danger anywhere round-m pad-4">
        <h3>{t('catalog.import.refusedTitle')}</h3>
        <p>{t('catalog.import.refused', { count: refused.refused, file: refused.fileName })}</p>
        <p>{t('catalog.import.refusedTodo')}</p>
        {refused.rows.length < refused.refused && (
          <p>{t('catalog.import.refusedShown', { count: refused.rows.length })}</p>
        )}
      </div>
      <TableWrap>
        <table className={`${pageStyles['table']} selectable`} aria-label={t('catalog.import.refusedTitle')}>
          <thead>
            <tr>
              <th scope="col">{t('catalog.import.line')}</th>
              <th scope="col">{t('catalog.import.column')}</th>
              <th scope="col">{t('catalog.import.problem')}</th>
            </tr>
          </thead>
          <tbody>
            {refused.rows.map(({ line, column, messages }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- a row may have the same error twice
              <tr key={index}>
                <th scope="row">{line ?? ''}</th>
                <td>{column ?? ''}</td>
                <td>{messages[format.locale]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </section>
  )
}

/**
 * State of the lane's synchronization with the store's current catalog: loading it from the store server, or sending an
 * import of this lane.
 */
export function StoreImport({ ofStore }: { readonly ofStore: CatalogState['ofStore'] }) {
  const { t } = useI18n()
  if (!ofStore) return null
  const about = { file: ofStore.fileName, lane: ofStore.lane }
  switch (ofStore.kind) {
    case 'fetching':
    case 'sending':
      return <Progress label={t(`catalog.store.${ofStore.kind}`, about)} percent={ofStore.percent} />
    case 'making':
      return <Progress label={t('catalog.store.making', about)} />
    case 'waiting':
      return (
        <>
          <Progress label={t('catalog.store.waiting', about)} percent={ofStore.percent} />
          <p className="note">{t('catalog.store.waitingDo', about)}</p>
        </>
      )
    case 'unsent':
    case 'full':
      return (
        <div role="status" className={`wrap baseline note ${styles['origin']}`}>
          <h3 className="text-l ink">{t('catalog.store.unsentTitle')}</h3>
          <p className="prose">{t(`catalog.store.${ofStore.kind}`, about)}</p>
        </div>
      )
    case 'failed':
      return (
        <div role="alert" className="stack-1 tone-danger anywhere round-m pad-4">
          <h3>{t('catalog.store.failedTitle')}</h3>
          <p>{t('catalog.store.failed', about)}</p>
        </div>
      )
  }
}

/** A progress bar; indeterminate if `percent` is missing. */
export function Progress({ label, percent }: { readonly label: string; readonly percent?: number }) {
  return (
    <ProgressBar
      {...(percent === undefined ? { isIndeterminate: true } : { value: percent })}
      className={`stack-2 with-end framed weight-600 anywhere pad-4 ${styles['progress']}`}
    >
      {({ percentage, valueText }) => (
        <>
          <Label>{label}</Label>
          <span className="figures">{valueText}</span>
          <progress aria-hidden="true" max={100} {...(percentage === undefined ? {} : { value: percentage })} />
        </>
      )}
    </ProgressBar>
  )
}

/**
 * For a container whose content is replaced without user action: moves the focus to the container when the focused
 * content is removed, so that keys keep working there. At other times, such as the opening of the page, the focus does
 * not move. Put the returned ref on an element with tabIndex -1; `content` identifies the current content.
 */
function useRescuedFocus(content: string): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const shown = useRef<string | null>(null)
  useEffect(() => {
    const before = shown.current
    shown.current = place.current ? content : null
    if (before !== null && before !== content && document.activeElement === document.body) place.current?.focus()
  }, [content])
  return place
}
