/** The name under which the terminal stands in the system's list of processes: who has a port is told by it. */
export const PROCESS_TITLE = 'milepost'
