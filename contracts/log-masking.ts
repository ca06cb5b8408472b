const COLLECTOR_NUMBER = /8\d{6}(\d{4})(?!\d)/g

/** Eleven digits that begin with 8 leave only their last four, whatever field or text of a log line they stand in. */
export const maskInLog = (text: string): string => text.replace(COLLECTOR_NUMBER, '•••••••$1')

/** Whether the log would not write the text as it is. */
export const isMaskedInLog = (text: string): boolean => text.search(COLLECTOR_NUMBER) >= 0
