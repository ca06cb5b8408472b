import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ReportRun } from '../../../contracts/day/reports.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'

const RUN = 'report-run'
const LOOK_AGAIN_MS = 300

/**
 * Starts a report that the backend reads in a worker thread, follows its progress, and cancels it on request or when
 * the page is left.
 */
export function useReportRun() {
  const queries = useQueryClient()
  const [id, setId] = useState<number | null>(null)
  const start = useMutation({
    mutationFn: storeApi.startReport,
    onSuccess: async (run) => {
      await showAnswer<ReportRun>(queries, [RUN, run.id], run)
      setId(run.id)
    },
  })
  const run = useQuery({
    queryKey: [RUN, id],
    queryFn: () => storeApi.reportRun(id ?? 0),
    enabled: id !== null,
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? LOOK_AGAIN_MS : false),
    gcTime: 0,
  })
  const cancel = useMutation({
    mutationFn: storeApi.cancelReport,
    onSuccess: (cancelled) => showAnswer<ReportRun>(queries, [RUN, cancelled.id], cancelled),
  })
  useCancelOnLeave(run.data)
  return { start, run, cancel }
}

function useCancelOnLeave(run: ReportRun | undefined): void {
  const running = useRef<number | null>(null)
  useEffect(() => {
    running.current = run?.state === 'running' ? run.id : null
  }, [run])
  useEffect(
    () => () => {
      if (running.current !== null) storeApi.cancelReport(running.current).catch(() => undefined)
    },
    [],
  )
}
