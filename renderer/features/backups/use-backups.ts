import { useQuery } from '@tanstack/react-query'
import { storeApi } from '../../api/store-api.ts'
import type { Format } from '../../i18n/format.ts'

export const BACKUPS = ['backups']
export const LOOK_AGAIN_MS = 400

/** The list and what is under way: looked at again until that has ended. */
export const useBackups = () =>
  useQuery({
    queryKey: BACKUPS,
    queryFn: storeApi.backups,
    refetchInterval: ({ state: { data } }) => (data?.work ? LOOK_AGAIN_MS : false),
    gcTime: 0,
  })

const MB = 1_000_000

/** Whole megabytes, and one for whatever is less. */
export const megabytes = (bytes: number, format: Pick<Format, 'miles'>): string =>
  format.miles(Math.max(1, Math.round(bytes / MB)))
